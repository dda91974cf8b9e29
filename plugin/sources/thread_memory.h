// The memory that each thread has of a module for itself: variables that are thread_local.
#pragma once

#include <cstdint>
#include <optional>

namespace ddtscope::plugin {

struct PlaceInThread {
  std::uintptr_t in_module = 0;  // an address of the module's, which all threads share
  std::uint64_t offset = 0;      // from where the thread's memory of the module begins, in bytes
};

/// If the address lies in this thread's own memory of some module.
std::optional<PlaceInThread> place_in_thread(std::uintptr_t address) noexcept;

}  // namespace ddtscope::plugin
