#include "reporters/debug_view/memory_source.h"

namespace ddtscope::reporters {

std::variant<ViewContents, TraceProblem> read_debug_view(MemorySource& memory) {
  const ReadMemory read = [&](std::uint64_t address, void* to, std::size_t bytes) {
    return memory.read(address, to, bytes);
  };
  const auto address = find_debug_view(read, memory.ranges());
  if (!address) {
    return TraceProblem{
        TraceProblem::Kind::unreadable,
        memory.name() +
            ": no view of ddtscope's is in the memory; was the program run under `ddtscope exec`, and had "
            "it started MPI?"};
  }
  return read_debug_view(read, *address, memory.name(), memory.instant());
}

}  // namespace ddtscope::reporters
