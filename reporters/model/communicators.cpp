// The ranks' communicators as the job's: equal names are one communicator.
#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {

std::vector<CommunicatorIndex> JobBuilder::join_communicators(FileEnd& end) {
  std::vector<CommunicatorIndex> indices;
  for (CommunicatorRecord& record : end.communicators) {
    const std::optional<FrameIndex> site = site_of(record.site);
    const auto [found, is_new] =
        communicators_index_.try_emplace({record.name, job_.word(record.called), job_.word(record.binding),
                                          site ? std::optional(site->value) : std::nullopt, record.groups},
                                         job_.communicators.size());
    if (is_new) {
      job_.communicators.push_back(
          {record.name, job_.word(record.called), job_.word(record.binding), site, std::move(record.groups), {}});
    }
    add_ranks(job_.communicators[found->second].ranks, record.ranks);
    indices.push_back({static_cast<std::uint32_t>(found->second)});
  }
  return indices;
}

}  // namespace ddtscope::reporters
