// One job as its traces describe it: the ranks' definitions, call sites and counters joined. Everything
// that can be computed from a definition is left to the decoder, over `store` and `layouts`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "decoder/bounds/library_versions.h"
#include "decoder/definition/definition.h"
#include "decoder/definition/observed.h"
#include "decoder/layout/layout.h"
#include "reporters/model/ids.h"
#include "reporters/model/instances.h"
#include "reporters/model/messages.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::reporters {

struct JobFrame {
  std::optional<FrameIndex> caller;
  std::optional<ModuleIndex> module;
  std::uint64_t offset = 0;  // in the module's address space; absolute without a module
  /// Stands for callers, or for a call site, that its process had no memory for.
  bool is_not_recorded() const { return !module && offset == 0; }
};

std::string text_of(const RankRanges& ranks);  // "0-3, 7, 2.0-2.3"
/// Of how many processes a line is that these have: without ranks it is one process's own.
inline std::uint64_t processes_of(const RankRanges& ranks) { return std::max<std::uint64_t>(ranks.size(), 1); }
/// All ranks of ranges that may lie over each other, in any order.
RankRanges joined_ranks(std::vector<RankRange> ranges);
/// Adds them: costs little where they stand behind those that are there, or are there already.
void join_ranks(RankRanges& ranks, const RankRanges& more);

struct JobType {
  TypeNumber number;
  DefinitionId definition;
  Key key = 0;
  bool adopted = false;  // seen by decoding, not made, wherever it was seen first
};

/// Lives that were not freed. Handles of F90 types are predefined: they must not be freed and are never live.
std::int64_t live(const Counters& counters, Combiner combiner);
/// Lives that nobody committed.
std::int64_t uncommitted(const Counters& counters, Combiner combiner);

struct JobDifference {
  TypeNumber type;
  RankRanges ranks;
  std::string subject;
  std::string computed, library;  // JSON text
};

/// How one process ended.
struct JobRank {
  std::filesystem::path file;
  HeaderRecord header;           // the predefined types are the first rank's only
  std::optional<EndRecord> end;  // empty: the process runs still, or was killed
  bool last_line_cut = false;
  std::optional<std::string> stopped;  // why its trace takes no more lines, though the process went on
  std::optional<Counters> counters;    // of all its types, where they are known
  bool complete() const { return end && end->complete && !stopped; }
};

struct Unrecorded {
  std::string called, why;
  std::optional<FrameIndex> site;
  std::uint64_t count = 0;
  RankRanges ranks;
};

/// Calls from one call site that returned an error.
struct FailedCalls {
  std::string_view called, binding;  // text of the job's
  std::string_view error_class;      // the same; empty where the standard has no name for it
  std::optional<FrameIndex> site;
  std::uint64_t count = 0;
  RankRanges ranks;
};

/// Uses of a type by one argument of one function, from one call site.
struct TypeUse {
  DefinitionId type;                 // a predefined one, too
  std::string_view called, binding;  // text of the job's
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<FrameIndex> site;
  trace::UseCounts counts = {};
  RankRanges ranks;
};

/// The other one of two arguments that are wrong together, of the same call or of one that was pending.
struct OtherArgument {
  DefinitionId type;                          // a predefined one, too
  std::string_view called, argument, access;  // text of the job's
  std::optional<FrameIndex> site;
  std::uint64_t elements = 0;
  std::int64_t distance = 0;  // of its buffer from the finding's, in bytes
  bool is_of_same_call = false;
};

/// What was found wrong with calls of one call site before the library got them.
struct CallFinding {
  std::string_view finding, severity;  // text of the job's, as the next ones; maybe of a newer version
  std::optional<DefinitionId> type;    // a predefined one, too
  std::string_view called, binding, argument;
  std::optional<FrameIndex> site;
  std::string message;                 // the first rank's
  std::string_view freed_by;           // empty where the type was not freed
  std::optional<FrameIndex> freed_at;  // empty: not known
  std::uint64_t count = 0;
  RankRanges ranks;
  std::string_view access;  // of the argument; with `other` alone, as the next one
  std::uint64_t elements = 0;
  std::optional<OtherArgument> other = std::nullopt;
};

/// Where the program stopped a part of the recording, or started it again: MPI_Pcontrol.
struct RecordingSwitch {
  std::string_view of;  // text of the job's, as the next ones; "uses", or what a newer version has
  bool is_off = false;
  std::int64_t level = 0;
  std::string_view called, binding;
  std::optional<FrameIndex> site;
  std::string time;  // of the first rank's first such call
  std::uint64_t count = 0;
  RankRanges ranks;
};

/// A communicator that the program made.
struct JobCommunicator {
  std::optional<Key> name;           // the same in all its processes; none where these could not know it
  std::string_view called, binding;  // text of the job's
  std::optional<FrameIndex> site;
  std::vector<GroupRuns> groups;  // one, or two of an intercommunicator; none where they are not told
  RankRanges ranks;               // that have made it there
};

using JobPlace = BufferPlaceIn<ModuleIndex>;

/// Where a buffer was when a call got it.
struct JobBuffer {
  DefinitionId type;                 // a predefined one, too
  std::uint64_t elements = 0;        // of that one buffer
  std::string_view called, binding;  // text of the job's
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<std::uint64_t> position;      // in arrays of v- and w-collectives
  std::optional<ArrayDescriptor> descriptor;  // of a Fortran compiler's
  std::optional<FrameIndex> site;
  JobPlace place;
  RankRanges ranks;
};

/// A window, as some of its processes made it.
struct JobWindow {
  Key name = 0;  // the same in all its processes
  WindowFlavour flavour = WindowFlavour::create;
  std::optional<std::int64_t> size, displacement_unit;  // in bytes, of each process's own part; none of a dynamic one
  std::string_view called, binding;                     // text of the job's
  std::optional<FrameIndex> site;
  RankRanges ranks;
};

/// A name that the program gave to a window (MPI_Win_set_name).
struct JobWindowName {
  WindowIndex window;     // as its processes made it
  std::string_view name;  // text of the job's
  RankRanges ranks;       // those that gave it
};

/// One-sided calls of one place that reached the same target with the same type and count.
struct JobAccesses {
  WindowIndex window;       // as the origins made it
  std::int64_t target = 0;  // a rank in their MPI_COMM_WORLD
  DefinitionId type;        // a predefined one, too
  std::uint64_t elements = 0;
  std::string_view called, binding;  // text of the job's
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<FrameIndex> site;
  std::int64_t lowest = 0, highest = 0;  // displacements, in the target's units
  std::uint64_t count = 0;               // of each origin
  RankRanges ranks;                      // the origins
  /// In which the ranks are counted.
  WorldNumber world() const { return ranks.empty() ? WorldNumber{} : ranks.ranges().front().world; }
};

/// Files that some processes opened by one call, alike in all of this.
struct JobFile {
  std::string name;  // as the program gave it
  /// Text of the job's: "MPI_COMM_WORLD", "MPI_COMM_SELF", or the name that the communicator has in all its processes;
  /// empty where it has none. And of words what it was opened with.
  std::string_view communicator, mode;
  std::string_view called, binding;
  std::optional<FrameIndex> site;
  RankRanges ranks;
};

/// Views of a file that differ in their displacement alone.
struct JobView {
  FileIndex file;
  DefinitionId etype, filetype;                 // predefined ones, too
  std::string_view datarep;                     // text of the job's
  std::optional<std::int64_t> lowest, highest;  // displacements, in bytes; none: MPI_DISPLACEMENT_CURRENT
  std::string_view called, binding;
  std::optional<FrameIndex> site;
  std::uint64_t count = 0;  // of each process
  RankRanges ranks;
};

/// Calls of one place that read or wrote a file as the same type.
struct JobFileAccesses {
  FileIndex file;
  DefinitionId type;           // a predefined one, too
  std::uint64_t elements = 0;  // of each process, as the next one
  std::uint64_t count = 0;
  std::string_view called, binding;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<FrameIndex> site;
  RankRanges ranks;
};

/// Something that processes did about windows. What a kind has says records.h.
struct WindowEvent {
  WindowEventKind kind = WindowEventKind::fence;
  std::string_view called, binding;  // text of the job's
  std::optional<FrameIndex> site;
  WindowAsserts asserts;
  AccumulateOrdering ordering;
  std::optional<std::int64_t> target;  // a rank in the process's MPI_COMM_WORLD; none: all
  bool is_exclusive = false;
  GroupRuns group;  // ranks in that MPI_COMM_WORLD, too
  // Of an access: what it has at the target. Some that are alike are one, whose displacement grows by `step`.
  std::optional<DefinitionId> type;  // a predefined one, too
  std::uint64_t elements = 0;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::int64_t displacement = 0, step = 0;
  std::uint64_t times = 1;
  std::string_view op;  // text of the job's; empty where there is none
  friend auto operator<=>(const WindowEvent&, const WindowEvent&) = default;
};

/// What processes did about a window, in their order.
struct JobEpochs {
  WindowIndex window;                      // as they made it
  std::uint32_t sequence = 0;              // of Job::window_sequences
  std::optional<UndecidedFrom> undecided;  // its words are text of the job's
  RankRanges ranks;                        // of one world
};

/// All memory that processes ever attached to a dynamic window: ascending, apart.
struct JobAttached {
  WindowIndex window;
  std::vector<AttachedRange> ranges;
  RankRanges ranks;
};

/// What looks at all types of a job once, one after the other, has layouts of its own and keeps no more than so many
/// bytes of them (Layouts::make_room).
inline constexpr std::size_t layout_memory = std::size_t{8} << 20;

struct Job {
  explicit Job(const LibraryConstants& constants) : store(constants), layouts(store, observed_bounds) {}

  std::vector<JobRank> ranks;       // by rank; processes without a rank last
  std::vector<Rank> missing_ranks;  // of the worlds that there are, without a readable file; at most 2^22
  std::vector<std::string> notes;   // what is odd about the files, a sentence each
  /// Of records that a newer version wrote and this one does not know: left out. In quotes, a few at most.
  std::set<std::string> unknown_kinds;
  DefinitionStore store;
  PackedObserved observed_bounds;  // what the running library reports
  Layouts layouts;                 // made when they are asked for
  std::vector<JobType> types;      // T1 first
  InstancesTable instances;
  std::vector<ModuleRecord> modules;
  std::vector<JobFrame> frames;
  std::vector<JobDifference> differences;
  std::vector<Unrecorded> unrecorded;
  std::vector<FailedCalls> failed_calls;  // most calls first
  std::vector<TypeUse> uses;              // most bytes first
  std::vector<CallFinding> call_findings;
  std::vector<RecordingSwitch> switches;
  std::vector<JobCommunicator> communicators;
  JobMessages messages;
  std::vector<RankPending> pending;  // by rank; of those that have not ended MPI
  /// Of windows that are alive, where the job is a process's memory: in the order in which these tell of them.
  std::vector<MessageOperation> window_calls;
  std::vector<JobBuffer> buffers;
  std::vector<JobWindow> windows;
  std::vector<JobWindowName> window_names;
  std::vector<JobAccesses> accesses;
  std::vector<JobFile> files;
  std::vector<JobView> views;
  std::vector<JobFileAccesses> file_accesses;
  std::vector<WindowEvent> window_events;
  std::vector<std::vector<SequenceElement>> window_sequences;  // elements' numbers are those of the events
  std::vector<JobEpochs> epochs;
  std::vector<JobAttached> attached;

  /// The types were read from text (job_of_text.h): nobody ran, and the bounds are those of this rule.
  std::optional<BoundsRule> rule_of_text;

  const HeaderRecord& header() const { return ranks.front().header; }
  bool complete() const;
  const JobType& type(TypeNumber number) const { return types[number.value - 1]; }
  /// Of all types, T1 first.
  std::vector<TypeNumber> type_numbers() const;

  /// By DefinitionId: what types of the job are made of.
  std::vector<bool> oldtypes() const;
  /// Marks all that marked definitions are made of, by DefinitionId.
  void mark_oldtypes(std::vector<bool>& marked) const;
  /// The number of a made type; invalid for a predefined one.
  TypeNumber number_of(DefinitionId id) const { return id.value < numbers.size() ? numbers[id.value] : TypeNumber{}; }
  /// Also where there is no type: invalid.
  TypeNumber number_of(std::optional<DefinitionId> id) const { return id ? number_of(*id) : TypeNumber{}; }
  /// The names that the program gave the type, each once, in order of first use.
  const std::vector<std::string>& names(TypeNumber number) const;
  void add_name(TypeNumber number, std::string name);
  /// "T3", or a predefined type's name.
  std::string name_of(DefinitionId id) const;
  const ModuleRecord& module(ModuleIndex index) const { return modules[index.value]; }
  const JobFrame& frame(FrameIndex index) const { return frames[index.value]; }
  /// Whether it is a frame of the program itself: of its executable, or of code that it has an interpreter run.
  bool is_of_program(FrameIndex index) const;
  /// The frames of a call site, innermost first.
  std::vector<FrameIndex> stack(FrameIndex site) const;
  /// What the running library reports: observed bounds, in which empty is MPI_UNDEFINED.
  ObservedBounds observed(const JobType& type) const {
    return observed_bounds.observed(type.definition).value_or(ObservedBounds{});
  }

  std::vector<TypeNumber> numbers;  // by definition

  /// The text, kept as long as the job.
  std::string_view word(std::string_view text);

 private:
  std::set<std::string, std::less<>> words_;
  std::unordered_map<std::uint32_t, std::vector<std::string>> names_;  // by TypeNumber: most types have none
};

/// How far a large trace has been read.
struct LoadProgress {
  std::uint64_t bytes = 0, bytes_of_all = 0;
};
using ShowProgress = std::function<void(const LoadProgress&)>;

using LoadResult = std::variant<std::unique_ptr<Job>, TraceProblem>;

/// Reads and joins the files that belong to one job. Never throws. `show_progress` is called every megabyte or so.
LoadResult load_job(std::span<const std::filesystem::path> paths, const ShowProgress& show_progress = {});

/// Reads and joins traces that are not in files; all sources must be of one job. Never throws.
LoadResult load_job(std::span<TraceSource* const> sources);

/// Finds a type by id ("T9"), by key, or by the name that the program gave it.
/// `source` is what a refusal calls the place of the types, and the command that lists them.
struct TypeSource {
  std::string_view name = "the trace";
  std::string_view command = "ddtscope types";
};
std::variant<TypeNumber, TraceProblem> find_type(const Job& job, const std::string& text, TypeSource source = {});

}  // namespace ddtscope::reporters
