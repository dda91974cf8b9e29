// Call sites: the stack from which a constructor was called, as a tree of frames (module, offset).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decoder/base/index_table.h"
#include "plugin/call/call_site_id.h"
#include "plugin/call/module_table.h"
#include "plugin/call/python_frames.h"
#include "plugin/call/recent_walks.h"
#include "plugin/call/stack.h"
#include "plugin/call/stack_walk.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// How a call came to the wrapper that records it: called by the program, or by way of the library's Fortran layer. The
/// stacks of calls that failed are taken elsewhere, in either case.
enum class Path : std::uint8_t { direct, fortran, failed };

/// Records stacks: walks up them by rules, and asks libunwind about each new one, and wherever the rules end. Both are
/// tried at the beginning, and what does not hold there is not used. capture() may be called by any thread; the rest is
/// not synchronised: the registry calls it under its lock.
class CallSites {
 public:
  /// `depth` frames at most, 0 = off. `is_library_module` tells by file name which modules are the MPI
  /// library's: their innermost frames do not belong to the call site.
  /// Beyond `most_bytes` call sites lose their callers, and beyond half as much again themselves: those that are new.
  CallSites(int depth, std::function<bool(std::string_view)> is_library_module, std::size_t most_bytes = SIZE_MAX / 2);

  int depth() const { return depth_; }
  /// What stacks lack that were asked for; empty if nothing.
  const std::string& problem() const { return problem_; }

  /// The stack from the place on, which lies in the program.
  [[gnu::always_inline]] inline void capture(Stack& stack, const ReturnPlace& place, Path path) const {
    stack.count = 0;
    if (depth_ != 0) capture_some(stack, ReturnPlace(place), path);  // a copy: the caller's can stay in registers
  }
  /// Tells the call site of the stack from the place on, where this thread saw the same stack lately, or no stacks are
  /// taken. False where it takes capture() to tell.
  [[gnu::always_inline]] inline bool recall(const ReturnPlace& place, CallSiteId& site) const {
    if (depth_ == 0) {
      site = {};
      return true;
    }
    const RecentWalk* const recent = recall_some(ReturnPlace(place));
    if (recent == nullptr) [[unlikely]]
      return false;
    site = recent->site;
    return true;
  }
  /// Same stack, same id, as long as the modules are there. New frames and modules are written to the trace first.
  CallSiteId intern(const Stack& stack, trace::Writer& writer) {
    if (stack.is_known()) [[likely]]
      return stack.site;
    return intern_frames(stack, writer);
  }
  /// Of a call of which only the return address is known.
  CallSiteId without_callers(void* address, trace::Writer& writer);
  /// The site of calls of which none is recorded, for lack of memory.
  CallSiteId not_recorded(trace::Writer& writer);
  /// The site of a stack of which these are the return addresses, innermost first; invalid where none is known that has
  /// all of its callers.
  CallSiteId known_site(std::span<void* const> addresses) const;
  /// How many of the innermost of these return addresses lie in the library, and are no part of the call site.
  std::size_t library_frames(std::span<void* const> addresses);
  /// The module in whose memory the address lies, and where there; a new module is written to the trace first. Nothing
  /// where it lies in none, or no stacks are recorded.
  std::optional<trace::Frame> place_in_module(std::uintptr_t address, trace::Writer& writer);
  /// What was kept since the beginning.
  std::size_t bytes() const { return bytes_ + (modules_ ? modules_->bytes() : 0); }

 private:
  struct Site {
    std::uint64_t hash;
    std::uint32_t first_address;  // in addresses_
    std::uint32_t count;
    CallSiteId id;
    std::uint64_t python;  // Stack::python
  };

  /// Where a frame stands.
  struct FramePlace {
    std::uintptr_t address;        // within the call instruction; of a function of Python, the line
    ModuleNumber python_function;  // valid where it is one
    friend bool operator==(const FramePlace&, const FramePlace&) = default;
  };
  struct FrameKey {
    FramePlace place;
    CallSiteId parent;
    friend bool operator==(const FrameKey&, const FrameKey&) = default;
  };
  struct FrameKeyHash {
    std::size_t operator()(const FrameKey& key) const {
      const std::uintptr_t function = static_cast<std::uintptr_t>(key.place.python_function.value) << 20;
      return (key.place.address ^ function ^ (static_cast<std::uintptr_t>(key.parent.value) << 32)) *
             0x9E3779B97F4A7C15u;
    }
  };

  /// How a stack was taken.
  struct Taken {
    Walk walk;
    Path path;
  };
  void capture_some(Stack& stack, const ReturnPlace& place, Path path) const;
  /// The walk that is repeated; else null.
  const RecentWalk* recall_some(ReturnPlace place) const;
  /// Stack::python of a call that is made now.
  std::uint64_t python_position() const;
  [[gnu::always_inline]] inline Walk walk(Stack& stack, const ReturnPlace& place) const {
    if (!may_walk_.load(std::memory_order_relaxed)) return Walk::impossible;
    return walk_stack(*rules_, place, static_cast<std::size_t>(depth_), stack);
  }
  [[gnu::always_inline]] inline bool is_judged(std::uint64_t hash) const {
    return judged_[hash % judged_.size()].load(std::memory_order_relaxed) == hash;
  }
  /// A stack that was not seen before, or could not be walked up: libunwind's word holds, as long as all code is still
  /// there that it knows. Whether the walk was right; else the stack is another one now.
  [[gnu::noinline]] bool judge(Stack& stack, const ReturnPlace& place, Taken taken) const;
  void unwind(Stack& stack, void* caller, Path path) const;
  /// Return addresses as libunwind finds them, its own caller's frame first; how many, at most `most`.
  int backtrace(Stack& stack, int most) const;
  /// Whether modules have been unloaded since this was last asked. If so, what was learnt of their code is forgotten.
  /// Asked of new stacks only: a call through code that replaces other code, with the same return addresses and frames
  /// of the same sizes, is taken for a call through the old one until a new stack comes.
  bool has_lost_modules() const;
  /// Stacks through modules that are gone are other stacks when they come again.
  void forget_sites_of_lost_modules();
  /// Looks at a stack that is known by both ways, and keeps those that are right.
  void try_ways(void* libunwind);
  /// False where the caller does not stand behind at most as many own frames as were asked for.
  bool start_at_caller(Stack& stack, int found, void* caller, int own_frames) const;
  /// Unwinds with room for any number of own frames, and learns how many there are.
  void find_own_frames(Stack& stack, void* caller, Path path) const;
  /// One frame is better than none.
  void take_alone(Stack& stack, void* caller) const;
  /// What tells a call site, of which `addresses` are equal, from others.
  static std::uint64_t hash_of(const Stack& stack) { return stack.hash ^ stack.python; }
  const Site* find(std::uint64_t hash, std::span<void* const> addresses, std::uint64_t python) const;
  CallSiteId intern_frames(const Stack& stack, trace::Writer& writer);
  CallSiteId add(const Stack& stack, trace::Writer& writer);
  CallSiteId add_without_callers(const FramePlace& place, trace::Writer& writer);
  /// The program's own frames, innermost first: without the library's, and with those of Python code in the place of
  /// those of its interpreter.
  std::vector<FramePlace> places_of(const Stack& stack, trace::Writer& writer);
  std::vector<FramePlace> with_python(std::span<const FramePlace> places, const Stack& stack, trace::Writer& writer);
  std::vector<FramePlace> places_in_python(const Stack& stack, trace::Writer& writer);
  /// Invalid where there is no memory for a further one.
  ModuleNumber python_function(const PythonPlace& place, trace::Writer& writer);
  bool lies_in(const FramePlace& place, std::uintptr_t module);
  /// The innermost of these frames, which `caller` called.
  CallSiteId add_frames(std::span<const FramePlace> places, CallSiteId caller, trace::Writer& writer);
  trace::Frame frame_of(const FramePlace& place, trace::Writer& writer);
  void keep(const Stack& stack, CallSiteId id);
  /// Nothing is remembered any more, not even frames without callers.
  bool is_full() const { return bytes() >= most_bytes_ + most_bytes_ / 2; }
  void tell_of_python(trace::Writer& writer);

  static constexpr std::size_t most_judged = 4096;
  /// After so many, rules are not worth having in this process.
  static constexpr int most_disagreements = 16;
  static constexpr std::size_t bytes_of_frame = sizeof(FrameKey) + 6 * sizeof(void*);  // a node and its slot
  static constexpr std::size_t bytes_of_python_function = 16 * sizeof(void*);          // a node, without its texts
  static constexpr std::size_t bytes_of_site = sizeof(Site) + IndexTable::bytes_per_number;

  int depth_ = 0;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  CallSiteId not_recorded_;
  std::string problem_;
  int (*backtrace_)(void**, int) = nullptr;
  std::uintptr_t short_by_ = 0;  // how far before the return addresses what it gives lies
  mutable std::array<std::atomic<int>, 3> own_frames_{1, 4, 2};  // by Path; the most that were seen
  std::unique_ptr<FrameRules> rules_;                            // where stacks are recorded
  mutable std::atomic<bool> may_walk_{false};
  mutable std::atomic<int> disagreements_{0};
  mutable std::atomic<unsigned long long> unloaded_{0};  // modules of this process, until they were last looked at
  unsigned long long unloaded_at_start_ = 0;
  mutable std::atomic<bool> sites_are_stale_{false};
  /// Hashes of stacks of which libunwind says the same, each at the place that its lower bits tell.
  mutable std::vector<std::atomic<std::uint64_t>> judged_;

  std::vector<Site> sites_;
  IndexTable table_;  // of sites_, by the hash of a stack
  std::vector<void*> addresses_;
  std::unique_ptr<ModuleTable> modules_;  // where stacks are recorded
  std::uint32_t next_module_ = 0;
  std::unique_ptr<PythonFrames> python_;  // where an interpreter is in the process, and stacks are recorded
  bool has_told_of_python_ = false;       // that its frames are not read
  std::map<std::pair<std::string, std::string>, ModuleNumber> python_functions_;  // by file and name
  std::unordered_map<FrameKey, CallSiteId, FrameKeyHash> frames_;
  std::uint32_t next_frame_ = 0;
};

}  // namespace ddtscope::plugin
