#include "reporters/model/job.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <tuple>
#include <unordered_map>

#include "decoder/envelope.h"

namespace ddtscope {
namespace {

// A file list for people stays readable.
constexpr std::size_t missing_ranks_limit = 1000;

struct Damaged {
  std::string sentence;
};

std::string at_line(const RankTrace& trace, std::size_t line) {
  return trace.file.string() + ":" + std::to_string(line) + ": ";
}

bool equal(const LibraryConstants& a, const LibraryConstants& b) {
  return a.order_c == b.order_c && a.order_fortran == b.order_fortran && a.distribute_block == b.distribute_block &&
         a.distribute_cyclic == b.distribute_cyclic && a.distribute_none == b.distribute_none &&
         a.distribute_dflt_darg == b.distribute_dflt_darg;
}

bool equal(const PredefinedType& a, const PredefinedType& b) {
  return a.kind == b.kind && a.size == b.size && a.extent == b.extent && a.alignment == b.alignment &&
         a.first == b.first && a.second == b.second && a.second_displacement == b.second_displacement;
}

/// Joins the files of one job, ranks ascending.
class Joiner {
 public:
  explicit Joiner(Job& job) : job_(job) {}

  void join(RankTrace& trace) {
    join_header(trace);
    join_modules(trace);
    join_frames(trace);
    join_definitions(trace);
    for (const NameRecord& record : trace.names) {
      auto& names = type_of(record.definition).names;
      if (std::find(names.begin(), names.end(), record.name) == names.end()) {
        names.push_back(record.name);
      }
    }
    join_instances(trace);
    join_differences(trace);
    join_unrecorded(trace);
    job_.ranks.push_back({trace.file, std::move(trace.header), std::move(trace.end), trace.last_line_cut,
                          std::move(trace.stopped), counters_of(trace)});
  }

 private:
  void join_header(const RankTrace& trace) {
    if (!equal(trace.header.constants, job_.store.constants())) {
      throw Damaged{at_line(trace, 1) + "the MPI library's constants differ from those in " +
                    job_.ranks.front().file.string() + ", so the files are not of one job; give them apart."};
    }
    for (const PredefinedType& type : trace.header.predefined) {
      const DefinitionId id = job_.store.add_predefined(type);
      const PredefinedType& known = job_.store.predefined()[job_.store[id].predefined];
      if (!equal(known, type)) {
        throw Damaged{at_line(trace, 1) + known.name + " is another type here than in " +
                      (job_.ranks.empty() ? trace.file : job_.ranks.front().file).string() +
                      "; ddtscope does not join ranks of different machines, give the files apart."};
      }
    }
    lay_out(nullptr);
  }

  void join_modules(const RankTrace& trace) {
    modules_.clear();
    for (const ModuleRecord& module : trace.modules) {
      const auto key = std::make_pair(module.build_id.has_value(), module.build_id.value_or(module.path));
      const auto [found, is_new] =
          module_index_.try_emplace(key, ModuleIndex{static_cast<std::uint32_t>(job_.modules.size())});
      if (is_new) {
        job_.modules.push_back(module);
      }
      modules_.push_back(found->second);
    }
  }

  void join_frames(const RankTrace& trace) {
    frames_.clear();
    frames_.reserve(trace.frames.size());
    for (const FrameRecord& record : trace.frames) {
      JobFrame frame;
      if (record.parent) {
        frame.caller = frames_[record.parent->value];
      }
      if (record.module) {
        frame.module = modules_[record.module->value];
      }
      frame.offset = record.offset;
      const std::tuple key(frame.caller ? frame.caller->value + 1 : 0, frame.module ? frame.module->value + 1 : 0,
                           frame.offset);
      const auto [found, is_new] =
          frame_index_.try_emplace(key, FrameIndex{static_cast<std::uint32_t>(job_.frames.size())});
      if (is_new) {
        job_.frames.push_back(frame);
      }
      frames_.push_back(found->second);
    }
  }

  void join_definitions(const RankTrace& trace) {
    definitions_.clear();
    definitions_.reserve(trace.definitions.size());
    for (const DefinitionRecord& record : trace.definitions) {
      const DefinitionId id = intern(trace, record);
      definitions_.push_back(id);
      if (job_.number_of(id).valid()) {
        const JobType& type = job_.type(job_.number_of(id));
        if (type.key != record.key) {
          throw Damaged{at_line(trace, record.line) + "the definition is " + text_of(type.number) + ", which has key " +
                        key_text(type.key) + " in another place, but key " + key_text(record.key) +
                        " here; the files are damaged or of different versions of ddtscope."};
        }
        if (!(*job_.layouts.observed(id) == record.observed)) {
          note_once("The ranks' libraries report different bounds for " + text_of(type.number) +
                    "; those of the first rank are shown.");
        }
        continue;
      }
      add_type(trace, record, id);
    }
  }

  DefinitionId intern(const RankTrace& trace, const DefinitionRecord& record) {
    Contents contents{record.integers, record.addresses, record.large_counts, {}};
    contents.datatypes.reserve(record.datatypes.size());
    for (const OldtypeRecord& oldtype : record.datatypes) {
      if (const auto* number = std::get_if<FileNumber<DefinitionRecord>>(&oldtype)) {
        contents.datatypes.push_back(definitions_[number->value]);
        continue;
      }
      const auto predefined = job_.store.find_predefined(std::get<std::string>(oldtype));
      if (!predefined) {
        throw Damaged{at_line(trace, record.line) + "the predefined type " + std::get<std::string>(oldtype) +
                      " is not described in the header; the file is damaged, record it again."};
      }
      contents.datatypes.push_back(*predefined);
    }
    CallFromContents call;
    if (!call.build(record.combiner, record.form, contents)) {
      throw Damaged{at_line(trace, record.line) + "the contents are not those of " +
                    constructor_name(record.combiner, record.form) + ": " + call.problem() +
                    "; the file is damaged, record it again."};
    }
    const auto f90 = f90_name(call.call());
    if (!f90.empty()) {
      PredefinedType basic;
      basic.name = f90;
      basic.size = record.observed.size.value_or(0);
      basic.extent = record.observed.extent.value_or(basic.size);
      basic.alignment = record.alignment;
      job_.store.add_basic(basic);
    }
    return job_.store.intern(call.call()).id;
  }

  void add_type(const RankTrace& trace, const DefinitionRecord& record, DefinitionId id) {
    const auto [same_key, is_new] = keys_.try_emplace(record.key, id);
    if (!is_new) {
      throw Damaged{at_line(trace, record.line) + "key " + key_text(record.key) + " stands for " +
                    job_.name_of(same_key->second) +
                    " too, which is another definition; the files are damaged, record them again."};
    }
    if (job_.store[id].key != record.key) {
      note_once("Keys do not agree with the definitions (first in " + trace.file.string() + ":" +
                    std::to_string(record.line) + "): the trace was edited, or another version of ddtscope wrote it.",
                "keys");
    }
    lay_out(&record.observed);
    job_.numbers.resize(job_.store.size());
    const TypeNumber number{static_cast<std::uint32_t>(job_.types.size() + 1)};
    job_.numbers[id.value] = number;
    JobType type;
    type.number = number;
    type.definition = id;
    type.key = record.key;
    type.adopted = record.adopted;
    job_.types.push_back(std::move(type));
  }

  /// Every definition that is new in the store; the last one with the library's bounds.
  void lay_out(const ObservedBounds* observed) {
    while (job_.layouts.size() < job_.store.size()) {
      job_.layouts.add(DefinitionId{static_cast<std::uint32_t>(job_.layouts.size())});
    }
    if (observed != nullptr) {
      job_.layouts.observe(DefinitionId{static_cast<std::uint32_t>(job_.layouts.size() - 1)}, *observed);
    }
  }

  JobType& type_of(FileNumber<DefinitionRecord> number) {
    return job_.types[job_.number_of(definitions_[number.value]).value - 1];
  }

  std::optional<FrameIndex> site_of(const std::optional<FileNumber<FrameRecord>>& site) const {
    return site ? std::optional(frames_[site->value]) : std::nullopt;
  }

  Instances& instances_of(JobType& type, Instances wanted) {
    const std::tuple key(type.number.value, wanted.site ? wanted.site->value + 1 : 0, wanted.called, wanted.binding,
                         wanted.counters.has_value());
    const auto [found, is_new] = instances_index_.try_emplace(key, type.instances.size());
    if (is_new) {
      type.instances.push_back(std::move(wanted));
    }
    return type.instances[found->second];
  }

  void join_instances(const RankTrace& trace) {
    std::vector<bool> counted(trace.definitions.size());
    for (const InstancesRecord& record : trace.instances) {
      counted[record.definition.value] = true;
      Instances wanted{{}, site_of(record.site), record.called, record.binding, Counters{}};
      Instances& instances = instances_of(type_of(record.definition), std::move(wanted));
      *instances.counters += {record.created, record.adopted, record.committed, record.freed};
      add_rank(instances.ranks, trace);
    }
    if (trace.end) {
      return;
    }
    // Without counters only the first call site of each definition is known. With them, a definition that has none
    // is part of an adopted type, or the process was killed before the constructor returned.
    for (std::size_t i = 0; i < trace.definitions.size(); ++i) {
      if (!counted[i] && !(trace.counted && trace.definitions[i].adopted)) {
        const DefinitionRecord& record = trace.definitions[i];
        Instances wanted{{}, site_of(record.site), record.called, {}, std::nullopt};
        add_rank(instances_of(type_of({static_cast<std::uint32_t>(i)}), std::move(wanted)).ranks, trace);
      }
    }
  }

  void join_differences(const RankTrace& trace) {
    for (const DifferenceRecord& record : trace.differences) {
      const TypeNumber type = type_of(record.definition).number;
      const std::tuple key(type.value, record.subject, record.computed, record.library);
      const auto [found, is_new] = difference_index_.try_emplace(key, job_.differences.size());
      if (is_new) {
        job_.differences.push_back({type, {}, record.subject, record.computed, record.library});
      }
      add_rank(job_.differences[found->second].ranks, trace);
    }
  }

  void join_unrecorded(const RankTrace& trace) {
    for (const UnrecordedRecord& record : trace.unrecorded) {
      const std::optional<FrameIndex> site = site_of(record.site);
      auto found = std::find_if(job_.unrecorded.begin(), job_.unrecorded.end(), [&](const Unrecorded& known) {
        return known.called == record.called && known.why == record.why && known.site == site;
      });
      if (found == job_.unrecorded.end()) {
        found = job_.unrecorded.insert(found, {record.called, record.why, site, 0, {}});
      }
      found->count += record.count;
      add_rank(found->ranks, trace);
    }
  }

  static std::optional<Counters> counters_of(const RankTrace& trace) {
    if (!trace.counted) {
      return std::nullopt;
    }
    Counters sum;
    for (const InstancesRecord& record : trace.instances) {
      sum += {record.created, record.adopted, record.committed, record.freed};
    }
    return sum;
  }

  static void add_rank(RankRanges& ranks, const RankTrace& trace) {
    if (trace.header.rank) {
      ranks.add(*trace.header.rank);
    }
  }

  void note_once(const std::string& sentence, const std::string& topic = {}) {
    if (notes_.insert(topic.empty() ? sentence : topic).second) {
      job_.notes.push_back(sentence);
    }
  }

  Job& job_;
  std::map<std::pair<bool, std::string>, ModuleIndex> module_index_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, FrameIndex> frame_index_;
  std::unordered_map<Key, DefinitionId> keys_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string, std::string, bool>, std::size_t> instances_index_;
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::string>, std::size_t> difference_index_;
  std::set<std::string> notes_;
  // Of the file being joined, by its own numbers.
  std::vector<ModuleIndex> modules_;
  std::vector<FrameIndex> frames_;
  std::vector<DefinitionId> definitions_;
};

std::optional<TraceProblem> several_jobs(const std::vector<RankTrace>& traces) {
  std::map<std::string, std::pair<std::size_t, const RankTrace*>> jobs;
  for (const RankTrace& trace : traces) {
    auto& [files, first] = jobs[trace.header.job];
    ++files;
    first = first == nullptr ? &trace : first;
  }
  if (jobs.size() < 2) {
    return std::nullopt;
  }
  std::string list;
  for (const auto& [name, job] : jobs) {
    list += (list.empty() ? "" : "; ") + name + " (" + std::to_string(job.first) +
            (job.first == 1 ? " file, " : " files, first ") + job.second->file.string() + ", " +
            job.second->header.program + ")";
  }
  return TraceProblem{TraceProblem::Kind::usage, "these files belong to " + std::to_string(jobs.size()) +
                                                     " jobs: " + list + "; give the files of one job."};
}

std::optional<TraceProblem> same_rank_twice(const std::vector<RankTrace>& traces) {
  for (std::size_t i = 1; i < traces.size(); ++i) {
    if (traces[i].header.rank && traces[i].header.rank == traces[i - 1].header.rank) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          traces[i].file.string() + ": rank " + std::to_string(*traces[i].header.rank) + " stands in " +
                              traces[i - 1].file.string() + " too; remove one of the two files."};
    }
  }
  return std::nullopt;
}

void find_missing_ranks(Job& job) {
  std::int64_t size = 0;
  std::set<std::int64_t> present;
  for (const JobRank& rank : job.ranks) {
    size = std::max(size, rank.header.rank ? rank.header.size.value_or(0) : 0);
    present.insert(rank.header.rank.value_or(-1));
  }
  for (std::int64_t rank = 0; rank < size && job.missing_ranks.size() < missing_ranks_limit; ++rank) {
    if (!present.contains(rank)) {
      job.missing_ranks.push_back(rank);
    }
  }
}

LoadResult load_unguarded(std::span<const std::filesystem::path> paths) {
  auto found = find_trace_files(paths);
  if (auto* problem = std::get_if<TraceProblem>(&found)) {
    return std::move(*problem);
  }
  std::vector<RankTrace> traces;
  std::vector<TraceProblem> without_header;
  for (const auto& file : std::get<std::vector<std::filesystem::path>>(found)) {
    ReadResult result = read_trace_file(file);
    if (auto* trace = std::get_if<RankTrace>(&result)) {
      traces.push_back(std::move(*trace));
    } else if (auto& problem = std::get<TraceProblem>(result); problem.kind == TraceProblem::Kind::no_header) {
      without_header.push_back(std::move(problem));
    } else {
      return std::move(problem);
    }
  }
  if (traces.empty()) {
    return without_header.front();
  }
  if (auto problem = several_jobs(traces)) {
    return std::move(*problem);
  }
  std::stable_sort(traces.begin(), traces.end(), [](const RankTrace& a, const RankTrace& b) {
    return a.header.rank && (!b.header.rank || *a.header.rank < *b.header.rank);
  });
  if (auto problem = same_rank_twice(traces)) {
    return std::move(*problem);
  }
  auto job = std::make_unique<Job>(traces.front().header.constants);
  for (const TraceProblem& problem : without_header) {
    job->notes.push_back(problem.sentence);
  }
  Joiner joiner(*job);
  try {
    for (RankTrace& trace : traces) {
      joiner.join(trace);
      trace = {};
    }
  } catch (const Damaged& damaged) {
    return TraceProblem{TraceProblem::Kind::unreadable, damaged.sentence};
  }
  find_missing_ranks(*job);
  return job;
}

}  // namespace

std::string text_of(TypeNumber number) { return "T" + std::to_string(number.value); }

void RankRanges::add(std::int64_t rank) {
  if (!ranges_.empty() && rank <= ranges_.back().second) {
    return;
  }
  if (!ranges_.empty() && ranges_.back().second + 1 == rank) {
    ranges_.back().second = rank;
  } else {
    ranges_.emplace_back(rank, rank);
  }
}

std::string text_of(const RankRanges& ranks) {
  std::string text;
  for (const auto& [first, last] : ranks.ranges()) {
    text += (text.empty() ? "" : ", ") + std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
  }
  return text;
}

Counters& Counters::operator+=(const Counters& other) {
  created += other.created;
  adopted += other.adopted;
  committed += other.committed;
  freed += other.freed;
  return *this;
}

Counters JobType::total() const {
  Counters sum;
  for (const Instances& part : instances) {
    sum += part.counters.value_or(Counters{});
  }
  return sum;
}

std::int64_t live(const Counters& counters, Combiner combiner) {
  return is_f90(combiner) ? 0 : static_cast<std::int64_t>(counters.created + counters.adopted - counters.freed);
}

std::int64_t uncommitted(const Counters& counters, Combiner combiner) {
  return is_f90(combiner) ? 0 : static_cast<std::int64_t>(counters.created + counters.adopted - counters.committed);
}

bool Job::complete() const {
  return missing_ranks.empty() &&
         std::all_of(ranks.begin(), ranks.end(), [](const JobRank& rank) { return rank.complete(); });
}

std::string Job::name_of(DefinitionId id) const {
  const TypeNumber number = number_of(id);
  return number.valid() ? text_of(number) : store.predefined()[store[id].predefined].name;
}

std::vector<FrameIndex> Job::stack(FrameIndex site) const {
  std::vector<FrameIndex> frames_of_site;
  for (std::optional<FrameIndex> at = site; at; at = frame(*at).caller) {
    frames_of_site.push_back(*at);
  }
  return frames_of_site;
}

LoadResult load_job(std::span<const std::filesystem::path> paths) {
  try {
    return load_unguarded(paths);
  } catch (const std::bad_alloc&) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        "the trace does not fit into memory; read it on a larger machine."};
  } catch (const std::exception& error) {
    return TraceProblem{TraceProblem::Kind::unreadable, std::string("the trace cannot be read: ") + error.what()};
  }
}

}  // namespace ddtscope
