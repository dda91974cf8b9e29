#include "reporters/model/uses.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "reporters/model/job_builder.h"

namespace ddtscope {
namespace {

/// What does not fit is more than anything else.
Int128 place_of(Exact bytes) { return bytes.fits() ? bytes.value() : Int128{1} << 126; }

}  // namespace

bool uses_are_recorded(const Job& job) {
  return std::all_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.uses; });
}

std::optional<std::int64_t> size_of_element(const Job& job, DefinitionId type) {
  const TypeNumber number = job.number_of(type);
  if (number.valid()) return job.observed(job.type(number)).size;
  return job.store.predefined()[job.store[type].predefined].size;
}

Exact bytes_of(const Job& job, const TypeUse& use) {
  const std::optional<std::int64_t> size = size_of_element(job, use.type);
  if (use.counts.elements == 0) return Exact(0);
  return size ? Exact(static_cast<Int128>(use.counts.elements)) * Exact(*size) : Exact::unfit();
}

bool moves_bytes(const TypeUse& use) {
  using trace::UseParameter;
  switch (use.parameter) {
    case UseParameter::sendtype:
    case UseParameter::sendtypes:
    case UseParameter::origin_datatype:
    case UseParameter::result_datatype:
      return true;
    case UseParameter::datatype:
      break;
    default:
      return false;
  }
  // By whatever binding: "PMPI_Irecv", "mpi_recv_init_".
  const auto names = [&](std::string_view function) {
    const std::size_t at = use.called.find('_');
    if (at == use.called.npos || use.called.size() - at - 1 < function.size()) return false;
    const std::string_view name = use.called.substr(at + 1);
    return std::equal(function.begin(), function.end(), name.begin(),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); }) &&
           (name.size() == function.size() || name[function.size()] == '_');
  };
  constexpr std::string_view not_moving[] = {"recv",   "irecv", "mrecv", "imrecv",   "precv",
                                             "unpack", "pack",  "start", "startall", "reduce_local"};
  return std::none_of(std::begin(not_moving), std::end(not_moving), names);
}

std::vector<MovedType> moved_types(const Job& job) {
  std::map<std::uint32_t, MovedType> by_type;
  for (const TypeUse& use : job.uses) {
    if (!job.number_of(use.type).valid() || use.counts.elements == 0 || !moves_bytes(use)) continue;
    MovedType& moved = by_type.try_emplace(use.type.value, MovedType{use.type, Exact(0), 0}).first->second;
    moved.bytes = moved.bytes + bytes_of(job, use);
    moved.calls += use.counts.calls;
  }
  std::vector<MovedType> result;
  for (const auto& [type, moved] : by_type) result.push_back(moved);
  std::stable_sort(result.begin(), result.end(),
                   [](const MovedType& a, const MovedType& b) { return place_of(b.bytes) < place_of(a.bytes); });
  return result;
}

void sort_uses(Job& job) {
  const auto before = [&](const TypeUse& a, const TypeUse& b) {
    const Int128 of_a = place_of(bytes_of(job, a));
    const Int128 of_b = place_of(bytes_of(job, b));
    if (of_a != of_b) return of_b < of_a;
    return std::tuple(b.counts.calls, job.number_of(a.type), job.name_of(a.type), a.called, a.binding, a.parameter,
                      a.site) < std::tuple(a.counts.calls, job.number_of(b.type), job.name_of(b.type), b.called,
                                           b.binding, b.parameter, b.site);
  };
  std::sort(job.uses.begin(), job.uses.end(), before);
}

void JobBuilder::join_uses(const FileEnd& end) {
  for (const UsesRecord& record : end.uses) {
    DefinitionId type;
    if (const auto* number = std::get_if<FileNumber<DefinitionRecord>>(&record.type)) {
      type = definitions_[number->value];
    } else {
      const auto predefined = job_.store.find_predefined(std::get<std::string_view>(record.type));
      if (!predefined) {
        refuse(1, "the predefined type " + std::string(std::get<std::string_view>(record.type)) +
                      " is used, but not described; the file is damaged, record it again.");
      }
      type = *predefined;
    }
    const std::optional<FrameIndex> site = site_of(record.site);
    const std::tuple key(type.value, job_.word(record.called), job_.word(record.binding), record.parameter,
                         site ? site->value + 1 : 0);
    const auto [found, is_new] = uses_index_.try_emplace(key, job_.uses.size());
    if (is_new) {
      job_.uses.push_back({type, std::get<1>(key), std::get<2>(key), record.parameter, site, {}, {}});
    }
    TypeUse& use = job_.uses[found->second];
    trace::add_uses(use.counts, record.counts);
    add_ranks(use.ranks, record.ranks);
  }
}

}  // namespace ddtscope
