// What leads to a buffer in memory that was allocated: slots of the stack, registers and static variables that hold its
// address, or that of something in which it stands, or of the block in which it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plugin/sources/call_frames.h"
#include "plugin/sources/own_memory.h"
#include "reporters/trace/format/buffer_place.h"

namespace ddtscope::plugin {

/// A buffer, and the argument by which the program passed it.
struct SoughtBuffer {
  std::uintptr_t address = 0;
  std::uintptr_t argument = 0;               // the value of that
  std::optional<std::uint32_t> in_register;  // which of the arguments that are passed in registers, from 0 on
};

/// The block of glibc's allocator that begins at an address, if the bytes around it look like one: its usable bytes, a
/// multiple of 16 where it has pages of its own, for these are counted to their end, and 8 more of others.
std::optional<std::uint64_t> usable_bytes_of_block(const OwnMemory& memory, std::uintptr_t begin) noexcept;

/// Slots and registers of one frame, the call site's `number`th, that hold the address itself.
StackPlace with_holders(const OwnMemory& memory, StackPlace place, const CallFrame& frame, std::uintptr_t address);

/// `frames` are the call site's, innermost first. Reads the stack, and other memory where it is there; allocates by the
/// plugin's heap alone.
HeapPlace search_heap(const OwnMemory& memory, const CallFrames& all, std::span<const CallFrame> frames,
                      const SoughtBuffer& sought);

}  // namespace ddtscope::plugin
