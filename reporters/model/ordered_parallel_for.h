// Work on many independent pieces, on two cores, with the results in order.
#pragma once

#include <cstddef>
#include <future>
#include <optional>

namespace ddtscope::reporters {

inline constexpr std::size_t lanes = 2;

/// take(i, work(lane, i)) for each i < `pieces`, in this order. Of the calls of work with the same lane, one ends
/// before the next begins; take is called in the calling thread, alone. What is thrown comes out here.
template <class Work, class Take>
void ordered_parallel_for(std::size_t pieces, Work work, Take take) {
  for (std::size_t i = 0; i < pieces; i += lanes) {
    // Where no thread can be had, this one does it after its own piece.
    std::optional<decltype(std::async(work, std::size_t{}, std::size_t{}))> second;
    if (i + 1 < pieces) second = std::async(work, std::size_t{1}, i + 1);
    take(i, work(0, i));
    if (second) take(i + 1, second->get());
  }
}

}  // namespace ddtscope::reporters
