// The windows of a job by their names: what a target made.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

class TargetWindows {
 public:
  explicit TargetWindows(const Job& job) : job_(job) {
    for (std::size_t i = 0; i < job.windows.size(); ++i) by_name_[job.windows[i].name].push_back(i);
  }

  /// As this process made it; nullptr where the trace does not tell.
  const JobWindow* of(Key name, Rank target) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    for (const std::size_t i : found->second) {
      if (job_.windows[i].ranks.contains(target)) return &job_.windows[i];
    }
    return nullptr;
  }

 private:
  const Job& job_;
  std::unordered_map<Key, std::vector<std::size_t>> by_name_;
};

}  // namespace ddtscope::reporters
