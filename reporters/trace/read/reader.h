// Reads the trace file of one rank, or a merged one of all (FORMAT.md), record by record, checking everything that it
// uses: a file may be larger than the memory.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "decoder/definition/basic_type.h"
#include "decoder/definition/combiner.h"
#include "decoder/definition/definition.h"
#include "decoder/definition/envelope.h"
#include "reporters/trace/format/buffer_place.h"
#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/rank_ranges.h"
#include "reporters/trace/format/records.h"
#include "reporters/trace/format/use_parameter.h"
#include "reporters/trace/format/world.h"
#include "reporters/trace/read/pending_records.h"

namespace ddtscope {

/// Why a trace cannot be used: one sentence that says where, what, and what to do.
struct TraceProblem {
  enum class Kind : std::uint8_t {
    unreadable,  // missing, damaged, or no trace
    no_header,   // a file whose process was stopped before its first line was whole
    usage,       // a good trace, asked for wrongly: several jobs, an ambiguous name
  };
  Kind kind = Kind::unreadable;
  std::string sentence;
};

/// Of a trace of a format that is newer than what is read here: what it has, and what to do about it.
std::string newer_format(std::uint64_t version);

/// An oldtype: a definition of the same file or the name of a predefined type.
using OldtypeRecord = std::variant<DefinitionNumber, std::string_view>;

struct DefinitionRecord {
  std::size_t line = 0;
  Key key = 0;
  FrameNumber site;
  std::string_view called;
  bool adopted = false;
  Combiner combiner = Combiner::named;
  Form form = Form::int_counts;
  Contents contents;  // integers expanded; the datatypes are not in it, but below
  std::vector<OldtypeRecord> oldtypes;
  ObservedBounds observed;
  std::optional<std::int64_t> alignment;  // where the line says it, as those of old versions do
};

struct NameRecord {
  DefinitionNumber definition;
  std::string name;
};

/// The counters of one definition at one call site; in a merged trace of some ranks, and maybe unknown.
struct InstancesRecord {
  DefinitionNumber definition;
  FrameNumber site;
  std::string_view called, binding;
  std::uint64_t created = 0, adopted = 0, committed = 0, freed = 0;
  bool known = true;
  std::uint32_t first_range = 0, ranges = 0;  // among FileEnd::ranges
};

/// Uses of a type by one argument of one function, from one call site.
struct UsesRecord {
  OldtypeRecord type;  // the name of a predefined type is kept
  std::string_view called, binding;
  trace::UseParameter parameter = trace::UseParameter::none;
  FrameNumber site;
  trace::UseCounts counts = {};
  std::vector<RankRange> ranks;  // in a merged trace
};

/// The other one of two arguments that are wrong together.
struct OtherArgumentRecord {
  OldtypeRecord type;  // the name of a predefined type is kept
  std::string_view called, argument;
  FrameNumber site;
  std::string_view access;
  std::uint64_t elements = 0;
  std::int64_t distance = 0;
  bool is_of_same_call = false;
};

/// What was found wrong with a call before the library got it.
struct CallFindingRecord {
  std::string_view finding, severity;  // words of a version that may be newer
  std::optional<OldtypeRecord> type;   // the name of a predefined type is kept
  std::string_view called, binding, argument;
  FrameNumber site;
  std::string message;
  std::string_view freed_by;  // empty where the type was not freed, or nobody knows where
  FrameNumber freed_at;
  std::uint64_t count = 1;       // 0: nothing was wrong after all
  std::vector<RankRange> ranks;  // in a merged trace
  std::string_view access;       // of the argument; with `other` alone, as the next one
  std::uint64_t elements = 0;
  std::optional<OtherArgumentRecord> other = std::nullopt;
};

/// Where the program stopped a part of the recording, or started it again.
struct SwitchRecord {
  std::string_view of;
  bool is_off = false;
  std::int64_t level = 0;
  std::string_view called, binding;
  FrameNumber site;
  std::string time;
  std::uint64_t count = 1;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// A communicator that the program made.
struct CommunicatorRecord {
  std::optional<Key> name;  // the same in all its processes; none where these could not know it
  std::string_view called, binding;
  FrameNumber site;
  std::vector<GroupRuns> groups;  // one, or two of an intercommunicator; none where they are not told
  std::vector<RankRange> ranks;   // in a merged trace
};

/// One side of a message: what was sent or received at one place.
struct OperationRecord {
  std::optional<OldtypeRecord> type;  // the name of a predefined type is kept; without elements there may be none
  std::uint64_t elements = 0;
  std::string_view called, binding;
  trace::UseParameter parameter = trace::UseParameter::none;
  FrameNumber site;
};

/// Operations in order, folded: fewer than 2^63 of them. The elements' numbers are those of operations, of
/// collective ones, or of events of windows.
struct SequenceRecord {
  SequenceOf of = SequenceOf::operations;
  std::vector<SequenceElement> elements;
};

/// Blocks of one side of a collective operation, one behind the other, that are alike.
struct BlockRunRecord {
  std::uint64_t times = 1;
  std::optional<OldtypeRecord> type;  // the name of a predefined type is kept; without elements there may be none
  std::uint64_t elements = 0;         // of each block
};

struct CollectiveSideRecord {
  CollectiveSideIs is = CollectiveSideIs::none;
  std::vector<BlockRunRecord> runs;  // fewer than 2^32 blocks
};

/// A call of a collective operation, as a process made it.
struct CollectiveRecord {
  std::string_view called, binding;
  FrameNumber site;
  CollectiveRoot root;
  std::string_view op;  // empty where there is none
  CollectiveSideRecord send, receive;
};

/// The collective operations of one communicator, of one process.
struct CollectivesRecord {
  CommunicatorNumber communicator;
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // where it has no line
  SequenceNumber sequence;                                           // of collectives
  std::optional<UndecidedFrom> undecided;
  std::optional<Rank> rank;              // in a merged trace
  std::optional<Neighbours> neighbours;  // none where they are not told
};

/// Channels of one process that had the same sequence.
struct ChannelsRecord {
  CommunicatorNumber communicator;
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // where it has no line
  ChannelDirection direction = ChannelDirection::send;
  SequenceNumber sequence;
  bool is_partitioned = false, is_unordered = false;
  std::optional<UndecidedFrom> undecided;
  std::vector<ChannelEnd> channels;
  std::optional<Rank> rank;  // in a merged trace
};

/// Says that the messages of a process, or in a merged trace of some, are whole, but for these.
struct MessagesRecord {
  std::vector<MessagesLeftOut> left_out;
  std::vector<RankRange> ranks;
};

/// Where a buffer was when a call got it.
struct BufferRecord {
  OldtypeRecord type;          // the name of a predefined type is kept
  std::uint64_t elements = 0;  // of that one buffer
  std::string_view called, binding;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<std::uint64_t> position;  // in arrays of v- and w-collectives
  std::optional<ArrayDescriptor> descriptor;
  FrameNumber site;
  BufferPlace place;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// A window that the program made.
struct WindowRecord {
  Key name = 0;  // the same in all its processes
  WindowFlavour flavour = WindowFlavour::create;
  std::optional<std::int64_t> size, displacement_unit;  // in bytes; none of a dynamic one
  std::string_view called, binding;
  FrameNumber site;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// The program gave this name to a window.
struct WindowNameRecord {
  WindowNumber window;
  std::string name;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// One-sided calls of one place that reached the same target with the same type and count.
struct AccessesRecord {
  WindowNumber window;
  std::int64_t target = 0;  // a rank in MPI_COMM_WORLD
  OldtypeRecord type;       // the name of a predefined type is kept
  std::uint64_t elements = 0;
  std::string_view called, binding;
  trace::UseParameter parameter = trace::UseParameter::none;
  FrameNumber site;
  std::int64_t lowest = 0, highest = 0;  // displacements, in the target's units
  std::uint64_t count = 0;
  std::vector<RankRange> ranks;  // in a merged trace: each of them did the same
};

/// Files that the program opened by one call.
struct OpenedFileRecord {
  std::string name;               // as the program gave it
  std::string_view communicator;  // "MPI_COMM_WORLD", "MPI_COMM_SELF", or its name; empty where it has none
  std::string_view mode;          // in words
  std::string_view called, binding;
  FrameNumber site;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// Views of a file that differ in their displacement alone.
struct ViewRecord {
  OpenedFileNumber file;
  OldtypeRecord etype, filetype;  // the names of predefined types are kept
  std::string_view datarep;
  std::optional<std::int64_t> lowest, highest;  // displacements, in bytes; none: MPI_DISPLACEMENT_CURRENT
  std::string_view called, binding;
  FrameNumber site;
  std::uint64_t count = 0;
  std::vector<RankRange> ranks;  // in a merged trace: each of them did the same
};

/// Calls of one place that read or wrote a file as the same type.
struct FileAccessesRecord {
  OpenedFileNumber file;
  OldtypeRecord type;          // the name of a predefined type is kept
  std::uint64_t elements = 0;  // of all calls
  std::string_view called, binding;
  trace::UseParameter parameter = trace::UseParameter::none;
  FrameNumber site;
  std::uint64_t count = 0;
  std::vector<RankRange> ranks;  // in a merged trace: each of them did the same
};

/// Something that a process did about a window. What a kind has says records.h.
struct WindowEventRecord {
  WindowEventKind kind = WindowEventKind::fence;
  std::string_view called, binding;
  FrameNumber site;
  WindowAsserts asserts;
  AccumulateOrdering ordering;
  std::optional<std::int64_t> target;  // in MPI_COMM_WORLD; none: all
  bool is_exclusive = false;
  GroupRuns group;  // in MPI_COMM_WORLD
  // Of an access: what it has at the target. Some that are alike are one, whose displacement grows by `step`.
  std::optional<OldtypeRecord> type;  // the name of a predefined type is kept
  std::uint64_t elements = 0;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::int64_t displacement = 0, step = 0;
  std::uint64_t times = 1;
  std::string_view op;  // empty where there is none
};

/// What a process did about a window, in its order.
struct EpochsRecord {
  WindowNumber window;
  SequenceNumber sequence;  // of events of windows
  std::optional<UndecidedFrom> undecided;
  std::vector<RankRange> ranks;  // in a merged trace: each of them did the same
};

/// All memory that a process ever attached to a dynamic window: ascending, apart.
struct AttachedRecord {
  WindowNumber window;
  std::vector<AttachedRange> ranges;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// What a process is in the middle of: the file beside its trace.
struct PendingRecord {
  std::string problem;  // why nothing is known, as a sentence; else empty
  PendingFile file;
  std::vector<OperationRecord> operations;  // those of the file
};

/// What is known once all lines have been read.
struct FileEnd {
  std::deque<InstancesRecord> instances;
  std::vector<RankRange> ranges;
  bool counted = false;        // whether `instances` are known: all that is not among them is zero
  bool some_left_out = false;  // then not: some counters found no room on the disk
  std::vector<UnrecordedRecord> unrecorded;
  std::vector<FailedCallsRecord> failed_calls;
  std::vector<UsesRecord> uses;
  std::vector<CallFindingRecord> findings;
  std::vector<SwitchRecord> switches;
  std::vector<CommunicatorRecord> communicators;
  std::vector<OperationRecord> operations;
  std::vector<SequenceRecord> sequences;
  std::vector<ChannelsRecord> channels;
  std::vector<CollectiveRecord> collective_operations;
  std::vector<CollectivesRecord> collectives;
  std::vector<MessagesRecord> messages;  // none where nobody knows which there were
  std::vector<BufferRecord> buffers;
  std::vector<WindowRecord> windows;
  std::vector<WindowNameRecord> window_names;
  std::vector<AccessesRecord> accesses;
  std::vector<OpenedFileRecord> files;
  std::vector<ViewRecord> views;
  std::vector<FileAccessesRecord> file_accesses;
  std::vector<WindowEventRecord> window_events;
  std::vector<EpochsRecord> epochs;
  std::vector<AttachedRecord> attached;
  std::optional<PendingRecord> pending;
  std::vector<OperationRecord> window_calls;  // of windows that are alive in a process's memory, in the order in which
                                              // these tell of them
  std::optional<std::string> stopped;         // why the file takes no more lines, though the process went on
  std::optional<EndRecord> end;
  bool last_line_cut = false;
  std::set<std::string> unknown_kinds;  // of records, that a newer version may know; the first few
};

/// A sink throws this to refuse the file, saying why in a sentence that names the place.
struct TraceRefused {
  std::string sentence;
};

/// Calls `read`, and makes a problem of what it throws. `name` is the file's, or empty.
template <class Read>
auto guarded_read(const std::string& name, const Read& read) -> decltype(read()) {
  const auto problem = [&](const std::string& sentence) {
    return TraceProblem{TraceProblem::Kind::unreadable, name.empty() ? sentence : name + ": " + sentence};
  };
  try {
    return read();
  } catch (const TraceRefused& refused) {
    return TraceProblem{TraceProblem::Kind::unreadable, refused.sentence};
  } catch (const std::bad_alloc&) {
    return problem("the trace does not fit into memory; read it on a larger machine.");
  } catch (const std::exception& error) {
    return problem(std::string("the trace cannot be read: ") + error.what());
  }
}

/// Takes what the lines of one file say, in their order. What it is lent lives for the call only, but for the text of
/// `called` and `binding`, which lives as long as the TraceReader.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void header(HeaderRecord&& record) = 0;
  virtual void predefined(const PredefinedType& type) = 0;  // one that the header does not list
  virtual void module(ModuleRecord&& record) = 0;
  virtual void frame(const FrameRecord& record) = 0;
  virtual void definition(DefinitionRecord& record) = 0;  // may take the contents away
  virtual void name(NameRecord&& record) = 0;
  virtual void difference(DifferenceRecord&& record) = 0;
  virtual void process(ProcessRecord&& record) = 0;  // this and the next in a merged trace
  virtual void note(std::string&& sentence) = 0;
  virtual void end(FileEnd&& end) = 0;
};

/// Reads files one after the other. Never throws.
class TraceReader {
 public:
  TraceReader();
  ~TraceReader();

  /// All of one file, and the counters beside it where it has none itself. What is wrong, if anything is; the sink has
  /// then seen what stands above.
  std::optional<TraceProblem> read(const std::filesystem::path& file, TraceSink& sink);
  /// The first line only.
  std::variant<HeaderRecord, TraceProblem> read_header(const std::filesystem::path& file);
  /// Called with each number of bytes that have been read since the last call.
  void on_progress(std::function<void(std::uint64_t)> act);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Reads lines of a process's trace that stand somewhere else than in its file: in the process's memory. Its
/// definitions are told to the sink by somebody else, who numbers them.
class TraceLineReader {
 public:
  explicit TraceLineReader(TraceSink& sink);
  ~TraceLineReader();
  TraceLineReader(const TraceLineReader&) = delete;
  TraceLineReader& operator=(const TraceLineReader&) = delete;

  /// Where a line belongs among the others: lines are to be read in ascending order.
  enum class Kind : std::uint8_t { header, predefined, module, frames, other };
  struct Place {
    Kind kind = Kind::other;
    std::uint64_t number = 0;  // of the module or the first frame; of a header its format's version
    friend constexpr auto operator<=>(const Place&, const Place&) = default;
  };
  /// Empty where the line is not JSON.
  std::optional<Place> place_of(std::string_view line);
  /// What is wrong with the line, in a clause, if anything is.
  std::optional<std::string> read(std::string_view line);
  /// Numbers of definitions below this one may be named by the lines that follow.
  void set_definitions(std::size_t definitions);
  /// How many have been read.
  std::size_t frames() const;
  std::size_t modules() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// One process's trace, wherever it is kept.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  /// What messages call it.
  virtual const std::filesystem::path& name() const = 0;
  virtual std::variant<HeaderRecord, TraceProblem> header() = 0;
  /// As TraceReader::read.
  virtual std::optional<TraceProblem> read(TraceSink& sink) = 0;
};

}  // namespace ddtscope
