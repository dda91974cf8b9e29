// Groups of equal layouts by their fingerprints.
#include "reporters/model/layout_groups.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t smallest_table = 256;

std::uint64_t hash_of(const Fingerprint& layout, Exact lb, Exact extent) {
  const auto mixed = [](std::uint64_t hash, Int128 value) {
    return (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U ^ static_cast<std::uint64_t>(value >> 64);
  };
  const std::uint64_t hash = mixed(mixed(layout.words[0], lb.value()), extent.value());
  return (hash ^ hash >> 32) | 1;  // never that of a type that is alone
}

}  // namespace

LayoutGroups::LayoutGroups(const Job& job)
    : job_(job), layouts_(job.store, job.observed_bounds), next_(job.types.size(), none), slots_(smallest_table, none) {
  std::optional<Fingerprints> fingerprints(layouts_);
  for (const JobType& type : job.types) {
    if (layouts_.make_room(layout_memory)) fingerprints.emplace(layouts_);
    const std::optional<Fingerprint> layout = fingerprints->layout(layouts_.root(type.definition));
    const Exact lb = layouts_.lb(type.definition);
    const Exact extent = layouts_.extent(type.definition);
    const std::uint32_t number = type.number.value;
    if (!layout || !lb.fits() || !extent.fits()) {
      groups_.push_back({layout, no_hash, number, number, 1});
      continue;
    }
    const std::uint64_t hash = hash_of(*layout, lb, extent);
    const std::size_t slot = slot_with(hash, [&](const Group& group) {
      const DefinitionId first = definition(group.first);
      return group.layout == layout && layouts_.lb(first) == lb && layouts_.extent(first) == extent;
    });
    if (slots_[slot] != none) {
      Group& group = groups_[slots_[slot] - 1];
      next_[group.last - 1] = number;
      group.last = number;
      ++group.types;
      continue;
    }
    groups_.push_back({layout, hash, number, number, 1});
    slots_[slot] = static_cast<std::uint32_t>(groups_.size());
    if (groups_.size() * 2 > slots_.size()) enlarge_table();
  }
  slots_ = {};
}

/// Where the group stands that has this hash and is the one, or would.
template <class Is>
std::size_t LayoutGroups::slot_with(std::uint64_t hash, Is is) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != none; slot = (slot + 1) & mask) {
    const Group& group = groups_[slots_[slot] - 1];
    if (group.hash == hash && is(group)) break;
  }
  return slot;
}

void LayoutGroups::enlarge_table() {
  slots_.assign(slots_.size() * 2, none);
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].hash == no_hash) continue;
    slots_[slot_with(groups_[i].hash, [](const Group&) { return false; })] = i + 1;
  }
}

LayoutGroup LayoutGroups::operator[](std::size_t group) const {
  const Group& found = groups_[group];
  const DefinitionId first = definition(found.first);
  layouts_.make_room(layout_memory);
  LayoutGroup result;
  result.layout = found.layout;
  result.lb = layouts_.lb(first);
  result.extent = layouts_.extent(first);
  result.size = layouts_.facts(first).size;
  result.types.reserve(found.types);
  for (std::uint32_t type = found.first; type != none; type = next_[type - 1]) result.types.push_back(TypeNumber{type});
  return result;
}

}  // namespace ddtscope::reporters
