// How many frames tell a call site from all others: a function that makes types for its callers is the innermost frame
// of many.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

class SiteFrames {
 public:
  /// Of all call sites at which the job's types were made.
  explicit SiteFrames(const Job& job);
  /// From the innermost on, at least 1.
  std::size_t telling(FrameIndex site) const;

 private:
  std::unordered_map<std::uint32_t, std::size_t> telling_;  // those that need more than one
};

}  // namespace ddtscope::reporters
