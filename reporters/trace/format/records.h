// What writers and readers of the trace agree on: its version, and its records (FORMAT.md), each of them once, but
// for those whose lines a writer is lent, many call sites in one, and a reader keeps, one for each (writer.h,
// reader.h).
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/definition/basic_type.h"
#include "decoder/definition/definition.h"
#include "reporters/trace/format/file_number.h"
#include "reporters/trace/format/rank.h"
#include "reporters/trace/format/rank_ranges.h"
#include "reporters/trace/format/world.h"

namespace ddtscope::trace {

/// Of files of processes, merged ones and those of several worlds alike. Readers take all that are not newer.
inline constexpr std::int64_t format_version = 9;
/// From this one on readers say which kinds of records they do not know.
inline constexpr std::int64_t first_version_with_kinds_to_come = 4;

}  // namespace ddtscope::trace

namespace ddtscope {

/// An executable or shared library; or a function that an interpreter runs, whose file is its source.
struct ModuleRecord {
  std::string path;
  std::optional<std::string> build_id = std::nullopt;
  std::optional<std::string> function = std::nullopt;  // where it is one: offsets are its lines, 0 if unknown
};

struct FrameRecord {
  FrameNumber parent;   // invalid: it is the outermost one that was recorded
  ModuleNumber module;  // invalid where none is known
  std::uint64_t offset = 0;
};

/// What the first line says.
struct HeaderRecord {
  /// One of the library's own (MPI-4.1 15.3.6).
  struct ControlVariable {
    std::string name, value, description;
  };
  std::int64_t version = trace::format_version;
  bool merged = false;  // of all processes: ProcessRecords tell of each
  std::string tool, job;
  std::string library_name, library_version, library_standard;
  std::string library_abi;  // empty in older traces
  /// What the program was built for: the library's own interface, where the trace does not say.
  const std::string& abi() const { return library_abi.empty() ? library_name : library_abi; }
  std::string host;
  std::int64_t pid = 0;
  std::optional<Rank> rank;
  std::optional<std::int64_t> size;
  WorldNumber world;                      // that of the process; in a merged trace of one world, of all processes
  std::optional<WorldNumber> spawned_by;  // where the world is not the first
  std::string launcher_job;               // what the launcher calls the world; empty where it tells nobody
  std::vector<World> worlds;              // ascending, in a merged trace of several
  std::string program;
  std::vector<std::string> arguments;
  std::string started;
  std::int64_t stack_depth = 0;
  bool verify = false;
  bool uses = false;      // whether uses of types were recorded
  bool messages = false;  // whether it was recorded what went from process to process
  bool sources = false;   // whether it was recorded where buffers were
  /// Names of the environment's variables by which parts were not recorded; nothing of the reasons of older traces.
  std::vector<std::string> switched_off;
  LibraryConstants constants;
  std::vector<PredefinedType> predefined;
  std::optional<std::vector<ControlVariable>> control_variables;  // rank 0's, where they are told
};

/// How a process ended.
struct EndRecord {
  bool complete = false;
  std::string reason;
  std::string ended;
  std::uint64_t without_facts = 0;  // definitions of which nobody has worked out what is derived
};

/// One process of a merged trace.
struct ProcessRecord {
  std::optional<Rank> rank;
  std::string host;
  std::int64_t pid = 0;
  std::string started;
  std::optional<std::string> program;  // where what it runs is not the header's, nor that of its world there
  std::vector<std::string> arguments;
  bool verify = false;
  std::optional<bool> uses, messages, sources;  // where they are not the header's
  std::optional<EndRecord> end;
  std::optional<std::string> stopped;
  bool last_line_cut = false;
  struct Counts {
    std::uint64_t created, adopted, committed, freed;
  };
  std::optional<Counts> counts;  // of all its types
};

/// What a process records or not, by the name of its member in a header and in `process` of a merged trace.
struct RecordedPart {
  const char* name;
  bool HeaderRecord::*of_header;
  std::optional<bool> ProcessRecord::*of_process;
};
inline constexpr RecordedPart recorded_parts[] = {
    {"uses", &HeaderRecord::uses, &ProcessRecord::uses},
    {"messages", &HeaderRecord::messages, &ProcessRecord::messages},
    {"sources", &HeaderRecord::sources, &ProcessRecord::sources},
};

/// Where ddtscope's answer and the library's differ; both values as JSON.
struct DifferenceRecord {
  std::string subject, computed, library;
  DefinitionNumber definition = {};
  std::vector<RankRange> ranks = {};  // in a merged trace
};

/// Ranks that are one step apart, in the order in which they stand: of one alone `first` is `last`.
struct RankRun {
  std::int64_t first = 0, last = 0, step = 1;
  friend constexpr auto operator<=>(const RankRun&, const RankRun&) = default;
};
/// Each rank of a run, in its order.
template <class See>
constexpr void for_each_rank(const RankRun& run, See see) {
  for (std::int64_t rank = run.first;; rank += run.step) {
    see(rank);
    if (rank == run.last || run.step == 0) return;
  }
}
/// The processes of a group by their ranks in MPI_COMM_WORLD, in the order of their ranks in the group.
using GroupRuns = std::vector<RankRun>;

/// An element of a folded sequence of operations. A loop stands before its body.
struct SequenceElement {
  std::uint64_t times = 0;   // of a loop, 2 or more; 0: the element is an operation
  std::uint32_t number = 0;  // the operation's number; of a loop, how many elements behind it are its body
  friend constexpr auto operator<=>(const SequenceElement&, const SequenceElement&) = default;
};

/// What the numbers of a sequence are.
enum class SequenceOf : std::uint8_t { operations, collectives, window_events };
/// As a sequence's line has it; empty where it has none.
constexpr std::string_view name_of(SequenceOf of) {
  switch (of) {
    case SequenceOf::collectives:
      return "collectives";
    case SequenceOf::window_events:
      return "window_events";
    case SequenceOf::operations:
      break;
  }
  return {};
}

/// The root of a collective operation.
struct CollectiveRoot {
  enum class Is : std::uint8_t {
    none,     // the operation has none
    process,  // of this rank; where it is in an intercommunicator's other group, there
    itself,   // MPI_ROOT
    nobody    // MPI_PROC_NULL: a process of the root's own group
  };
  Is is = Is::none;
  std::int32_t rank = 0;  // of a process
  friend constexpr auto operator<=>(const CollectiveRoot&, const CollectiveRoot&) = default;
};

/// What is known of what a process gives to a collective operation, or gets by it.
enum class CollectiveSideIs : std::uint8_t {
  none,      // not significant in this process, or the operation has no such side
  in_place,  // MPI_IN_PLACE
  too_long,  // not kept
  blocks     // one, or one for each process or neighbour
};

/// With whom a process exchanges in a communicator's topology (MPI-4.1 8.6): ranks of the communicator, in the order of
/// the blocks.
struct Neighbours {
  static constexpr std::int32_t nobody = -1;  // MPI_PROC_NULL
  bool is_cartesian = false;                  // else of a graph
  std::vector<std::int32_t> sources, destinations;
  friend auto operator<=>(const Neighbours&, const Neighbours&) = default;
};

/// The end of a channel at which the process stood.
enum class ChannelDirection : std::uint8_t { send, receive };

/// The other process's rank in MPI_COMM_WORLD, and the tag; `any` where it is said of all channels that have no line of
/// their own.
struct ChannelEnd {
  static constexpr std::int32_t any = INT32_MIN;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  friend constexpr auto operator<=>(const ChannelEnd&, const ChannelEnd&) = default;
};

/// Communicators that nobody makes have no line of their own.
enum class PredefinedCommunicator : std::uint8_t { none, world, self };
constexpr std::string_view name_of(PredefinedCommunicator communicator) {
  switch (communicator) {
    case PredefinedCommunicator::world:
      return "MPI_COMM_WORLD";
    case PredefinedCommunicator::self:
      return "MPI_COMM_SELF";
    case PredefinedCommunicator::none:
      break;
  }
  return {};
}

/// From which operation on, counted from 0, nobody knows what a channel, or a communicator, had.
struct UndecidedFrom {
  std::uint64_t operation = 0;
  std::string_view why;  // "wildcard", "memory", "switched off", "cancel", "failed", "type"
};

/// Messages that are on no channel.
struct MessagesLeftOut {
  std::string_view why;
  std::uint64_t count = 0;
  friend auto operator<=>(const MessagesLeftOut&, const MessagesLeftOut&) = default;
};

/// Where a window's memory comes from (MPI-4.1 12.2).
enum class WindowFlavour : std::uint8_t { create, allocate, shared, dynamic };
inline constexpr WindowFlavour all_window_flavours[] = {WindowFlavour::create, WindowFlavour::allocate,
                                                        WindowFlavour::shared, WindowFlavour::dynamic};
constexpr std::string_view name_of(WindowFlavour flavour) {
  switch (flavour) {
    case WindowFlavour::create:
      return "create";
    case WindowFlavour::allocate:
      return "allocate";
    case WindowFlavour::shared:
      return "shared";
    case WindowFlavour::dynamic:
      break;
  }
  return "dynamic";
}

/// What a process does about a window (MPI-4.1 12.3, 12.5).
enum class WindowEventKind : std::uint8_t {
  fence,
  post,
  start,
  complete,
  wait,  // or a test that was true
  lock,
  unlock,
  lock_all,
  unlock_all,
  ordering,  // the info key accumulate_ordering was given
  flush,     // of one target, or of all
  flush_local,
  access,
  completed  // an access, by its request
};
inline constexpr std::string_view names_of_window_events[] = {
    "fence",    "post",       "start",    "complete", "wait",        "lock",   "unlock",
    "lock_all", "unlock_all", "ordering", "flush",    "flush_local", "access", "completed"};
constexpr std::string_view name_of(WindowEventKind kind) {
  return names_of_window_events[static_cast<std::size_t>(kind)];
}
/// None where no kind is called so.
constexpr std::optional<WindowEventKind> window_event_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(names_of_window_events); ++i) {
    if (names_of_window_events[i] == name) return static_cast<WindowEventKind>(i);
  }
  return std::nullopt;
}
// What an event of this kind has.
constexpr bool has_target(WindowEventKind kind) {
  using enum WindowEventKind;
  return kind == lock || kind == unlock || kind >= flush;
}
constexpr bool may_be_of_all_targets(WindowEventKind kind) {
  return kind == WindowEventKind::flush || kind == WindowEventKind::flush_local;
}
constexpr bool has_group(WindowEventKind kind) {
  return kind == WindowEventKind::post || kind == WindowEventKind::start;
}
constexpr bool has_asserts(WindowEventKind kind) {
  using enum WindowEventKind;
  return has_group(kind) || kind == fence || kind == lock || kind == lock_all;
}
constexpr bool is_of_access(WindowEventKind kind) { return kind >= WindowEventKind::access; }

/// Assertions (MPI-4.1 12.5.5): a set.
struct WindowAsserts {
  enum One : std::uint8_t { nocheck = 1, nostore = 2, noput = 4, noprecede = 8, nosucceed = 16 };
  static constexpr std::string_view names[] = {"nocheck", "nostore", "noput", "noprecede", "nosucceed"};
  std::uint8_t set = 0;
  constexpr bool has(One one) const { return (set & one) != 0; }
  constexpr void add(std::size_t number) { set = static_cast<std::uint8_t>(set | 1U << number); }
  /// Whether there is one that is called so.
  constexpr bool add(std::string_view name) {
    for (std::size_t i = 0; i < std::size(names); ++i) {
      if (names[i] != name) continue;
      add(i);
      return true;
    }
    return false;
  }
  friend constexpr auto operator<=>(const WindowAsserts&, const WindowAsserts&) = default;
};

/// Which accumulates of one process to one place are made in the order of its calls (the info key accumulate_ordering,
/// MPI-4.1 12.7.2): "rar" is a read after a read, "raw" a read after a write, and so on. A set; by default all.
struct AccumulateOrdering {
  enum One : std::uint8_t { rar = 1, raw = 2, war = 4, waw = 8 };
  static constexpr std::string_view names[] = {"rar", "raw", "war", "waw"};
  std::uint8_t set = rar | raw | war | waw;
  constexpr bool has(One one) const { return (set & one) != 0; }
  /// Whether there is one that is called so.
  constexpr bool add(std::string_view name) {
    for (std::size_t i = 0; i < std::size(names); ++i) {
      if (names[i] != name) continue;
      set = static_cast<std::uint8_t>(set | 1U << i);
      return true;
    }
    return false;
  }
  friend constexpr auto operator<=>(const AccumulateOrdering&, const AccumulateOrdering&) = default;
};
/// Of the key's value, "none" or names with commas between them; none where it is something else.
constexpr std::optional<AccumulateOrdering> accumulate_ordering_of(std::string_view value) {
  AccumulateOrdering ordering{0};
  if (value == "none") return ordering;
  for (;;) {
    const std::size_t comma = std::min(value.find(','), value.size());
    if (!ordering.add(value.substr(0, comma))) return std::nullopt;
    if (comma == value.size()) return ordering;
    value.remove_prefix(comma + 1);
  }
}

/// Memory that was attached to a window, from this address on.
struct AttachedRange {
  std::int64_t address = 0, bytes = 0;
  friend constexpr auto operator<=>(const AttachedRange&, const AttachedRange&) = default;
};

/// Types whose definitions are not in the trace.
struct UnrecordedRecord {
  std::string called;
  std::uint64_t count = 0;
  std::string why;
  FrameNumber site;
  std::vector<RankRange> ranks;  // in a merged trace
};

/// Calls of one function, from one call site, that returned an error.
struct FailedCallsRecord {
  std::string_view called, binding;
  std::string_view error_class;  // empty where the standard has no name for it
  FrameNumber site = {};
  std::uint64_t count = 0;
  std::vector<RankRange> ranks = {};  // in a merged trace
};

}  // namespace ddtscope
