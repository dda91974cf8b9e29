// Writes one process's trace file while the job runs, or a merged one afterwards (FORMAT.md). Not synchronised: the
// plugin's registry calls it under its own lock. It never throws except std::bad_alloc; a failed write is remembered.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/layout/layout.h"
#include "reporters/trace/format/buffer_place.h"
#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/file_number.h"
#include "reporters/trace/format/rank_ranges.h"
#include "reporters/trace/format/records.h"
#include "reporters/trace/format/use_parameter.h"
#include "reporters/trace/format/world.h"
#include "reporters/trace/write/definition_numbers.h"
#include "reporters/trace/write/json_line.h"
#include "reporters/trace/write/line_window.h"
#include "reporters/trace/write/own_file.h"

namespace ddtscope::trace {

/// Ranks as ascending [first, last].
using RankSpan = std::span<const RankRange>;

struct DefinitionLine {
  DefinitionId definition;
  FrameNumber site = {};
  std::string_view called;
  bool adopted = false;
  RankSpan ranks = {};  // in a merged trace
};

/// Definitions, and which numbers they have in the file.
struct NumberedStore {
  const DefinitionStore& store;
  const DefinitionNumbers& numbers;
};

/// A definition of a merged trace whose text another file has already.
struct DefinitionText {
  DefinitionNumber number = {};
  Key key = 0;
  FrameNumber site = {};
  std::string_view called;
  bool adopted = false;
  RankSpan ranks = {};
  std::string_view members = {};  // the others, as JSON, with this file's numbers in them
  std::string_view facts = {};    // those that are derived, as JSON; empty where nobody worked them out
};

/// What is derived of a definition that stands in the file already.
struct FactsLine {
  DefinitionNumber definition = {};
  std::string_view key;      // as JSON
  std::string_view members;  // as JSON
};

struct Frame {
  ModuleNumber module;
  std::uint64_t offset;
};

/// Counters of one definition at one call site.
struct Counts {
  FrameNumber site = {};
  std::uint64_t created, adopted, committed, freed;
};

/// Counters of one definition at one call site in some ranks; `counts` says only the site where they are unknown.
struct RankCounts {
  Counts counts;
  bool known;
  RankSpan ranks;
};

struct InstancesLine {
  DefinitionNumber definition = {};
  std::string_view called, binding;
  std::span<const Counts> counts;
};

struct RankInstancesLine {
  DefinitionNumber definition = {};
  std::string_view called, binding;
  std::span<const RankCounts> counts;
};

/// Uses of a type from one call site; in a merged trace of some ranks.
struct SiteUses {
  FrameNumber site = {};
  UseCounts counts = {};
  RankSpan ranks = {};
};

/// Uses of a type by one argument of one function.
struct UsesLine {
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::string_view called, binding;
  UseParameter parameter = UseParameter::none;
  std::span<const SiteUses> sites;
};

/// The other one of two arguments that are wrong together: of the same call, or of one that was pending.
struct OtherArgumentLine {
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::string_view called, argument;
  FrameNumber site = {};
  std::string_view access;  // "reads", "writes" or "none"
  std::uint64_t elements = 0;
  std::int64_t distance = 0;  // of its buffer from the finding's, in bytes
  bool is_of_same_call = false;
};

/// What was found wrong with a call before the library got it; in a merged trace of some ranks.
struct FindingLine {
  FindingNumber number = {};
  std::string_view finding, severity;  // as findings.def has them
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition; neither: there is no type
  std::string_view called, binding;
  std::string_view argument;  // the standard's parameter
  FrameNumber site = {};
  std::string_view message;
  FrameNumber freed_at = {};     // where the type was freed
  std::string_view freed_by;     // empty where that is not known
  std::uint64_t count = 1;       // in a merged trace
  RankSpan ranks = {};           // the same
  std::string_view access = {};  // of the argument, as the other's; with `other` alone, as the next one
  std::uint64_t elements = 0;
  std::optional<OtherArgumentLine> other = std::nullopt;
};

/// Where the program stopped a part of the recording, or started it again; in a merged trace of some ranks.
struct SwitchLine {
  SwitchNumber number = {};
  std::string_view of, state;  // "uses"; "off" or "on"
  int level = 0;               // what the program passed to MPI_Pcontrol
  std::string_view called, binding;
  FrameNumber site = {};
  std::string_view time;    // of the first such call
  std::uint64_t count = 1;  // in a merged trace
  RankSpan ranks = {};      // the same
};

/// A communicator that the program made; in a merged trace of some ranks.
struct CommunicatorLine {
  CommunicatorNumber number = {};
  std::optional<Key> name;  // the same in all its processes; none where these could not know it
  std::string_view called, binding;
  FrameNumber site = {};
  std::span<const GroupRuns> groups = {};  // none where there is no name, or they would be too long
  RankSpan ranks = {};                     // in a merged trace
};

/// One side of a message: what was sent or received at one place.
struct OperationLine {
  OperationNumber number = {};
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::uint64_t elements = 0;
  std::string_view called, binding;
  UseParameter parameter = UseParameter::none;
  FrameNumber site = {};
};

/// Channels of one communicator, direction and sequence; in a merged trace of one process.
struct ChannelsLine {
  CommunicatorNumber communicator = {};
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // where it has no line
  ChannelDirection direction = ChannelDirection::send;
  SequenceNumber sequence = {};
  bool is_partitioned = false, is_unordered = false;
  std::optional<UndecidedFrom> undecided = std::nullopt;
  std::span<const ChannelEnd> channels = {};
  std::optional<Rank> rank = std::nullopt;  // in a merged trace
};

/// Blocks of one side of a collective operation, one behind the other, that are alike.
struct BlockRunLine {
  std::uint64_t times = 1;
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition; neither: nobody need know, there are no elements
  std::uint64_t elements = 0;   // of each block
};

struct CollectiveSideLine {
  CollectiveSideIs is = CollectiveSideIs::none;
  std::span<const BlockRunLine> runs = {};  // of blocks
};

/// A call of a collective operation, as a process made it.
struct CollectiveLine {
  CollectiveNumber number = {};
  std::string_view called, binding;
  FrameNumber site = {};
  CollectiveRoot root = {};
  std::string_view op = {};  // the predefined one's name, or "user-defined"; empty where there is none
  CollectiveSideLine send = {}, receive = {};
};

/// The collective operations of one communicator; in a merged trace those of one process.
struct CollectivesLine {
  CommunicatorNumber communicator = {};
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // where it has no line
  SequenceNumber sequence = {};                                      // of collectives
  std::optional<UndecidedFrom> undecided = std::nullopt;
  std::optional<Rank> rank = std::nullopt;  // in a merged trace
  const Neighbours* neighbours = nullptr;   // null where they are not told
};

/// Where a buffer was when a call got it; in a merged trace in some ranks.
struct BufferLine {
  BufferNumber number = {};
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::uint64_t elements = 0;   // of that one buffer
  std::string_view called, binding;
  UseParameter parameter = UseParameter::none;
  std::optional<std::uint64_t> position;  // in arrays of v- and w-collectives
  FrameNumber site = {};
  std::optional<ArrayDescriptor> descriptor = {};
  const BufferPlace* place = nullptr;
  RankSpan ranks = {};  // in a merged trace
};

/// A window that the program made; in a merged trace of some ranks.
struct WindowLine {
  WindowNumber number = {};
  Key name = 0;  // the same in all its processes
  WindowFlavour flavour = WindowFlavour::create;
  std::optional<std::int64_t> size, displacement_unit;  // in bytes; of the process's own part; none of a dynamic one
  std::string_view called, binding;
  FrameNumber site = {};
  RankSpan ranks = {};  // in a merged trace
};

/// The program gave this name to a window; in a merged trace in some ranks.
struct WindowNameLine {
  WindowNumber window = {};
  std::string_view name = {};
  RankSpan ranks = {};  // in a merged trace
};

/// Calls of one place that reached the same target of a window with the same type and count.
struct AccessesLine {
  WindowNumber window = {};
  std::int64_t target = 0;  // a rank in MPI_COMM_WORLD
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::uint64_t elements = 0;
  std::string_view called, binding;
  UseParameter parameter = UseParameter::none;
  FrameNumber site = {};
  std::int64_t lowest = 0, highest = 0;  // displacements, in the target's units
  std::uint64_t count = 0;
  RankSpan ranks = {};  // in a merged trace: each of them did the same
};

/// Files that the program opened by one call, alike in all of this; in a merged trace of some ranks.
struct OpenedFileLine {
  OpenedFileNumber number = {};
  std::string_view name;          // as the program gave it
  std::string_view communicator;  // "MPI_COMM_WORLD", "MPI_COMM_SELF", or the name that it has in all its processes
  std::string_view mode;          // in words
  std::string_view called, binding;
  FrameNumber site = {};
  RankSpan ranks = {};  // in a merged trace
};

/// Which type it is.
struct TypeOfLine {
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
};

/// Views of a file that differ in their displacement alone.
struct ViewLine {
  OpenedFileNumber file = {};
  TypeOfLine etype, filetype;
  std::string_view datarep;
  bool is_at_current = false;            // MPI_DISPLACEMENT_CURRENT
  std::int64_t lowest = 0, highest = 0;  // displacements, in bytes; else
  std::string_view called, binding;
  FrameNumber site = {};
  std::uint64_t count = 0;
  RankSpan ranks = {};  // in a merged trace: each of them did the same
};

/// Calls of one place that read or wrote a file as the same type.
struct FileAccessesLine {
  OpenedFileNumber file = {};
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::uint64_t elements = 0;   // of all calls
  std::string_view called, binding;
  UseParameter parameter = UseParameter::none;
  FrameNumber site = {};
  std::uint64_t count = 0;
  RankSpan ranks = {};  // in a merged trace: each of them did the same
};

/// Something that a process did about a window. What a kind has says records.h.
struct WindowEventLine {
  WindowEventNumber number = {};
  WindowEventKind kind = WindowEventKind::fence;
  std::string_view called, binding;
  FrameNumber site = {};
  WindowAsserts asserts = {};
  AccumulateOrdering ordering = {};
  std::optional<std::int64_t> target;  // in MPI_COMM_WORLD; none: all
  bool is_exclusive = false;
  std::span<const RankRun> group = {};  // in MPI_COMM_WORLD
  // Of an access: what it has at the target. Some that are alike are one, whose displacement grows by `step`.
  DefinitionNumber definition = {};
  std::string_view predefined;  // where it is no definition
  std::uint64_t elements = 0;
  UseParameter parameter = UseParameter::none;
  std::int64_t displacement = 0, step = 0;
  std::uint64_t times = 1;
  std::string_view op;  // the predefined one's name, or "user-defined"; empty where there is none
};

/// What a process did about a window; in a merged trace what some did alike.
struct EpochsLine {
  WindowNumber window = {};
  SequenceNumber sequence = {};  // of events of windows
  std::optional<UndecidedFrom> undecided = std::nullopt;
  RankSpan ranks = {};  // in a merged trace
};

/// All memory that a process ever attached to a dynamic window: ascending, apart.
struct AttachedLine {
  WindowNumber window = {};
  std::span<const AttachedRange> ranges = {};
  RankSpan ranks = {};  // in a merged trace
};

/// Is told of every line that has been written, without its line feed; `record` is its kind.
class LineKeeper {
 public:
  virtual ~LineKeeper() = default;
  virtual void keep(std::string_view record, std::string_view line) = 0;
};

/// Gives the header the store's constants, and its predefined types but for those that stand in for F90 types.
void add_types(HeaderRecord& header, const DefinitionStore& store);

class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Creates the file; never overwrites. False with errno set where it cannot.
  bool create(const std::string& path);
  bool is_open() const { return file_.is_open(); }
  /// The file that was created is not wanted after all.
  void remove() { file_.remove(path_); }
  /// Where there are more lines than a few, the last ones wait in memory that outlives the process (LineWindow), from
  /// which many are one write; settle() and end() write what is left. Where such memory cannot be had, each is a write.
  void let_lines_wait() { may_lines_wait_ = true; }
  /// No line waits any more, then or later. What the file does not take stays where readers find it.
  void settle();
  /// No line is written that would make the file longer than this.
  void limit(std::uint64_t bytes) { most_bytes_ = bytes; }
  /// From now on many lines are one write, which costs less where nobody waits for each; flush(), sync() and end()
  /// write what is left.
  void collect_lines() {
    settle();
    collects_lines_ = true;
  }
  void flush();
  /// `keeper` must outlive the writer.
  void tell(LineKeeper& keeper) { keeper_ = &keeper; }
  /// Why no more lines are written.
  struct Stop {
    int error = 0;  // errno of the first write that failed
    bool limit_reached = false;
    explicit operator bool() const { return error != 0 || limit_reached; }
  };
  /// Any thread may ask, while another one writes.
  Stop stopped() const {
    const int why = why_stopped_.load(std::memory_order_relaxed);
    return why == at_limit ? Stop{0, true} : Stop{why, false};
  }
  /// Whether somebody has removed the file: what is written is lost.
  bool is_removed() const { return file_.is_removed(); }
  /// What is written survives the machine. errno of what went wrong, or 0.
  int sync();
  /// The file is whole: it survives the machine, and gets this name, which nothing has. errno of what went wrong, or 0.
  int publish(const std::string& path);
  /// Of the trace, those that wait among them.
  std::uint64_t bytes_written() const { return std::max(in_file_, window_.end()); }

  void header(const HeaderRecord& header);
  /// A predefined type that the header does not list.
  void predefined(const PredefinedType& type);
  /// `function` where it is one of an interpreter's, in the source file at `path`.
  void module(ModuleNumber number, std::string_view path, std::string_view build_id, std::string_view function = {});
  /// A chain of frames, numbered from `first`: the first is called by `parent`, each other by the one before.
  void frames(FrameNumber first, FrameNumber parent, std::span<const Frame> frames);
  /// The definition as it was called, and what the library says of it. It must have the next number, and oldtypes must
  /// have been written. False where the trace does not take the line.
  bool definition(const DefinitionLine& line, const NumberedStore& definitions, const ObservedBounds& observed);
  /// The definition as it was called, what the library says of it, and what is derived of it. As above.
  bool definition(const DefinitionLine& line, const Layouts& layouts, const DefinitionNumbers& numbers);
  /// False where the file has no room for it: then it has none for others either, but for the end.
  bool facts(const FactsLine& facts);
  /// The lines behind the first so many bytes are gone, and others may be written. Nothing happens where the file
  /// cannot be cut.
  void take_back(std::uint64_t bytes);
  /// How many definitions the file has.
  std::uint32_t definitions() const { return definitions_; }
  void name(DefinitionNumber definition, std::string_view name);
  void difference(const DifferenceRecord& difference);
  void instances(const InstancesLine& line);
  /// One line: they are of one function and error class, and at least one.
  void failed_calls(std::span<const FailedCallsRecord> calls);
  void uses(const UsesLine& line);
  void finding(const FindingLine& line);
  /// How often it was found up to now; 0: nothing is wrong after all.
  void finding_count(FindingNumber number, std::uint64_t count);
  void recording_switch(const SwitchLine& line);
  /// How often it was made.
  void switch_count(SwitchNumber number, std::uint64_t count);
  void communicator(const CommunicatorLine& line);
  void operation(const OperationLine& line);
  void sequence(SequenceNumber number, std::span<const SequenceElement> elements,
                SequenceOf of = SequenceOf::operations);
  void channels(const ChannelsLine& line);
  void collective(const CollectiveLine& line);
  void collectives(const CollectivesLine& line);
  /// The process's messages are whole, but for those that are left out; in a merged trace those of some ranks.
  void messages(std::span<const MessagesLeftOut> left_out, RankSpan ranks = {});
  /// `line.place` must be there.
  void buffer(const BufferLine& line);
  void window(const WindowLine& line);
  void window_name(const WindowNameLine& line);
  void accesses(const AccessesLine& line);
  void opened_file(const OpenedFileLine& line);
  void view(const ViewLine& line);
  void file_accesses(const FileAccessesLine& line);
  void window_event(const WindowEventLine& line);
  void epochs(const EpochsLine& line);
  void attached(const AttachedLine& line);
  /// What is odd about the file.
  void note(std::string_view sentence);
  // Lines of a merged trace, the first and others as they stand in a process's file. It is of one world, whose ranks
  // need not say which.
  void merged_header(std::string_view json);
  void copied_line(std::string_view json);
  void definition(const DefinitionText& text);
  void process(const ProcessRecord& process);
  void instances(const RankInstancesLine& line);
  /// `unrecorded` are of any number of places.
  void end(const EndRecord& end, std::span<const UnrecordedRecord> unrecorded = {});

 private:
  void other_argument(const FindingLine& line);
  void folded(std::span<const SequenceElement> elements);
  void group(std::span<const RankRun> runs);
  void communicator_member(PredefinedCommunicator predefined, CommunicatorNumber communicator);
  void undecided_member(const std::optional<UndecidedFrom>& undecided);
  void side_member(std::string_view key, const CollectiveSideLine& side);
  void neighbours_member(const Neighbours& neighbours);
  void spawned_by(std::optional<WorldNumber> world);
  void worlds(std::span<const World> worlds);
  void command(std::string_view program, std::span<const std::string> arguments);
  void predefined_members(const PredefinedType& type);
  JsonLine& begin(std::string_view record);
  void finish();
  bool finish_definition();
  void write_line();
  void put(std::string_view lines);
  int put_in_window(std::string_view lines);
  int empty_window();
  int append(std::string_view lines);
  void stop(int why) { why_stopped_.store(why, std::memory_order_relaxed); }
  void definition_members(const DefinitionLine& line, const NumberedStore& definitions, const ObservedBounds& observed);
  void observed_members(const ObservedBounds& bounds);
  void name_or_number(DefinitionId id, const NumberedStore& definitions);
  /// Of a predefined type its name, else the definition's number.
  void name_or_number(std::string_view predefined, DefinitionNumber definition);
  /// The members of what one argument that names a datatype has, and of its call: "type" to "argument".
  template <class Line>
  void argument_members(const Line& line) {
    line_.key("type");
    name_or_number(line.predefined, line.definition);
    line_.key("elements");
    counter(line.elements);
    line_.key("called").string(line.called).key("binding").string(line.binding);
    line_.key("argument").string(name_of(line.parameter));
  }
  void contents(const ConstructorCall& call, const NumberedStore& definitions);
  void rank(Rank rank);
  void ranks(RankSpan ranks);
  void ranges(RankSpan ranks);
  void counter(std::uint64_t count) { line_.exact(Exact(static_cast<Int128>(count))); }
  bool is_merged() const { return is_merged_; }
  template <class Record>
  void number_or_null(FileNumber<Record> number) {
    number.valid() ? line_.integer(number.value) : line_.null();
  }

  OwnFile file_;
  std::string path_;
  bool is_merged_ = false;
  WorldNumber world_;                                                    // whose ranks stand as integers
  static constexpr int at_limit = -1;                                    // no errno
  static constexpr std::uint64_t room_for_end = std::uint64_t{1} << 16;  // that derived facts leave
  std::atomic<int> why_stopped_{0};
  std::uint64_t most_bytes_ = UINT64_MAX;
  std::uint64_t in_file_ = 0;  // bytes
  bool may_lines_wait_ = false;
  static constexpr std::uint64_t worth_a_window = std::uint64_t{1} << 13;  // bytes behind the first line
  std::uint64_t window_from_ = UINT64_MAX;                                 // bytes of the trace before there is one
  std::uint64_t first_line_hash_ = 0;
  std::string window_path_;
  LineWindow window_;
  static constexpr std::size_t most_collected_bytes = std::size_t{1} << 16;
  bool collects_lines_ = false;
  std::string collected_;
  JsonLine line_;
  std::string call_text_;    // its memory is used again
  std::string_view record_;  // what the line is
  LineKeeper* keeper_ = nullptr;
  std::uint32_t definitions_ = 0;  // lines of them
};

}  // namespace ddtscope::trace
