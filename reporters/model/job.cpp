#include "reporters/model/job.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <tuple>
#include <unordered_map>

#include "decoder/envelope.h"
#include "reporters/trace/trace_files.h"

namespace ddtscope {
namespace {

// A file list for people stays readable.
constexpr std::size_t missing_ranks_limit = 1000;

bool equal(const LibraryConstants& a, const LibraryConstants& b) {
  return a.order_c == b.order_c && a.order_fortran == b.order_fortran && a.distribute_block == b.distribute_block &&
         a.distribute_cyclic == b.distribute_cyclic && a.distribute_none == b.distribute_none &&
         a.distribute_dflt_darg == b.distribute_dflt_darg;
}

bool equal(const PredefinedType& a, const PredefinedType& b) {
  return a.kind == b.kind && a.size == b.size && a.extent == b.extent && a.alignment == b.alignment &&
         a.first == b.first && a.second == b.second && a.second_displacement == b.second_displacement;
}

/// Joins the files of one job, ranks ascending, as their lines are read.
class Joiner : public TraceSink {
 public:
  explicit Joiner(Job& job) : job_(job) {}

  void begin(const std::filesystem::path& file) {
    rank_ = {};
    rank_.file = file;
    modules_.clear();
    frames_.clear();
    definitions_.clear();
    first_sites_.clear();
  }

  void header(HeaderRecord&& header) override {
    if (!equal(header.constants, job_.store.constants())) {
      refuse(1, "the MPI library's constants differ from those in " + job_.ranks.front().file.string() +
                    ", so the files are not of one job; give them apart.");
    }
    for (const PredefinedType& type : header.predefined) {
      add_predefined(type);
    }
    if (!job_.ranks.empty()) {
      header.predefined = {};  // the first rank's are those of all
    }
    rank_.header = std::move(header);
  }

  void process(ProcessRecord&& record) override {
    JobRank rank;
    rank.file = rank_.file;
    rank.header = rank_.header;
    rank_.header.predefined = {};
    rank.header.rank = record.rank;
    rank.header.host = std::move(record.host);
    rank.header.pid = record.pid;
    rank.header.started = std::move(record.started);
    rank.header.verify = record.verify;
    rank.end = std::move(record.end);
    rank.stopped = std::move(record.stopped);
    rank.last_line_cut = record.last_line_cut;
    if (record.counts) {
      rank.counters =
          Counters{record.counts->created, record.counts->adopted, record.counts->committed, record.counts->freed};
    }
    if (rank.header.rank && !job_.ranks.empty() && job_.ranks.back().header.rank >= rank.header.rank) {
      refuse(1, "the processes of a merged trace must stand in order of ranks; the file is damaged, merge again.");
    }
    job_.ranks.push_back(std::move(rank));
  }

  void note(std::string&& sentence) override { note_once(sentence); }

  void predefined(const PredefinedType& type) override { add_predefined(type); }

  void module(ModuleRecord&& module) override {
    const auto key = std::make_pair(module.build_id.has_value(), module.build_id.value_or(module.path));
    const auto [found, is_new] =
        module_index_.try_emplace(key, ModuleIndex{static_cast<std::uint32_t>(job_.modules.size())});
    if (is_new) {
      job_.modules.push_back(std::move(module));
    }
    modules_.push_back(found->second);
  }

  void frame(const FrameRecord& record) override {
    JobFrame frame;
    if (record.parent) {
      frame.caller = frames_[record.parent->value];
    }
    if (record.module) {
      frame.module = modules_[record.module->value];
    }
    frame.offset = record.offset;
    const FrameKey key{frame.caller ? frame.caller->value + 1 : 0, frame.module ? frame.module->value + 1 : 0,
                       frame.offset};
    const auto [found, is_new] =
        frame_index_.try_emplace(key, FrameIndex{static_cast<std::uint32_t>(job_.frames.size())});
    if (is_new) {
      job_.frames.push_back(frame);
    }
    frames_.push_back(found->second);
  }

  void definition(DefinitionRecord& record) override {
    const DefinitionId id = intern(record);
    definitions_.push_back(id);
    first_sites_.push_back({site_of(record.site), record.called, record.adopted});
    if (!job_.number_of(id).valid()) {
      add_type(record, id);
      return;
    }
    const JobType& type = job_.type(job_.number_of(id));
    if (type.key != record.key) {
      refuse(record.line, "the definition is " + text_of(type.number) + ", which has key " + key_text(type.key) +
                              " in another place, but key " + key_text(record.key) +
                              " here; the files are damaged or of different versions of ddtscope.");
    }
    if (!(*job_.layouts.observed(id) == record.observed)) {
      note_once("The ranks' libraries report different bounds for " + text_of(type.number) +
                "; those of the first rank are shown.");
    }
  }

  void name(NameRecord&& record) override {
    auto& names = type_of(record.definition).names;
    if (std::find(names.begin(), names.end(), record.name) == names.end()) {
      names.push_back(std::move(record.name));
    }
  }

  void difference(DifferenceRecord&& record) override {
    const TypeNumber type = type_of(record.definition).number;
    const std::tuple key(type.value, record.subject, record.computed, record.library);
    const auto [found, is_new] = difference_index_.try_emplace(key, job_.differences.size());
    if (is_new) {
      job_.differences.push_back({type, {}, record.subject, record.computed, record.library});
    }
    add_ranks(job_.differences[found->second].ranks, record.ranks);
  }

  void end(FileEnd&& end) override {
    join_instances(end);
    join_unrecorded(end);
    join_failed_calls(end);
    if (rank_.header.merged) {
      if (!end.end || job_.ranks.empty()) {
        throw TraceRefused{rank_.file.string() + ": the merged trace is not whole; merge the ranks' files again."};
      }
      return;
    }
    rank_.end = std::move(end.end);
    rank_.last_line_cut = end.last_line_cut;
    rank_.stopped = std::move(end.stopped);
    if (end.counted) {
      Counters sum;
      for (const InstancesRecord& record : end.instances) {
        sum += {record.created, record.adopted, record.committed, record.freed};
      }
      rank_.counters = sum;
    }
    job_.ranks.push_back(std::move(rank_));
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& why) const {
    throw TraceRefused{rank_.file.string() + ":" + std::to_string(line) + ": " + why};
  }

  void add_predefined(const PredefinedType& type) {
    const DefinitionId id = job_.store.add_predefined(type);
    const PredefinedType& known = job_.store.predefined()[job_.store[id].predefined];
    if (!equal(known, type)) {
      refuse(1, known.name + " is another type here than in " +
                    (job_.ranks.empty() ? rank_.file : job_.ranks.front().file).string() +
                    "; ddtscope does not join ranks of different machines, give the files apart.");
    }
    lay_out(nullptr);
  }

  DefinitionId intern(DefinitionRecord& record) {
    Contents& contents = record.contents;
    contents.datatypes.clear();
    for (const OldtypeRecord& oldtype : record.oldtypes) {
      if (const auto* number = std::get_if<FileNumber<DefinitionRecord>>(&oldtype)) {
        contents.datatypes.push_back(definitions_[number->value]);
        continue;
      }
      const auto predefined = job_.store.find_predefined(std::get<std::string_view>(oldtype));
      if (!predefined) {
        refuse(record.line, "the predefined type " + std::string(std::get<std::string_view>(oldtype)) +
                                " is not described in the header; the file is damaged, record it again.");
      }
      contents.datatypes.push_back(*predefined);
    }
    CallFromContents& call = call_;
    if (!call.build(record.combiner, record.form, contents)) {
      refuse(record.line, "the contents are not those of " + constructor_name(record.combiner, record.form) + ": " +
                              call.problem() + "; the file is damaged, record it again.");
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

  void add_type(const DefinitionRecord& record, DefinitionId id) {
    const auto [same_key, is_new] = keys_.try_emplace(record.key, id);
    if (!is_new) {
      refuse(record.line, "key " + key_text(record.key) + " stands for " + job_.name_of(same_key->second) +
                              " too, which is another definition; the files are damaged, record them again.");
    }
    if (job_.store[id].key != record.key) {
      note_once("Keys do not agree with the definitions (first in " + rank_.file.string() + ":" +
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
    const auto last = static_cast<std::uint32_t>(job_.store.size() - 1);
    while (job_.layouts.size() < job_.store.size()) {
      const auto next = static_cast<std::uint32_t>(job_.layouts.size());
      if (next == last && observed != nullptr) {
        job_.layouts.defer(DefinitionId{next}, *observed);
      } else {
        job_.layouts.add(DefinitionId{next});
      }
    }
  }

  JobType& type_of(FileNumber<DefinitionRecord> number) {
    return job_.types[job_.number_of(definitions_[number.value]).value - 1];
  }

  std::optional<FrameIndex> site_of(const std::optional<FileNumber<FrameRecord>>& site) const {
    return site ? std::optional(frames_[site->value]) : std::nullopt;
  }

  Instances& instances_of(JobType& type, const Instances& wanted) {
    const auto is_wanted = [&](const Instances& known) {
      return known.site == wanted.site && known.called == wanted.called && known.binding == wanted.binding &&
             known.counters.has_value() == wanted.counters.has_value();
    };
    // Few types are made at more than a few places: only those are looked up otherwise.
    const std::size_t few = std::min(type.instances.size(), few_instances);
    const auto end_of_few = type.instances.begin() + static_cast<std::ptrdiff_t>(few);
    const auto among_few = std::find_if(type.instances.begin(), end_of_few, is_wanted);
    if (among_few != end_of_few) {
      return *among_few;
    }
    if (few == few_instances) {
      const InstancesKey key{type.number.value, wanted.site ? wanted.site->value + 1 : 0, wanted.called, wanted.binding,
                             wanted.counters.has_value()};
      const auto [found, is_new] = instances_index_.try_emplace(key, type.instances.size());
      if (!is_new) {
        return type.instances[found->second];
      }
    }
    type.instances.push_back(wanted);
    return type.instances.back();
  }

  void join_instances(const FileEnd& end) {
    std::vector<bool> counted(definitions_.size());
    for (const InstancesRecord& record : end.instances) {
      counted[record.definition.value] = true;
      const auto none = record.known ? std::optional(Counters{}) : std::nullopt;
      Instances& instances =
          instances_of(type_of(record.definition),
                       {{}, site_of(record.site), job_.word(record.called), job_.word(record.binding), none});
      if (record.known) {
        *instances.counters += {record.created, record.adopted, record.committed, record.freed};
      }
      add_ranks(instances.ranks, std::span(end.ranges).subspan(record.first_range, record.ranges));
    }
    if (end.end && !end.some_left_out) {
      return;
    }
    // Without counters only the first call site of each definition is known. With them, a definition that has none
    // is part of an adopted type, or the process was killed before the constructor returned.
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      const FirstSite& first = first_sites_[i];
      if (!counted[i] && !(end.counted && first.adopted)) {
        JobType& type = type_of({static_cast<std::uint32_t>(i)});
        add_ranks(instances_of(type, {{}, first.site, job_.word(first.called), {}, std::nullopt}).ranks, {});
      }
    }
  }

  void join_unrecorded(const FileEnd& end) {
    for (const UnrecordedRecord& record : end.unrecorded) {
      const std::optional<FrameIndex> site = site_of(record.site);
      auto found = std::find_if(job_.unrecorded.begin(), job_.unrecorded.end(), [&](const Unrecorded& known) {
        return known.called == record.called && known.why == record.why && known.site == site;
      });
      if (found == job_.unrecorded.end()) {
        found = job_.unrecorded.insert(found, {record.called, record.why, site, 0, {}});
      }
      found->count += record.count;
      add_ranks(found->ranks, record.ranks);
    }
  }

  void join_failed_calls(const FileEnd& end) {
    for (const FailedCallsRecord& record : end.failed_calls) {
      const std::optional<FrameIndex> site = site_of(record.site);
      const std::tuple key(job_.word(record.called), job_.word(record.binding), job_.word(record.error_class),
                           site ? site->value + 1 : 0);
      const auto [found, is_new] = failed_calls_index_.try_emplace(key, job_.failed_calls.size());
      if (is_new) {
        job_.failed_calls.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), site, 0, {}});
      }
      FailedCalls& calls = job_.failed_calls[found->second];
      calls.count += record.count;
      add_ranks(calls.ranks, record.ranks);
    }
  }

  /// The file's own rank, or those that a merged trace names.
  void add_ranks(RankRanges& ranks, std::span<const RankRange> named) const {
    for (const auto& [first, last] : named) {
      ranks.add(first, last);
    }
    if (rank_.header.rank) {
      ranks.add(*rank_.header.rank, *rank_.header.rank);
    }
  }

  void note_once(const std::string& sentence, const std::string& topic = {}) {
    if (notes_.insert(topic.empty() ? sentence : topic).second) {
      job_.notes.push_back(sentence);
    }
  }

  static constexpr std::size_t few_instances = 8;

  struct FrameKey {
    std::uint32_t caller, module;  // 0 where there is none
    std::uint64_t offset;
    bool operator==(const FrameKey&) const = default;
  };
  struct HashFrameKey {
    std::size_t operator()(const FrameKey& key) const {
      const std::uint64_t mixed = (std::uint64_t{key.caller} << 32 | key.module) * 0x9e3779b97f4a7c15U ^ key.offset;
      return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15U);
    }
  };
  using InstancesKey = std::tuple<std::uint32_t, std::uint32_t, std::string_view, std::string_view, bool>;
  struct FirstSite {
    std::optional<FrameIndex> site;
    std::string_view called;
    bool adopted;
  };

  Job& job_;
  std::map<std::pair<bool, std::string>, ModuleIndex> module_index_;
  std::unordered_map<FrameKey, FrameIndex, HashFrameKey> frame_index_;
  std::unordered_map<Key, DefinitionId> keys_;
  std::map<InstancesKey, std::size_t> instances_index_;
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::string>, std::size_t> difference_index_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view, std::uint32_t>, std::size_t>
      failed_calls_index_;
  std::set<std::string> notes_;
  CallFromContents call_;
  // Of the file being joined, by its own numbers.
  JobRank rank_;
  std::vector<ModuleIndex> modules_;
  std::vector<FrameIndex> frames_;
  std::vector<DefinitionId> definitions_;
  std::vector<FirstSite> first_sites_;
};

/// A file of the job, or another source, before it is read.
struct TraceFile {
  TraceFile(std::filesystem::path where, HeaderRecord&& header)
      : path(std::move(where)),
        rank(header.rank),
        job(std::move(header.job)),
        program(std::move(header.program)),
        constants(header.constants),
        merged(header.merged) {}

  std::filesystem::path path;
  std::optional<std::int64_t> rank;
  std::string job, program;
  LibraryConstants constants;
  bool merged = false;
  TraceSource* source = nullptr;  // where it is no file
};

std::optional<TraceProblem> several_jobs(const std::vector<TraceFile>& traces) {
  std::map<std::string, std::pair<std::size_t, const TraceFile*>> jobs;
  for (const TraceFile& trace : traces) {
    auto& [files, first] = jobs[trace.job];
    ++files;
    first = first == nullptr ? &trace : first;
  }
  if (jobs.size() < 2) {
    return std::nullopt;
  }
  std::string list;
  for (const auto& [name, job] : jobs) {
    list += (list.empty() ? "" : "; ") + name + " (" + std::to_string(job.first) +
            (job.first == 1 ? " file, " : " files, first ") + job.second->path.string() + ", " + job.second->program +
            ")";
  }
  return TraceProblem{TraceProblem::Kind::usage, "these files belong to " + std::to_string(jobs.size()) +
                                                     " jobs: " + list + "; give the files of one job."};
}

/// Where the ranks' files could not all be removed after they were joined, they stand beside the file that has them in
/// it, and say nothing that it does not say.
void leave_out_joined(std::vector<TraceFile>& traces) {
  const auto merged = std::find_if(traces.begin(), traces.end(), [](const TraceFile& trace) { return trace.merged; });
  if (merged == traces.end()) {
    return;
  }
  const TraceFile whole = *merged;
  std::erase_if(traces, [&](const TraceFile& trace) {
    return !trace.merged && trace.rank && trace.job == whole.job &&
           trace.path.parent_path() == whole.path.parent_path();
  });
}

std::optional<TraceProblem> merged_and_others(const std::vector<TraceFile>& traces) {
  const auto merged = std::find_if(traces.begin(), traces.end(), [](const TraceFile& trace) { return trace.merged; });
  if (merged == traces.end() || traces.size() == 1) {
    return std::nullopt;
  }
  return TraceProblem{TraceProblem::Kind::usage, merged->path.string() +
                                                     ": is a merged trace, which has all ranks in it, but other files "
                                                     "were given too; give it alone."};
}

std::optional<TraceProblem> same_rank_twice(const std::vector<TraceFile>& traces) {
  for (std::size_t i = 1; i < traces.size(); ++i) {
    if (traces[i].rank && traces[i].rank == traces[i - 1].rank) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          traces[i].path.string() + ": rank " + std::to_string(*traces[i].rank) + " stands in " +
                              traces[i - 1].path.string() + " too; remove one of the two files."};
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

/// Puts the traces of one job into the order of ranks, and reads each once.
template <class Read>
LoadResult join(std::vector<TraceFile>&& traces, std::vector<std::string>&& notes, Read read) {
  if (auto problem = several_jobs(traces)) {
    return std::move(*problem);
  }
  leave_out_joined(traces);
  if (auto problem = merged_and_others(traces)) {
    return std::move(*problem);
  }
  std::stable_sort(traces.begin(), traces.end(),
                   [](const TraceFile& a, const TraceFile& b) { return a.rank && (!b.rank || *a.rank < *b.rank); });
  if (auto problem = same_rank_twice(traces)) {
    return std::move(*problem);
  }
  auto job = std::make_unique<Job>(traces.front().constants);
  job->notes = std::move(notes);
  Joiner joiner(*job);
  for (const TraceFile& trace : traces) {
    joiner.begin(trace.path);
    if (auto problem = read(trace, joiner)) {
      return std::move(*problem);
    }
  }
  // All of them in an order that does not depend on that of the files' lines.
  std::sort(job->failed_calls.begin(), job->failed_calls.end(), [](const FailedCalls& a, const FailedCalls& b) {
    return std::tie(b.count, a.called, a.binding, a.error_class, a.site) <
           std::tie(a.count, b.called, b.binding, b.error_class, b.site);
  });
  find_missing_ranks(*job);
  return job;
}

LoadResult load_unguarded(std::span<const std::filesystem::path> paths, const ShowProgress& show_progress) {
  auto found = find_trace_files(paths);
  if (auto* problem = std::get_if<TraceProblem>(&found)) {
    return std::move(*problem);
  }
  // The first lines tell what there is; then each file is read once, in order of ranks.
  TraceReader reader;
  std::vector<TraceFile> traces;
  std::vector<TraceProblem> without_header;
  LoadProgress progress;
  for (const auto& file : std::get<std::vector<std::filesystem::path>>(found)) {
    auto result = reader.read_header(file);
    if (auto* header = std::get_if<HeaderRecord>(&result)) {
      std::error_code error;
      const std::uint64_t bytes = std::filesystem::file_size(file, error);
      progress.bytes_of_all += error ? 0 : bytes;
      traces.emplace_back(file, std::move(*header));
    } else if (auto& problem = std::get<TraceProblem>(result); problem.kind == TraceProblem::Kind::no_header) {
      without_header.push_back(std::move(problem));
    } else {
      return std::move(problem);
    }
  }
  if (traces.empty()) {
    return without_header.front();
  }
  std::vector<std::string> notes;
  for (const TraceProblem& problem : without_header) {
    notes.push_back(problem.sentence);
  }
  if (show_progress) {
    reader.on_progress([&](std::uint64_t bytes) {
      progress.bytes += bytes;
      show_progress(progress);
    });
  }
  return join(std::move(traces), std::move(notes),
              [&](const TraceFile& trace, TraceSink& sink) { return reader.read(trace.path, sink); });
}

LoadResult load_sources(std::span<TraceSource* const> sources) {
  std::vector<TraceFile> traces;
  for (TraceSource* source : sources) {
    auto header = source->header();
    if (auto* problem = std::get_if<TraceProblem>(&header)) {
      return std::move(*problem);
    }
    traces.emplace_back(source->name(), std::move(std::get<HeaderRecord>(header))).source = source;
  }
  return join(std::move(traces), {}, [](const TraceFile& trace, TraceSink& sink) { return trace.source->read(sink); });
}

/// What is thrown for want of memory becomes a problem.
template <class Load>
LoadResult guarded(Load load) {
  try {
    return load();
  } catch (const TraceRefused& refused) {
    return TraceProblem{TraceProblem::Kind::unreadable, refused.sentence};
  } catch (const std::bad_alloc&) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        "the trace does not fit into memory; read it on a larger machine."};
  } catch (const std::exception& error) {
    return TraceProblem{TraceProblem::Kind::unreadable, std::string("the trace cannot be read: ") + error.what()};
  }
}

}  // namespace

std::string text_of(TypeNumber number) { return "T" + std::to_string(number.value); }

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
  // Nobody saw whether an adopted type had been committed.
  const auto missing = static_cast<std::int64_t>(counters.created) - static_cast<std::int64_t>(counters.committed);
  return is_f90(combiner) ? 0 : std::max<std::int64_t>(missing, 0);
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

std::string_view Job::word(std::string_view text) {
  if (const auto known = words_.find(text); known != words_.end()) {
    return *known;
  }
  return *words_.emplace(text).first;
}

LoadResult load_job(std::span<const std::filesystem::path> paths, const ShowProgress& show_progress) {
  return guarded([&] { return load_unguarded(paths, show_progress); });
}

LoadResult load_job(std::span<TraceSource* const> sources) {
  return guarded([&] { return load_sources(sources); });
}

}  // namespace ddtscope
