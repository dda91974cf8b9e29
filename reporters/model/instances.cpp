#include "reporters/model/instances.h"

#include <algorithm>
#include <functional>

namespace ddtscope::reporters {
namespace {

// Few types are made at more than a few places: only those are looked up otherwise than one by one.
constexpr std::size_t few = 8;

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  created += other.created;
  adopted += other.adopted;
  committed += other.committed;
  freed += other.freed;
  return *this;
}

std::size_t InstancesTable::HashOrigin::operator()(const Origin& origin) const {
  const std::hash<std::string_view> hash;
  const std::size_t site = origin.site ? origin.site->value + std::size_t{1} : 0;
  return (hash(origin.called) * 31 + hash(origin.binding)) * 31 + site * 2 +
         (origin.counted == Origin::Counted::yes ? 1 : 0);
}

std::optional<OriginIndex> InstancesTable::find_origin(const Origin& origin) const {
  const auto found = origin_index_.find(origin);
  return found != origin_index_.end() ? std::optional(found->second) : std::nullopt;
}

OriginIndex InstancesTable::add_origin(const Origin& origin) {
  const OriginIndex index{static_cast<std::uint32_t>(origins_.size())};
  origins_.push_back(origin);
  origin_index_.emplace(origin, index);
  return index;
}

RankRanges& InstancesTable::add(TypeNumber type, OriginIndex origin, const Counters& counters) {
  Entry& entry = entry_of(type, origin);
  entry.counters += counters;
  return entry.ranks;
}

InstancesTable::Entry& InstancesTable::entry_of(TypeNumber type, OriginIndex origin) {
  if (types_.size() < type.value) types_.resize(type.value);
  OfType& of_type = types_[type.value - 1];
  std::size_t passed = 0;
  for (std::uint32_t i = of_type.first; i != none && passed < few; i = entries_[i].next, ++passed) {
    if (entries_[i].origin.value == origin.value) return entries_[i];
  }
  const auto added = static_cast<std::uint32_t>(entries_.size());
  if (passed == few) {
    const auto [found, is_new] = far_entries_.try_emplace(std::uint64_t{type.value} << 32 | origin.value, added);
    if (!is_new) return entries_[found->second];
  }
  entries_.push_back({{}, {}, origin, none});
  (of_type.first == none ? of_type.first : entries_[of_type.last].next) = added;
  of_type.last = added;
  return entries_[added];
}

Instances InstancesTable::at(std::uint32_t index) const {
  const Entry& entry = entries_[index];
  const Origin& origin = origins_[entry.origin.value];
  return {&entry.ranks, origin.site, origin.called, origin.binding,
          origin.counted == Origin::Counted::yes ? std::optional(entry.counters) : std::nullopt};
}

Counters InstancesTable::total(TypeNumber type) const {
  Counters sum;
  for (const Instances& part : of(type)) sum += part.counters.value_or(Counters{});
  return sum;
}

bool InstancesTable::are_all_counted(TypeNumber type) const {
  const Range parts = of(type);
  return std::all_of(parts.begin(), parts.end(), [](const Instances& part) { return part.counters.has_value(); });
}

}  // namespace ddtscope::reporters
