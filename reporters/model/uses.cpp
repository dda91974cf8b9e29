#include "reporters/model/uses.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "decoder/base/lower_case.h"
#include "reporters/model/job_builder.h"
#include "reporters/trace/format/counter_file.h"

namespace ddtscope::reporters {

Int128 place_of(Exact bytes) { return bytes.fits() ? bytes.value() : Int128{1} << 126; }

bool uses_are_recorded(const Job& job) {
  return std::all_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.uses; }) &&
         std::none_of(job.switches.begin(), job.switches.end(),
                      [](const RecordingSwitch& one) { return one.of == "uses" && one.is_off; }) &&
         std::none_of(job.unrecorded.begin(), job.unrecorded.end(), is_of_uses);
}

bool buffers_are_recorded(const Job& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.sources; });
}

bool is_switched_off(const Job& job, std::string_view variable) {
  return !job.ranks.empty() && std::all_of(job.ranks.begin(), job.ranks.end(), [&](const JobRank& rank) {
    if (variable == "DDTSCOPE_STACK") return rank.header.stack_depth == 0;
    const std::vector<std::string>& off = rank.header.switched_off;
    return std::find(off.begin(), off.end(), variable) != off.end();
  });
}

bool is_of_uses(const Unrecorded& unrecorded) { return unrecorded.why == trace::no_memory_for_uses; }

std::optional<std::int64_t> size_of_element(const Job& job, DefinitionId type) {
  const TypeNumber number = job.number_of(type);
  if (number.valid()) return job.observed(job.type(number)).size;
  return job.store.predefined()[job.store[type].predefined].size;
}

Exact bytes_of(const Job& job, DefinitionId type, std::uint64_t elements) {
  const std::optional<std::int64_t> size = size_of_element(job, type);
  if (elements == 0) return Exact(0);
  return size ? Exact(static_cast<Int128>(elements)) * Exact(*size) : Exact::unfit();
}

namespace {

/// Of a function that is not MPI_Start.
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
  return !calls_any_of(use, {"recv", "irecv", "mrecv", "imrecv", "precv_init", "recv_init", "unpack", "unpack_external",
                             "pack", "pack_external", "reduce_local"});
}

}  // namespace

trace::UseCounts moved_counts(const TypeUse& use) {
  if (use.parameter == trace::UseParameter::datatype && calls_any_of(use, {"start", "startall"})) {
    return {use.counts.sent_calls, use.counts.sent_elements, 0, 0};
  }
  return moves_bytes(use) ? use.counts : trace::UseCounts{};
}

std::string bare_function_of(std::string_view called) {
  const std::size_t at = called.find('_');
  if (at == called.npos) return "";
  const std::string lower = lower_case(std::string(called.substr(at + 1)));
  std::string_view name = lower;
  // What a binding adds: "mpi_recv_", "mpi_recv_f08ts_", "mpi_recv_f08_large_", "mpi_win_allocate_cptr_", "MPI_Recv_c".
  while (name.ends_with('_')) name.remove_suffix(1);
  for (const std::string_view ending : {"_large", "_f08ts", "_f08", "_cptr", "_c"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name);
}

bool calls_any_of(const TypeUse& use, std::initializer_list<std::string_view> functions) {
  const std::string name = bare_function_of(use.called);
  return !name.empty() && std::find(functions.begin(), functions.end(), name) != functions.end();
}

MemoryUse memory_use(const TypeUse& use) {
  using trace::UseParameter;
  using enum MemoryUse;
  switch (use.parameter) {
    case UseParameter::sendtype:
    case UseParameter::sendtypes:
      return read;
    case UseParameter::recvtype:
    case UseParameter::recvtypes:
    case UseParameter::result_datatype:
      return written;
    case UseParameter::origin_datatype:
      return calls_any_of(use, {"get", "rget"}) ? written : read;
    case UseParameter::target_datatype:
      if (calls_any_of(use, {"get", "rget"})) return read;
      return calls_any_of(use, {"put", "rput", "accumulate", "raccumulate", "get_accumulate", "rget_accumulate"})
                 ? written
                 : unknown;
    case UseParameter::datatype:
      break;
    default:
      return unknown;
  }
  const std::string name = bare_function_of(use.called);
  if (name.starts_with("file_write") || name.starts_with("file_iwrite")) return read;
  if (name.starts_with("file_read") || name.starts_with("file_iread")) return written;
  if (calls_any_of(use, {"send", "bsend", "ssend", "rsend", "isend", "ibsend", "issend", "irsend", "send_init",
                         "bsend_init", "ssend_init", "rsend_init", "psend_init", "pack", "pack_external"})) {
    return read;
  }
  return calls_any_of(use, {"recv", "irecv", "mrecv", "imrecv", "sendrecv_replace", "isendrecv_replace", "unpack",
                            "unpack_external", "allreduce", "iallreduce", "reduce_scatter", "ireduce_scatter",
                            "reduce_scatter_block", "ireduce_scatter_block", "scan", "iscan", "reduce_local"})
             ? written
             : unknown;
}

std::vector<bool> definitions_only_read(const Job& job) {
  std::vector<bool> used(job.store.size()), others(job.store.size());
  if (!uses_are_recorded(job)) return used;
  for (const TypeUse& use : job.uses) {
    if (calls_any_of(use, {"start", "startall"})) continue;  // their making tells
    used[use.type.value] = true;
    if (memory_use(use) != MemoryUse::read) others[use.type.value] = true;
  }
  job.mark_oldtypes(used);
  job.mark_oldtypes(others);
  for (std::size_t id = 0; id < used.size(); ++id) used[id] = used[id] && !others[id];
  return used;
}

std::vector<MovedType> moved_types(const Job& job) {
  std::map<std::uint32_t, MovedType> by_type;
  for (const TypeUse& use : job.uses) {
    const trace::UseCounts moved = moved_counts(use);
    if (!job.number_of(use.type).valid() || moved.elements == 0) continue;
    MovedType& type = by_type.try_emplace(use.type.value, MovedType{use.type, Exact(0), 0}).first->second;
    type.bytes = type.bytes + bytes_of(job, use.type, moved.elements);
    type.calls += moved.calls;
  }
  std::vector<MovedType> result;
  for (const auto& [type, moved] : by_type) result.push_back(moved);
  std::stable_sort(result.begin(), result.end(),
                   [](const MovedType& a, const MovedType& b) { return place_of(b.bytes) < place_of(a.bytes); });
  return result;
}

void sort_uses(Job& job) {
  struct Placed {
    Int128 bytes;
    TypeUse use;
  };
  std::vector<Placed> placed;
  placed.reserve(job.uses.size());
  for (TypeUse& use : job.uses) {
    const Int128 bytes = place_of(bytes_of(job, use));
    placed.push_back({bytes, std::move(use)});
  }
  std::sort(placed.begin(), placed.end(), [&](const Placed& of_a, const Placed& of_b) {
    if (of_a.bytes != of_b.bytes) return of_b.bytes < of_a.bytes;
    const TypeUse &a = of_a.use, &b = of_b.use;
    if (a.counts.calls != b.counts.calls) return b.counts.calls < a.counts.calls;
    if (a.type != b.type) {
      const TypeNumber first = job.number_of(a.type), second = job.number_of(b.type);
      return first != second ? first < second : job.name_of(a.type) < job.name_of(b.type);  // predefined ones have none
    }
    return std::tie(a.called, a.binding, a.parameter, a.site) < std::tie(b.called, b.binding, b.parameter, b.site);
  });
  std::transform(placed.begin(), placed.end(), job.uses.begin(), [](Placed& one) { return std::move(one.use); });
}

DefinitionId JobBuilder::definition_of(const OldtypeRecord& type) const {
  if (const auto* number = std::get_if<DefinitionNumber>(&type)) return definitions_[number->value];
  const auto predefined = job_.store.find_predefined(std::get<std::string_view>(type));
  if (!predefined) {
    refuse(1, "the predefined type " + std::string(std::get<std::string_view>(type)) +
                  " is used, but not described; the file is damaged, record it again.");
  }
  return *predefined;
}

void JobBuilder::join_uses(const FileEnd& end) {
  for (const UsesRecord& record : end.uses) {
    const DefinitionId type = definition_of(record.type);
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

void JobBuilder::join_switches(const FileEnd& end) {
  for (const SwitchRecord& record : end.switches) {
    const std::optional<FrameIndex> site = site_of(record.site);
    auto found = std::find_if(job_.switches.begin(), job_.switches.end(), [&](const RecordingSwitch& known) {
      return known.of == record.of && known.is_off == record.is_off && known.level == record.level &&
             known.called == record.called && known.binding == record.binding && known.site == site;
    });
    if (found == job_.switches.end()) {
      found = job_.switches.insert(found, {job_.word(record.of),
                                           record.is_off,
                                           record.level,
                                           job_.word(record.called),
                                           job_.word(record.binding),
                                           site,
                                           record.time,
                                           0,
                                           {}});
    }
    found->count += record.count;
    add_ranks(found->ranks, record.ranks);
  }
}

}  // namespace ddtscope::reporters
