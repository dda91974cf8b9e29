// What the debug view tells of the windows that are alive (DEBUG_VIEW.md): which epochs of each are open, and which
// one-sided calls are not known to be complete. Plain structs, as those of debug_view.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reporters/trace/format/debug_view.h"
#include "reporters/trace/format/records.h"

namespace ddtscope::trace {

/// A call about a window: one that makes it, synchronises it, or accesses it.
struct DebugWindowEvent {
  static constexpr std::int32_t all_targets = -1;

  std::uint32_t kind;        // a WindowEventKind
  std::uint32_t entry;       // which function was called: a DebugEntry's number
  std::uint32_t site;        // frame in the trace file, or none
  std::int32_t target;       // a rank in MPI_COMM_WORLD, or all of them
  std::uint32_t definition;  // of an access's target: its number in the trace file; none for a predefined type
  std::uint32_t predefined;  // the same: its place among the header's; none for a definition
  std::uint64_t elements;
  std::int64_t displacement, step;  // of the first access, and from one to the next
  std::uint64_t times;              // accesses that are alike, one step apart
  std::uint64_t at_origin;          // so many of them are complete at the origin
  std::uint64_t origin;             // address of the first one's origin buffer
  std::uint8_t asserts;             // a WindowAsserts' set
  std::uint8_t is_exclusive;        // of a lock
  std::uint8_t reads;               // complete where it is so at the origin: MPI_Get and the like
  std::uint8_t reserved[5];
};
static_assert(sizeof(DebugWindowEvent) == 80);

/// Ranks in MPI_COMM_WORLD, as runs.
struct DebugGroup {
  static constexpr std::size_t most = 8;
  std::int32_t runs[most][3];  // first, last, step
  std::uint32_t used;          // of the runs
  std::uint32_t processes;     // in all; more than the runs have where these are not all
};
static_assert(sizeof(DebugGroup) == 104);

/// A window that is alive. Members are changed in place, under a lock of the plugin's, but for `returned`.
struct DebugWindow {
  static constexpr std::size_t most = 256;  // in a process; those beyond are not told
  static constexpr std::size_t most_epochs = 16, most_accesses = 32;

  std::uint64_t handle;                  // bits of the MPI_Win
  std::uint32_t is_alive;                // 0: the entry is free
  std::uint32_t line;                    // its number in the trace file, or none
  std::uint32_t flavour;                 // a WindowFlavour
  std::uint32_t predefined;              // its communicator, 1: MPI_COMM_WORLD, 2: MPI_COMM_SELF, 0: another one
  std::uint64_t communicator;            // that one's name; 0 where it has none
  std::uint64_t base;                    // address; of a dynamic window this and the next two mean nothing
  std::int64_t size, displacement_unit;  // bytes
  char label[128];                       // by MPI_Win_set_name, zeros behind
  DebugWindowEvent made;
  std::uint32_t is_unknown;  // which epochs are open: a call failed, or the program has stopped the recording
  std::uint32_t epochs_used;
  std::uint32_t accesses_used;
  std::uint32_t accesses_before;    // those that were made before `last` was called
  std::uint64_t epochs_left_out;    // locks that found no room
  std::uint64_t accesses_left_out;  // the same of calls: complete or not, while an epoch is open
  std::uint64_t ticket, returned;   // `last` has come back where the two are equal, and is then to be applied; 0: none
  DebugWindowEvent last;            // the synchronising call that was made last
  DebugGroup last_group, started, posted;
  DebugWindowEvent epochs[most_epochs];  // the calls that began them, in order
  DebugWindowEvent accesses[most_accesses];
};

/// Calls `visit(DebugWindowEvent)` for each call that the window tells of: what made it, what has not come back, what
/// began its epochs, what accesses it.
template <class Window, class Visit>
void each_event(Window& window, const Visit& visit) {
  visit(window.made);
  if (window.ticket != 0) visit(window.last);
  for (std::uint32_t i = 0; i < window.epochs_used; ++i) visit(window.epochs[i]);
  for (std::uint32_t i = 0; i < window.accesses_used; ++i) visit(window.accesses[i]);
}

/// Whether such a call can begin an epoch (MPI-4.1 12.5).
constexpr bool begins_epoch(WindowEventKind kind) {
  using enum WindowEventKind;
  return kind == fence || kind == start || kind == post || kind == lock || kind == lock_all;
}
inline WindowEventKind kind_of(const DebugWindowEvent& event) { return static_cast<WindowEventKind>(event.kind); }

/// What a process does about one window. `window` may say anything, if it was read from somebody's memory.
class DebugWindowChange {
 public:
  explicit DebugWindowChange(DebugWindow& window) : window_(window) {
    window_.epochs_used = std::min<std::uint32_t>(window_.epochs_used, DebugWindow::most_epochs);
    window_.accesses_used = std::min<std::uint32_t>(window_.accesses_used, DebugWindow::most_accesses);
  }

  /// The last call has come back, so that what it ends is over, and what it begins is open (MPI-4.1 12.5).
  void apply_last() {
    using enum WindowEventKind;
    const DebugWindowEvent call = window_.last;
    const std::uint32_t before = std::min(window_.accesses_before, window_.accesses_used);
    window_.ticket = 0;
    const WindowAsserts asserts{call.asserts};
    switch (kind_of(call)) {
      case fence:
        if (!asserts.has(WindowAsserts::noprecede)) finish(before, DebugWindowEvent::all_targets);
        end(fence, DebugWindowEvent::all_targets);
        if (!asserts.has(WindowAsserts::nosucceed)) begin(call);
        break;
      case start:
        window_.started = window_.last_group;
        begin_beside_fence(call);
        break;
      case post:
        window_.posted = window_.last_group;
        begin(call);
        break;
      case lock:
      case lock_all:
        begin_beside_fence(call);
        break;
      case complete:
        finish(before, DebugWindowEvent::all_targets);
        end(start, DebugWindowEvent::all_targets);
        break;
      case wait:
        end(post, DebugWindowEvent::all_targets);
        break;
      case unlock:
        end(lock, call.target);
        finish(before, is_open(lock) ? call.target : DebugWindowEvent::all_targets);
        break;
      case unlock_all:
        end(lock_all, DebugWindowEvent::all_targets);
        finish(before, DebugWindowEvent::all_targets);
        break;
      case flush:
        finish(before, call.target);
        break;
      case flush_local:
        finish_at_origin(before, call.target);
        break;
      case ordering:
      case access:
      case completed:
        break;
    }
  }

  bool is_open(WindowEventKind kind) const {
    return std::any_of(window_.epochs, window_.epochs + window_.epochs_used,
                       [&](const DebugWindowEvent& epoch) { return kind_of(epoch) == kind; });
  }

 private:
  static bool is_at(const DebugWindowEvent& access, std::int32_t target) {
    return target == DebugWindowEvent::all_targets || access.target == target;
  }
  void begin(const DebugWindowEvent& call) {
    if (window_.epochs_used == DebugWindow::most_epochs) {
      ++window_.epochs_left_out;
      return;
    }
    window_.epochs[window_.epochs_used] = call;
    ++window_.epochs_used;
  }
  /// A fence that no access has followed has begun no epoch.
  void begin_beside_fence(const DebugWindowEvent& call) {
    if (window_.accesses_used == 0 && window_.accesses_left_out == 0) {
      end(WindowEventKind::fence, DebugWindowEvent::all_targets);
    }
    begin(call);
  }
  /// The last one of the kind, as locks of one target may be there twice where a program is wrong.
  void end(WindowEventKind kind, std::int32_t target) {
    for (std::uint32_t i = window_.epochs_used; i != 0; --i) {
      DebugWindowEvent* const epoch = window_.epochs + (i - 1);
      if (kind_of(*epoch) != kind || !is_at(*epoch, target)) continue;
      std::copy(epoch + 1, window_.epochs + window_.epochs_used, epoch);
      --window_.epochs_used;
      return;
    }
    if (window_.epochs_left_out != 0 && kind == WindowEventKind::lock) --window_.epochs_left_out;
  }
  void finish(std::uint32_t before, std::int32_t target) {
    remove(before, [&](const DebugWindowEvent& access) { return is_at(access, target); });
    if (target == DebugWindowEvent::all_targets) window_.accesses_left_out = 0;
  }
  void finish_at_origin(std::uint32_t before, std::int32_t target) {
    for (std::uint32_t i = 0; i < before; ++i) {
      DebugWindowEvent& one = window_.accesses[i];
      if (is_at(one, target)) one.at_origin = one.times;
    }
    remove(before, [](const DebugWindowEvent& one) { return one.reads != 0 && one.at_origin >= one.times; });
  }
  template <class Which>
  void remove(std::uint32_t before, const Which& which) {
    DebugWindowEvent* const end_of_older = window_.accesses + before;
    DebugWindowEvent* const kept = std::remove_if(window_.accesses, end_of_older, which);
    std::copy(end_of_older, window_.accesses + window_.accesses_used, kept);
    window_.accesses_used -= static_cast<std::uint32_t>(end_of_older - kept);
  }

  DebugWindow& window_;
};

}  // namespace ddtscope::trace
