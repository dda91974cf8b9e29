#include "reporters/model/site_frames.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace ddtscope::reporters {
namespace {

bool is_same_place(const JobFrame& a, const JobFrame& b) { return a.module == b.module && a.offset == b.offset; }

/// From the innermost frame outwards; a stack that ends comes before those that go on.
bool is_less(const Job& job, FrameIndex a, FrameIndex b) {
  for (std::optional<FrameIndex> x = a, y = b; x || y; x = job.frame(*x).caller, y = job.frame(*y).caller) {
    if (!x || !y) return !x;
    const JobFrame& of_a = job.frame(*x);
    const JobFrame& of_b = job.frame(*y);
    if (!is_same_place(of_a, of_b)) return std::tie(of_a.module, of_a.offset) < std::tie(of_b.module, of_b.offset);
  }
  return false;
}

std::size_t common_frames(const Job& job, FrameIndex a, FrameIndex b) {
  std::size_t common = 0;
  for (std::optional<FrameIndex> x = a, y = b; x && y && is_same_place(job.frame(*x), job.frame(*y)); ++common) {
    x = job.frame(*x).caller;
    y = job.frame(*y).caller;
  }
  return common;
}

}  // namespace

SiteFrames::SiteFrames(const Job& job) {
  std::set<FrameIndex> all;
  for (const JobType& type : job.types) {
    for (const Instances& part : job.instances.of(type.number)) {
      if (part.site) all.insert(*part.site);
    }
  }
  std::vector<FrameIndex> sites(all.begin(), all.end());
  std::sort(sites.begin(), sites.end(), [&](FrameIndex a, FrameIndex b) { return is_less(job, a, b); });
  const auto need = [&](FrameIndex site, std::size_t frames) {
    if (frames > 1) {
      std::size_t& known = telling_[site.value];
      known = std::max(known, frames);
    }
  };
  // Sorted so, those that have most in common stand beside each other.
  for (std::size_t i = 1; i < sites.size(); ++i) {
    const std::size_t frames = common_frames(job, sites[i - 1], sites[i]) + 1;
    need(sites[i - 1], frames);
    need(sites[i], frames);
  }
}

std::size_t SiteFrames::telling(FrameIndex site) const {
  const auto found = telling_.find(site.value);
  return found == telling_.end() ? 1 : found->second;
}

}  // namespace ddtscope::reporters
