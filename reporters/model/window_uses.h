// The windows of a job, each with what one-sided calls did in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  std::uint32_t number = 0;                   // 1: the window that the first line of the trace tells
  std::vector<WindowIndex> parts;             // as its processes made it
  std::vector<std::string_view> labels = {};  // what the program called it in any of them, each name once
  std::vector<WindowCalls> calls;             // most bytes first
  std::uint64_t number_of_calls = 0;
  Exact bytes = Exact(0);
};
/// The first of a window's names as it stands behind a noun, ` "halo" (and 2 other names)`; empty where there is none.
std::string named_window(const std::vector<std::string_view>& labels);

/// What the program called its windows in its processes. The job must outlive it.
class WindowNames {
 public:
  explicit WindowNames(const Job& job);
  /// Each name once, in the order of the trace.
  const std::vector<std::string_view>& of(Key window) const;
  /// What this process calls it, as named_window() has it; where it gave it no name, what the others do.
  std::string in_words(Key window, Rank process) const;

 private:
  struct Names {
    std::vector<std::string_view> all;
    std::vector<const JobWindowName*> given;
  };
  std::unordered_map<Key, Names> names_;
};

/// "W2"
std::string window_id(std::uint32_t number);

/// All windows, most bytes first; of accesses those that are wanted, by their places in the job. A window without any
/// is left out where not all accesses are wanted.
std::vector<WindowUses> window_uses(const Job& job, const std::vector<bool>& wanted);

}  // namespace ddtscope::reporters
