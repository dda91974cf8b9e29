// Work on many independent pieces, on two cores, with the results in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "reporters/trace/read/prefetcher.h"

namespace ddtscope::reporters {

inline constexpr std::size_t lanes = 2;

/// take(i, work(lane, i)) for each i < `pieces`, in this order. Piece i is of lane i % lanes, and of the calls of work
/// with the same lane, one ends before the next begins; take is called in the calling thread, alone, when pieces behind
/// this one may have been worked on. What is thrown comes out here.
template <class Work, class Take>
void ordered_parallel_for(std::size_t pieces, Work work, Take take) {
  using Result = std::invoke_result_t<Work&, std::size_t, std::size_t>;
  // How many results of a lane may wait to be taken: pieces take different times.
  constexpr std::size_t most_waiting = 4;
  if (pieces == 0) return;
  if (pieces == 1) return take(std::size_t{0}, work(0, 0));
  Prefetcher<std::optional<Result>, most_waiting> of_second([&, piece = std::size_t{1}](auto& result) mutable {
    result.emplace(work(1, piece));
    piece += lanes;
    return piece < pieces;
  });
  std::deque<Result> of_first;
  for (std::size_t taken = 0, piece = 0; taken < pieces;) {
    if (taken % lanes == 0 && !of_first.empty()) {
      take(taken++, std::move(of_first.front()));
      of_first.pop_front();
    } else if (taken % lanes == 1 && (of_second.has_next() || piece >= pieces || of_first.size() == most_waiting)) {
      take(taken++, std::move(**of_second.next()));
    } else {
      of_first.push_back(work(0, piece));
      piece += lanes;
    }
  }
}

/// Of `size` things, how many pieces of `length` there are; the last may be shorter.
constexpr std::size_t pieces_of(std::size_t size, std::size_t length) { return (size + length - 1) / length; }
template <class T>
std::span<T> piece_of(std::span<T> all, std::size_t i, std::size_t length) {
  const std::span<T> rest = all.subspan(i * length);
  return rest.first(std::min(length, rest.size()));
}

}  // namespace ddtscope::reporters
