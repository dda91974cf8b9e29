// The windows that are alive, where debuggers and readers of cores see them (reporters/trace/format/debug_windows.h):
// what is open, and which one-sided calls are not known to be complete. A place of a fixed size for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plugin/debug_view/debug_memory.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/registry/types_in_use.h"
#include "plugin/windows/window_events.h"
#include "reporters/trace/format/debug_windows.h"

namespace ddtscope::plugin {

/// Not synchronised, but for came_back().
class DebugWindows {
 public:
  /// Both must outlive it.
  DebugWindows(DebugMemory& memory, const TypesInUse& types) : memory_(memory), types_(types) {}

  /// Where a window stands; nothing where it found no room.
  class Place {
   public:
    explicit operator bool() const { return window_ != nullptr; }

   private:
    friend class DebugWindows;
    trace::DebugWindow* window_ = nullptr;
    WindowEvent run_{.times = 0};  // the last accesses, where they are the last that stand there
    std::int64_t next_ = 0;        // the displacement with which they go on
  };
  struct Made {
    HandleBits window = 0;
    std::uint32_t line = trace::debug_view_none;
    WindowFlavour flavour = WindowFlavour::create;
    std::uint32_t predefined = 0;  // as in DebugWindow, and so the next one
    std::uint64_t communicator = 0;
    std::uint64_t base = 0;
    std::int64_t size = 0, displacement_unit = 1;
    const EntryPoint* called = nullptr;
    CallSiteId site = {};
    bool is_unknown = false;
  };
  Place made(const Made& made);
  /// A live one of this handle of which nobody has the place any more.
  Place find(HandleBits handle);
  void freed(Place& place);
  void named(Place& place, std::string_view label);
  /// Nobody knows from here on what is open.
  void lost(Place& place);

  /// A call that synchronises the window is about to be made; of those that have a group, its ranks in MPI_COMM_WORLD,
  /// null where they are not known.
  struct Call {
    std::uint64_t* returned = nullptr;
    std::uint64_t ticket = 0;
  };
  Call begin(Place& place, const WindowEvent& event, const std::vector<int>* group);
  /// It has come back, and done what it was to do. From any thread, without a lock.
  static void came_back(const Call& call);
  /// It has failed: it was none.
  void take_back(Place& place, const Call& call);
  /// A call that has come back already.
  void done(Place& place, const WindowEvent& event);

  /// An access is about to be made; `reads` says whether it is complete once it is so at the origin.
  struct Access {
    const WindowEvent& event;
    std::uint64_t origin;  // address
    bool reads;
  };
  void accessed(Place& place, const Access& access);
  /// The same of one of which nothing else is known.
  void accessed_unknown(Place& place);
  /// The last access has failed: it was none.
  void take_back_access(Place& place);
  /// The request of one is complete.
  void completed(Place& place, const WindowEvent& event);

 private:
  trace::DebugWindowEvent event_of(const WindowEvent& event);
  std::uint32_t place_in_trace(PredefinedId type);
  /// What has come back is applied.
  static void settle(Place& place);
  static void settle_always(Place& place);

  DebugMemory& memory_;
  const TypesInUse& types_;
  std::optional<DebugTable<trace::DebugWindow>> table_;  // made with the first window
  std::uint64_t tickets_ = 0;
  std::vector<std::uint32_t> places_in_trace_;  // of predefined types, by their ids, as far as they were asked for
};

}  // namespace ddtscope::plugin
