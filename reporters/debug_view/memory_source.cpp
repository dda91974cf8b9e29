#include "reporters/debug_view/memory_source.h"

#include <algorithm>

namespace ddtscope::reporters {
namespace {

// Some programs reserve terabytes.
constexpr std::uint64_t largest_range = std::uint64_t{1} << 32;

}  // namespace

std::vector<MemoryRange> searched_ranges(std::vector<MemoryRange> plugins, std::vector<MemoryRange> others) {
  std::erase_if(others, [](const MemoryRange& range) { return range.end - range.begin > largest_range; });
  std::stable_sort(others.begin(), others.end(),
                   [](const MemoryRange& a, const MemoryRange& b) { return a.end - a.begin < b.end - b.begin; });
  plugins.insert(plugins.end(), others.begin(), others.end());
  return plugins;
}

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
