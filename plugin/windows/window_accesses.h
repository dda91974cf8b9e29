// The windows that are alive, each with a name that is one in all its processes and a line of the trace; what one-sided
// calls reach in them: for each place of the program, target and type the lowest and the highest displacement, however
// many calls there are; and in which order, between which synchronisation. What the standard forbids is told before the
// library gets the call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin/call/call_outcome.h"
#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/call/stack.h"
#include "plugin/judge/type_call_judge.h"
#include "plugin/judge/verdicts.h"
#include "plugin/messages/named_communicators.h"
#include "plugin/pending/pending_buffers.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/folded_calls.h"
#include "plugin/uses/op_types.h"
#include "plugin/uses/use_counters.h"
#include "plugin/windows/attached_memory.h"
#include "plugin/windows/debug_windows.h"
#include "plugin/windows/epoch_state.h"
#include "plugin/windows/window_events.h"
#include "plugin/windows/window_sequence.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// A call that synchronises a window, as it stands.
struct SynchronisingCall {
  WindowEventKind kind = WindowEventKind::fence;
  HandleBits window = 0;
  WindowAsserts asserts = {};
  int target = Synchronisation::all_targets;  // a rank of the window, or MPI_PROC_NULL
  bool is_exclusive = false;
  HandleBits group = 0;  // of post and start
  HandleBits info = 0;   // of MPI_Win_set_info
  const EntryPoint* called = nullptr;
  const Stack* stack = nullptr;
};

/// Called by the wrappers, without the registry's lock, which it takes.
class WindowAccesses {
 public:
  struct Options {
    UseConstants constants = {};
    HandleBits world = 0;             // MPI_COMM_WORLD
    HandleBits self = 0;              // MPI_COMM_SELF
    std::uint32_t most_lines = 4096;  // of windows, in the trace
    std::size_t most_bytes = 0;       // of accesses, and again of their order
    std::vector<PredefinedOp> ops = {};
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    GroupQueries& library;
    NamedCommunicators& communicators;
    trace::Writer& writer;
    Verdicts& verdicts;
    std::function<void(const ToldError&)> tell;
    DebugMemory& memory;
  };
  WindowAccesses(const Options& options, Parts parts)
      : options_(options),
        parts_(std::move(parts)),
        ops_(options.ops),
        shown_(parts_.memory, parts_.registry.types_in_use()) {}

  /// A function that all processes of the communicator call together is about to be called: it counts among those that
  /// make communicators of it.
  CommunicatorNames::Call begin_call(HandleBits communicator) { return parts_.communicators.begin_call(communicator); }
  /// The library refused it.
  void call_failed(HandleBits communicator) { parts_.communicators.call_failed(communicator); }
  /// It has made one.
  struct Made {
    HandleBits window = 0, communicator = 0;
    std::optional<HandleBits> info = std::nullopt;
    WindowFlavour flavour = WindowFlavour::create;
    std::uint64_t base = 0;                        // address; of a dynamic one this and what follows mean nothing
    std::int64_t size = 0, displacement_unit = 1;  // in bytes
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  void made(const Made& made, const CommunicatorNames::Call& call);
  /// MPI_Win_free is about to be called: nothing is recorded of the window from here on. Debuggers see it until the
  /// call has come back.
  DebugWindows::Place freeing(HandleBits handle, const EntryPoint& called, const Stack& stack);
  void freed(HandleBits handle, DebugWindows::Place shown);
  void not_freed(DebugWindows::Place shown);
  void attached(HandleBits handle, const AttachedRange& range);
  /// The program has called it so.
  void named(HandleBits handle, std::string_view name);
  /// Its handle may be another one's next.
  void group_freed(HandleBits group);

 private:
  struct Recorded;

 public:
  /// What was recorded of a call before the library got it.
  struct Begun {
    enum class State : std::uint8_t {
      nothing,
      recorded,
      left  // it is recorded when it has come back
    };
    State state = State::nothing;
    Recorded* recorded = nullptr;  // where its sequence has it
    WindowSequence::Place place;
    bool is_wrong = false;
    bool is_of_fence = false;  // an access that keeps a fence's epoch open
    DebugWindows::Call shown;  // of one that synchronises: to be told when it has come back
  };
  /// A one-sided call (UseRow::is_one_sided) is about to begin, and has come back.
  Begun begin(const UsingCall& call);
  /// What is recorded of it now.
  Begun end(const UsingCall& call, const Begun& begun, CallOutcome outcome);
  /// It has a request, which the library has made.
  void has_request(const UsingCall& call, const Begun& begun, const Holder& request);
  /// The same of a call that synchronises, which end() need be told of only where it was wrong or has failed; else
  /// DebugWindows::came_back().
  Begun begin(const SynchronisingCall& call);
  void end(const SynchronisingCall& call, const Begun& begun, CallOutcome outcome);
  /// An MPI_Win_test is about to be called, and was true.
  void begin_test(const SynchronisingCall& call);
  void tested(const SynchronisingCall& call);
  /// The library has taken an info that may give accumulates another order.
  void ordered(const SynchronisingCall& call);

  /// The last one of the accesses so far that have requests; 0 where none of them waits to be completed.
  std::uint64_t last_awaited() const {
    const bool is_any = number_of_requests_.load(std::memory_order_relaxed) != 0;
    return is_any ? last_request_.load(std::memory_order_relaxed) : 0;
  }
  /// By a call before which `last` was last_awaited(): handles that the library frees may be others' before this is
  /// told, which must not be taken for them.
  void request_completed(const Holder& request, std::uint64_t last);

  /// Under the registry's lock: nothing is known from here on.
  void stop(Unknown why);
  /// Under the registry's lock, when nothing else comes: the lines, whose sequences are numbered on from `next`.
  void write(trace::Writer& writer, std::uint32_t& next);

 private:
  /// What stands in the trace of a window, whether it is alive or not.
  struct Recorded {
    WindowNumber line;
    WindowFlavour flavour = WindowFlavour::create;
    std::unique_ptr<WindowSequence> sequence;  // null where the window is freed
    WindowSequence::Ended ended = {};          // then
    AttachedMemory attached = {};

    void end();
    void take_back(const WindowSequence::Place& place) {
      if (sequence) sequence->take_back(place);
    }
  };
  struct Window {
    Recorded* recorded = nullptr;  // null where it has no line
    bool is_of_world = false;      // its ranks are those of MPI_COMM_WORLD
    std::vector<int> processes;    // else by rank: the ranks in MPI_COMM_WORLD; the first ones where it is too large
    EpochState state;
    bool is_judged = true;  // nothing has failed, so that it is known what is open
    DebugWindows::Place shown;
  };
  /// What accesses of one line have in common.
  struct Place {
    WindowNumber window;
    int target = 0;  // in MPI_COMM_WORLD
    DefinitionNumber definition;
    PredefinedId predefined;
    std::uint64_t elements = 0;
    trace::UseParameter parameter = trace::UseParameter::none;
    const EntryPoint* called = nullptr;
    CallSiteId site;
    friend bool operator==(const Place&, const Place&) = default;
    std::size_t hash() const;
  };
  /// What a call says, before it is known to whom.
  struct Access {
    HandleBits window = 0, type = 0;
    int target = 0;  // in the window
    std::int64_t displacement = 0;
    std::uint64_t elements = 0;
    trace::UseParameter parameter = trace::UseParameter::none;
  };
  std::optional<Access> access_of(const UseCall& call) const;
  // Under the lock.
  Window* find(HandleBits handle);
  Begun add(const Access& access, const UsingCall& call, Window* window);
  std::string_view op_of(const UseCall& call);
  /// Where events are recorded; null where they are not, or not any more.
  WindowSequence* sequence_of(const Window& window);
  void record_lapse(const EpochState::Lapse& lapse, const EntryPoint& called, const Stack& stack,
                    std::optional<ToldError>& told);
  static int process_of(const Window& window, int target);
  /// An access, or its completion; of a type that is known.
  WindowEvent event_of(WindowEventKind kind, const Access& access, const UsingCall& call, const Window& window,
                       const TypeInUse& type);
  WindowEvent event_of(const SynchronisingCall& call, const Window& window, std::uint32_t group);
  std::optional<std::uint32_t> group_number(const SynchronisingCall& call);
  Synchronisation synchronisation_of(const SynchronisingCall& call, std::optional<std::uint32_t> group) const;
  void write_events(trace::Writer& writer) const;

  const Options options_;
  const Parts parts_;
  const OpTypes ops_;
  std::unordered_map<HandleBits, Window> windows_;
  HandleBits last_handle_ = 0;  // of the window that was asked for last
  Window* last_window_ = nullptr;
  std::uint32_t lines_ = 0;
  std::set<std::pair<std::uint32_t, std::string>> names_;  // of windows, by their lines
  FoldedCalls<Place, FoldedNumbers> accesses_;             // and their displacements
  FoldedSymbols symbols_;                                  // counts the bytes of all sequences
  WindowEvents events_;
  std::deque<Recorded> recorded_;  // each stays where it is
  std::unordered_map<HandleBits, std::optional<std::uint32_t>> groups_;
  struct Requested {
    Recorded* recorded = nullptr;
    HandleBits window = 0;
    WindowEvent event;
    std::uint64_t number = 0;  // from 1, in their order
  };
  // Libraries give one handle for all that is complete from the start: there may be thousands of it.
  using ByPlace = std::multimap<std::uint64_t, Requested>;  // as in Holder; erasing one of many alike takes no time
  std::size_t take_completed(ByPlace& requests, const std::pair<ByPlace::iterator, ByPlace::iterator>& range,
                             std::uint64_t last);
  std::unordered_map<HandleBits, ByPlace> requests_;
  std::atomic<std::uint32_t> number_of_requests_{0};
  std::atomic<std::uint64_t> last_request_{0};
  DebugWindows shown_;
  bool is_stopped_ = false;
  std::uint64_t of_unknown_ = 0;  // accesses of which the window, the target or the type is not known
};

}  // namespace ddtscope::plugin
