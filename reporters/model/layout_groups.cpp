// Groups of equal layouts by their fingerprints.
#include "reporters/model/layout_groups.h"

#include <array>
#include <map>
#include <tuple>

namespace ddtscope {

std::vector<LayoutGroup> layout_groups(const Job& job) {
  using Layout = std::tuple<std::array<std::uint64_t, 2>, Int128, Int128>;
  std::vector<LayoutGroup> groups;
  std::map<Layout, std::size_t> known;
  Fingerprints fingerprints(job.layouts);
  for (const JobType& type : job.types) {
    const std::optional<Fingerprint> layout = fingerprints.layout(job.layouts.root(type.definition));
    const Exact lb = job.layouts.lb(type.definition);
    const Exact extent = job.layouts.extent(type.definition);
    std::size_t group = groups.size();
    if (layout && lb.fits() && extent.fits()) {
      group = known.try_emplace({layout->words, lb.value(), extent.value()}, group).first->second;
    }
    if (group == groups.size()) groups.push_back({layout, lb, extent, {}});
    groups[group].types.push_back(type.number);
  }
  return groups;
}

}  // namespace ddtscope
