#include "reporters/merge/merge.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "reporters/model/worlds.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::reporters {
namespace {

/// Frames have the numbers in the merged file that they have in the job.
FrameNumber number_of(const std::optional<FrameIndex>& frame) {
  return frame ? FrameNumber{frame->value} : FrameNumber{};
}

trace::Counts counts_of(const Counters& counters, FrameNumber site) {
  return {site, counters.created, counters.adopted, counters.committed, counters.freed};
}

/// The ranks of all its instances, as far as any is known.
RankRanges ranks_of(std::span<const Instances> instances) {
  std::vector<RankRange> all;
  for (const Instances& part : instances) {
    all.insert(all.end(), part.ranks().ranges().begin(), part.ranks().ranges().end());
  }
  return joined_ranks(std::move(all));
}

/// Modules, too, have the numbers that they have in the job.
BufferPlace place_in_file(const JobPlace& place) {
  if (const auto* at = std::get_if<StaticPlaceIn<ModuleIndex>>(&place)) {
    return StaticPlaceIn<ModuleNumber>{{at->module.value}, at->offset};
  }
  if (const auto* at = std::get_if<ThreadPlaceIn<ModuleIndex>>(&place)) {
    return ThreadPlaceIn<ModuleNumber>{{at->module.value}, at->offset};
  }
  if (const auto* stack = std::get_if<StackPlace>(&place)) return *stack;
  if (const auto* heap = std::get_if<HeapPlace>(&place)) return *heap;
  return std::get<NoPlace>(place);
}

class Merger {
 public:
  Merger(const Job& job, trace::Writer& writer) : job_(job), worlds_(worlds_of(job)), writer_(writer) {}

  void write() {
    write_header();
    for (const JobRank& rank : job_.ranks) write_process(rank);
    for (const std::string& note : job_.notes) writer_.note(note);
    for (std::uint32_t i = 0; i < job_.modules.size(); ++i) {
      const ModuleRecord& module = job_.modules[i];
      writer_.module({i}, module.path, module.build_id.value_or(""), module.function.value_or(""));
    }
    write_frames();
    for (const JobType& type : job_.types) write_type(type);
    for (const JobDifference& difference : job_.differences) {
      const auto ranges = difference.ranks.ranges();
      writer_.difference({difference.subject,
                          difference.computed,
                          difference.library,
                          numbers_[job_.type(difference.type).definition],
                          {ranges.begin(), ranges.end()}});
    }
    write_failed_calls();
    write_uses();
    write_findings();
    write_switches();
    write_communicators();
    write_messages();
    write_buffers();
    write_windows();
    write_accesses();
    write_files();
    write_epochs();
    write_end();
  }

 private:
  void write_header() {
    const HeaderRecord& first = job_.header();
    HeaderRecord header;
    header.merged = true;
    header.tool = first.tool;
    header.job = first.job;
    header.library_name = first.library_name;
    header.library_abi = first.library_abi;
    header.library_version = first.library_version;
    header.library_standard = first.library_standard;
    header.host = first.host;
    header.pid = first.pid;
    header.size = first.size;
    const std::vector<JobWorld>& worlds = worlds_;
    if (worlds.size() == 1) {
      header.world = worlds.front().number;
      header.spawned_by = worlds.front().spawned_by;
      header.launcher_job = first.launcher_job;
    } else {
      for (const JobWorld& world : worlds) {
        header.worlds.push_back({world.number, world.spawned_by, world.size, world.programs.front(), world.arguments});
      }
    }
    header.program = first.program;
    header.arguments = first.arguments;
    header.started = first.started;
    header.stack_depth = first.stack_depth;
    header.verify = first.verify;
    for (const RecordedPart& part : recorded_parts) header.*part.of_header = first.*part.of_header;
    header.switched_off = first.switched_off;
    for (const JobRank& rank : job_.ranks) {
      const std::vector<std::string>& also = rank.header.switched_off;
      std::erase_if(header.switched_off,
                    [&](const std::string& one) { return std::find(also.begin(), also.end(), one) == also.end(); });
    }
    header.control_variables = first.control_variables;
    trace::add_types(header, job_.store);
    writer_.header(header);
  }

  void write_process(const JobRank& rank) {
    ProcessRecord line;
    line.rank = rank.header.rank;
    line.host = rank.header.host;
    line.pid = rank.header.pid;
    line.started = rank.header.started;
    const auto world = std::find_if(worlds_.begin(), worlds_.end(), [&](const JobWorld& known) {
      return worlds_.size() > 1 && rank.header.rank && known.number == rank.header.world;
    });
    const bool is_header_s = world == worlds_.end();
    const std::string& program = is_header_s ? job_.header().program : world->programs.front();
    const std::vector<std::string>& arguments = is_header_s ? job_.header().arguments : world->arguments;
    if (rank.header.program != program || rank.header.arguments != arguments) {
      line.program = rank.header.program;
      line.arguments = rank.header.arguments;
    }
    line.verify = rank.header.verify;
    for (const RecordedPart& part : recorded_parts) {
      const bool is_recorded = rank.header.*part.of_header;
      if (is_recorded != job_.header().*part.of_header) line.*part.of_process = is_recorded;
    }
    line.end = rank.end;
    line.stopped = rank.stopped;
    line.last_line_cut = rank.last_line_cut;
    if (rank.counters) {
      const trace::Counts counts = counts_of(*rank.counters, {});
      line.counts = {counts.created, counts.adopted, counts.committed, counts.freed};
    }
    writer_.process(line);
  }

  /// Callers stand before those that they call: each chain that goes on from the last frame is one line.
  void write_frames() {
    std::vector<trace::Frame> chain;
    for (std::uint32_t i = 0; i < job_.frames.size();) {
      const std::uint32_t first = i;
      chain.clear();
      do {
        const JobFrame& frame = job_.frames[i++];
        chain.push_back({frame.module ? ModuleNumber{frame.module->value} : ModuleNumber{}, frame.offset});
      } while (i < job_.frames.size() && job_.frames[i].caller == FrameIndex{i - 1});
      writer_.frames({first}, number_of(job_.frames[first].caller), chain);
    }
  }

  void write_type(const JobType& type) {
    const InstancesTable::Range range = job_.instances.of(type.number);
    const std::vector<Instances> instances(range.begin(), range.end());
    const RankRanges ranks = ranks_of(instances);
    const Instances* const first = instances.empty() ? nullptr : &instances.front();
    numbers_.give(type.definition);
    layouts_.make_room(layout_memory);
    writer_.definition({type.definition, first != nullptr ? number_of(first->site) : FrameNumber{},
                        first != nullptr ? first->called : std::string_view(), type.adopted, ranks.ranges()},
                       layouts_, numbers_);
    for (const std::string& name : job_.names(type.number)) writer_.name(numbers_[type.definition], name);
    // Those of one entry point stand in one line.
    for (auto begin = instances.begin(); begin != instances.end();) {
      const auto end = std::find_if(begin, instances.end(), [&](const Instances& part) {
        return part.called != begin->called || part.binding != begin->binding;
      });
      std::vector<trace::RankCounts> counts;
      for (auto part = begin; part != end; ++part) {
        counts.push_back({counts_of(part->counters.value_or(Counters{}), number_of(part->site)),
                          part->counters.has_value(), part->ranks().ranges()});
      }
      writer_.instances(trace::RankInstancesLine{numbers_[type.definition], begin->called, begin->binding, counts});
      begin = end;
    }
  }

  /// Those of one entry point and error class stand in one line.
  void write_failed_calls() {
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<FailedCallsRecord>> lines;
    for (const FailedCalls& calls : job_.failed_calls) {
      const auto ranks = calls.ranks.ranges();
      lines[{calls.called, calls.binding, calls.error_class}].push_back({calls.called,
                                                                         calls.binding,
                                                                         calls.error_class,
                                                                         number_of(calls.site),
                                                                         calls.count,
                                                                         {ranks.begin(), ranks.end()}});
    }
    for (const auto& [what, of_line] : lines) writer_.failed_calls(of_line);
  }

  /// Those of one type, function and argument stand in one line.
  void write_uses() {
    using Line = std::tuple<std::uint32_t, std::string_view, std::string_view, trace::UseParameter>;
    std::map<Line, std::vector<trace::SiteUses>> lines;
    for (const TypeUse& use : job_.uses) {
      lines[{use.type.value, use.called, use.binding, use.parameter}].push_back(
          {number_of(use.site), use.counts, use.ranks.ranges()});
    }
    for (const auto& [what, sites] : lines) {
      trace::UsesLine line;
      line.called = std::get<1>(what);
      line.binding = std::get<2>(what);
      line.parameter = std::get<3>(what);
      line.sites = sites;
      const DefinitionId type{std::get<0>(what)};
      set_type(line, type);
      writer_.uses(line);
    }
  }

  void write_findings() {
    std::uint32_t number = 0;
    for (const CallFinding& found : job_.call_findings) {
      trace::FindingLine line;
      line.number = {number++};
      line.finding = found.finding;
      line.severity = found.severity;
      if (found.type) set_type(line, *found.type);
      line.called = found.called;
      line.binding = found.binding;
      line.argument = found.argument;
      line.site = number_of(found.site);
      line.message = found.message;
      line.freed_by = found.freed_by;
      line.freed_at = number_of(found.freed_at);
      line.count = found.count;
      line.ranks = found.ranks.ranges();
      if (found.other) add_other(line, found);
      writer_.finding(line);
    }
  }

  /// How many elements which argument of which call had, and where that was.
  template <class Line, class One>
  void set_argument(Line& line, const One& one) const {
    line.elements = one.elements;
    line.called = one.called;
    line.binding = one.binding;
    line.parameter = one.parameter;
    line.site = number_of(one.site);
  }

  /// By number where it is a definition, else by name.
  template <class Line>
  void set_type(Line& line, DefinitionId type) const {
    if (job_.number_of(type).valid()) {
      line.definition = numbers_[type];
    } else {
      line.predefined = job_.store.predefined()[job_.store[type].predefined].name;
    }
  }

  void add_other(trace::FindingLine& line, const CallFinding& found) {
    const OtherArgument& other = *found.other;
    line.access = found.access;
    line.elements = found.elements;
    line.other.emplace();
    set_type(*line.other, other.type);
    line.other->called = other.called;
    line.other->argument = other.argument;
    line.other->site = number_of(other.site);
    line.other->access = other.access;
    line.other->elements = other.elements;
    line.other->distance = other.distance;
    line.other->is_of_same_call = other.is_of_same_call;
  }

  void write_switches() {
    std::uint32_t number = 0;
    for (const RecordingSwitch& one : job_.switches) {
      writer_.recording_switch({.number = {number++},
                                .of = one.of,
                                .state = one.is_off ? "off" : "on",
                                .level = static_cast<int>(one.level),
                                .called = one.called,
                                .binding = one.binding,
                                .site = number_of(one.site),
                                .time = one.time,
                                .count = one.count,
                                .ranks = one.ranks.ranges()});
    }
  }

  void write_communicators() {
    std::uint32_t number = 0;
    for (const JobCommunicator& one : job_.communicators) {
      writer_.communicator({.number = {number++},
                            .name = one.name,
                            .called = one.called,
                            .binding = one.binding,
                            .site = number_of(one.site),
                            .groups = one.groups,
                            .ranks = one.ranks.ranges()});
    }
  }

  void write_messages() {
    const JobMessages& messages = job_.messages;
    std::uint32_t number = 0;
    for (const MessageOperation& one : messages.operations) {
      trace::OperationLine line;
      line.number = {number++};
      if (one.type) set_type(line, *one.type);
      set_argument(line, one);
      writer_.operation(line);
    }
    number = 0;
    for (const std::vector<SequenceElement>& sequence : messages.sequences) writer_.sequence({number++}, sequence);
    for (const RankChannels& channels : messages.channels) {
      trace::ChannelsLine line;
      if (channels.communicator) line.communicator = {channels.communicator->value};
      line.predefined = channels.predefined;
      line.direction = channels.direction;
      line.sequence = {channels.sequence.value};
      line.is_partitioned = channels.is_partitioned;
      line.is_unordered = channels.is_unordered;
      line.undecided = channels.undecided;
      line.channels = channels.ends;
      line.rank = channels.rank;
      writer_.channels(line);
    }
    write_collectives(number);
    for (const KnownMessages& known : messages.known) writer_.messages(known.left_out, known.ranks.ranges());
  }

  /// `sequences` have been written.
  void write_collectives(std::uint32_t sequences) {
    const JobMessages& messages = job_.messages;
    std::uint32_t number = 0;
    std::vector<trace::BlockRunLine> sent, received;
    for (const CollectiveOperation& one : messages.collective_operations) {
      writer_.collective({{number++},
                          one.called,
                          one.binding,
                          number_of(one.site),
                          one.root,
                          one.op,
                          side_line(one.send, sent),
                          side_line(one.receive, received)});
    }
    number = sequences;
    for (const std::vector<SequenceElement>& sequence : messages.collective_sequences) {
      writer_.sequence({number++}, sequence, SequenceOf::collectives);
    }
    for (const RankCollectives& one : messages.collectives) {
      trace::CollectivesLine line;
      if (one.communicator) line.communicator = {one.communicator->value};
      line.predefined = one.predefined;
      line.sequence = {sequences + one.sequence.value};
      line.undecided = one.undecided;
      line.rank = one.rank;
      if (one.neighbours) line.neighbours = &*one.neighbours;
      writer_.collectives(line);
    }
  }

  /// `runs` are what it refers to.
  trace::CollectiveSideLine side_line(const CollectiveSide& side, std::vector<trace::BlockRunLine>& runs) {
    runs.clear();
    for (const BlockRun& run : side.runs) {
      trace::BlockRunLine line;
      line.times = run.times;
      line.elements = run.elements;
      if (run.type) set_type(line, *run.type);
      runs.push_back(line);
    }
    return {side.is, runs};
  }

  void write_buffers() {
    std::uint32_t number = 0;
    for (const JobBuffer& one : job_.buffers) {
      const BufferPlace place = place_in_file(one.place);
      trace::BufferLine line;
      line.number = {number++};
      set_type(line, one.type);
      set_argument(line, one);
      line.position = one.position;
      line.descriptor = one.descriptor;
      line.place = &place;
      line.ranks = one.ranks.ranges();
      writer_.buffer(line);
    }
  }

  void write_windows() {
    std::uint32_t number = 0;
    for (const JobWindow& one : job_.windows) {
      trace::WindowLine line;
      line.number = {number++};
      line.name = one.name;
      line.flavour = one.flavour;
      line.size = one.size;
      line.displacement_unit = one.displacement_unit;
      line.called = one.called;
      line.binding = one.binding;
      line.site = number_of(one.site);
      line.ranks = one.ranks.ranges();
      writer_.window(line);
    }
    for (const JobWindowName& one : job_.window_names) {
      writer_.window_name({.window = {one.window.value}, .name = one.name, .ranks = one.ranks.ranges()});
    }
  }

  void write_epochs() {
    std::uint32_t number = 0;
    for (const WindowEvent& one : job_.window_events) {
      trace::WindowEventLine line;
      line.number = {number++};
      line.kind = one.kind;
      line.asserts = one.asserts;
      line.ordering = one.ordering;
      line.target = one.target;
      line.is_exclusive = one.is_exclusive;
      line.group = one.group;
      if (one.type) set_type(line, *one.type);
      set_argument(line, one);
      line.displacement = one.displacement;
      line.step = one.step;
      line.times = one.times;
      line.op = one.op;
      writer_.window_event(line);
    }
    const auto before =
        static_cast<std::uint32_t>(job_.messages.sequences.size() + job_.messages.collective_sequences.size());
    number = before;
    for (const std::vector<SequenceElement>& sequence : job_.window_sequences) {
      writer_.sequence({number++}, sequence, SequenceOf::window_events);
    }
    for (const JobEpochs& one : job_.epochs) {
      writer_.epochs({.window = {one.window.value},
                      .sequence = {before + one.sequence},
                      .undecided = one.undecided,
                      .ranks = one.ranks.ranges()});
    }
    for (const JobAttached& one : job_.attached) {
      writer_.attached({.window = {one.window.value}, .ranges = one.ranges, .ranks = one.ranks.ranges()});
    }
  }

  void write_accesses() {
    for (const JobAccesses& one : job_.accesses) {
      trace::AccessesLine line;
      line.window = {one.window.value};
      line.target = one.target;
      set_type(line, one.type);
      set_argument(line, one);
      line.lowest = one.lowest;
      line.highest = one.highest;
      line.count = one.count;
      line.ranks = one.ranks.ranges();
      writer_.accesses(line);
    }
  }

  void write_files() {
    std::uint32_t number = 0;
    for (const JobFile& one : job_.files) {
      writer_.opened_file({.number = {number++},
                           .name = one.name,
                           .communicator = one.communicator,
                           .mode = one.mode,
                           .called = one.called,
                           .binding = one.binding,
                           .site = number_of(one.site),
                           .ranks = one.ranks.ranges()});
    }
    for (const JobView& one : job_.views) {
      trace::ViewLine line;
      line.file = {one.file.value};
      set_type(line.etype, one.etype);
      set_type(line.filetype, one.filetype);
      line.datarep = one.datarep;
      line.is_at_current = !one.lowest;
      line.lowest = one.lowest.value_or(0);
      line.highest = one.highest.value_or(0);
      line.called = one.called;
      line.binding = one.binding;
      line.site = number_of(one.site);
      line.count = one.count;
      line.ranks = one.ranks.ranges();
      writer_.view(line);
    }
    for (const JobFileAccesses& one : job_.file_accesses) {
      trace::FileAccessesLine line;
      line.file = {one.file.value};
      set_type(line, one.type);
      set_argument(line, one);
      line.count = one.count;
      line.ranks = one.ranks.ranges();
      writer_.file_accesses(line);
    }
  }

  void write_end() {
    std::vector<UnrecordedRecord> unrecorded;
    for (const Unrecorded& lost : job_.unrecorded) {
      const auto ranges = lost.ranks.ranges();
      unrecorded.push_back({lost.called, lost.count, lost.why, number_of(lost.site), {ranges.begin(), ranges.end()}});
    }
    std::string ended;
    for (const JobRank& rank : job_.ranks) {
      if (rank.end) ended = std::max(ended, rank.end->ended);
    }
    writer_.end({.complete = job_.complete(), .reason = "merged", .ended = ended}, unrecorded);
  }

  const Job& job_;
  Layouts layouts_{job_.store, job_.observed_bounds};  // of the types that are written next
  std::vector<JobWorld> worlds_;
  trace::Writer& writer_;
  trace::DefinitionNumbers numbers_;
};

}  // namespace

std::optional<TraceProblem> write_merged(const Job& job, const std::filesystem::path& file) {
  const std::filesystem::path unfinished = file.string() + ".unfinished";
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);  // of one that was killed
  const auto problem = [&](int error) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() + ": the trace cannot be written (" + std::strerror(error) + ")."};
  };
  trace::Writer writer;
  if (!writer.create(unfinished)) return problem(errno);
  writer.collect_lines();
  Merger(job, writer).write();
  const int error = writer.publish(file);
  if (error == 0) return std::nullopt;
  writer.remove();
  return problem(error);
}

}  // namespace ddtscope::reporters
