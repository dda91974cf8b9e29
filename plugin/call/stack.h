// The stack of one call, and the place from which it is looked at.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "plugin/call/call_site_id.h"
#include "reporters/trace/format/stack_depth.h"

namespace ddtscope::plugin {

/// More frames than this never lie between the program and the unwinder.
inline constexpr std::uint32_t most_own_frames = 16;

struct RecentWalk;

/// Return addresses of one call, innermost first, from the program's own frame on.
struct Stack {
  std::array<void*, trace::largest_stack_depth + most_own_frames> frames;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t hash = 0;
  std::uint64_t python = 0;      // the position in Python code from which the call comes; 0 where it comes from none
  CallSiteId site;               // of a stack that was recognised as a whole: then it has no frames here
  void* caller = nullptr;        // where the call returns to; nullptr where no stacks are taken
  RecentWalk* recent = nullptr;  // where what is found out of the stack is kept; nullptr where that is not
  /// Whether its call site is known as it stands.
  bool is_known() const { return site.valid() || count == 0; }
  std::span<void* const> addresses() const { return {frames.data() + first, count}; }
};

/// The memory in which a stack lies.
struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// Where a wrapper returns to.
struct ReturnPlace {
  void* address = nullptr;
  /// The wrapper's frame: its first word is the caller's frame pointer, the second the return address, and behind it
  /// the caller's stack begins. nullptr where the processor's frames are not like that.
  const std::uintptr_t* frame = nullptr;
  /// Whether the caller's stack begins in this memory, or above.
  bool is_above(const Mapping& memory) const { return reinterpret_cast<std::uintptr_t>(frame + 2) >= memory.begin; }
  friend bool operator==(const ReturnPlace&, const ReturnPlace&) = default;
};

}  // namespace ddtscope::plugin

/// That of the function in which it stands.
#ifdef __x86_64__
#define DDTSCOPE_RETURN_PLACE                                                             \
  ::ddtscope::plugin::ReturnPlace {                                                       \
    __builtin_return_address(0), static_cast<std::uintptr_t*>(__builtin_frame_address(0)) \
  }
#else
#define DDTSCOPE_RETURN_PLACE \
  ::ddtscope::plugin::ReturnPlace { __builtin_return_address(0), nullptr }
#endif
