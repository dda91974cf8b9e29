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
  Layouts layouts(job.store, job.observed_bounds);
  std::optional<Fingerprints> fingerprints(layouts);
  for (const JobType& type : job.types) {
    if (layouts.make_room(layout_memory)) fingerprints.emplace(layouts);
    const std::optional<Fingerprint> layout = fingerprints->layout(layouts.root(type.definition));
    const Exact lb = layouts.lb(type.definition);
    const Exact extent = layouts.extent(type.definition);
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
