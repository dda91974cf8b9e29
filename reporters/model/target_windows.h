// The windows of a job by their names: what a target made.
#pragma once

#include <unordered_map>

#include "reporters/model/by_rank.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

class TargetWindows {
 public:
  explicit TargetWindows(const Job& job) {
    for (const JobWindow& window : job.windows) by_name_[window.name].add(window.ranks, &window);
  }

  /// As this process made it; nullptr where the trace does not tell.
  const JobWindow* of(Key name, Rank target) {
    const auto found = by_name_.find(name);
    return found != by_name_.end() ? found->second.of(target) : nullptr;
  }

 private:
  std::unordered_map<Key, ByRank<const JobWindow*>> by_name_;
};

}  // namespace ddtscope::reporters
