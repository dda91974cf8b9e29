// The windows of a job, each with what one-sided calls did in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Calls of one function with one type at the target.
struct WindowCalls {
  std::string_view called;  // text of the job's
  DefinitionId type;        // a predefined one, too
  std::uint64_t calls = 0;
  Exact bytes = Exact(0);  // at the targets; does not fit where the library does not know the type's size
  RankRanges origins;
};

struct WindowUses {
  std::uint32_t number = 0;        // 1: the window that the first line of the trace tells
  std::vector<WindowIndex> parts;  // as its processes made it
  std::vector<WindowCalls> calls;  // most bytes first
  std::uint64_t number_of_calls = 0;
  Exact bytes = Exact(0);
};
/// What the program called the window in any of its processes, each name once.
std::vector<std::string_view> names_of_window(const Job& job, Key window);
/// The first of these as it stands behind a noun, ` "halo"`; empty where there is none.
std::string named_window(const Job& job, Key window);

/// "W2"
std::string window_id(std::uint32_t number);

/// All windows, most bytes first; of accesses those that are wanted, by their places in the job. A window without any
/// is left out where not all accesses are wanted.
std::vector<WindowUses> window_uses(const Job& job, const std::vector<bool>& wanted);

}  // namespace ddtscope::reporters
