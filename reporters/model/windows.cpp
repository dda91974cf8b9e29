// The ranks' windows as the job's, and what was reached in them.
#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {

std::vector<WindowIndex> JobBuilder::join_windows(const FileEnd& end) {
  std::vector<WindowIndex> indices;
  for (const WindowRecord& record : end.windows) {
    JobWindow window{record.name,
                     record.flavour,
                     record.size,
                     record.displacement_unit,
                     job_.word(record.called),
                     job_.word(record.binding),
                     site_of(record.site),
                     {}};
    const auto [found, is_new] =
        windows_index_.try_emplace({window.name, window.flavour, window.size, window.displacement_unit, window.called,
                                    window.binding, window.site},
                                   static_cast<std::uint32_t>(job_.windows.size()));
    if (is_new) job_.windows.push_back(std::move(window));
    add_ranks(job_.windows[found->second].ranks, record.ranks);
    indices.push_back({found->second});
  }
  return indices;
}

/// Targets are ranks of the origins' world: lines of two worlds stay apart.
void JobBuilder::join_accesses(const FileEnd& end, const std::vector<WindowIndex>& windows) {
  for (const AccessesRecord& record : end.accesses) {
    JobAccesses accesses{.window = windows[record.window.value],
                         .target = record.target,
                         .type = definition_of(record.type),
                         .elements = record.elements,
                         .called = job_.word(record.called),
                         .binding = job_.word(record.binding),
                         .parameter = record.parameter,
                         .site = site_of(record.site),
                         .lowest = record.lowest,
                         .highest = record.highest,
                         .count = record.count,
                         .ranks = {}};
    add_ranks(accesses.ranks, record.ranks);
    const auto [found, is_new] = accesses_index_.try_emplace(
        {accesses.window, accesses.target, accesses.type.value, accesses.elements, accesses.called, accesses.binding,
         accesses.parameter, accesses.site, accesses.lowest, accesses.highest, accesses.count, accesses.world()},
        job_.accesses.size());
    if (is_new) {
      job_.accesses.push_back(std::move(accesses));
    } else {
      add_ranks(job_.accesses[found->second].ranks, record.ranks);
    }
  }
}

}  // namespace ddtscope::reporters
