// Where the ranks' buffers were: equal places of one call site are one.
#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {
namespace {

JobPlace place_in_job(BufferPlace&& place, const std::vector<ModuleIndex>& modules) {
  if (const auto* at = std::get_if<StaticPlaceIn<ModuleNumber>>(&place)) {
    return StaticPlaceIn<ModuleIndex>{modules[at->module.value], at->offset};
  }
  if (const auto* at = std::get_if<ThreadPlaceIn<ModuleNumber>>(&place)) {
    return ThreadPlaceIn<ModuleIndex>{modules[at->module.value], at->offset};
  }
  if (auto* stack = std::get_if<StackPlace>(&place)) return std::move(*stack);
  if (auto* heap = std::get_if<HeapPlace>(&place)) return std::move(*heap);
  return std::move(std::get<NoPlace>(place));
}

}  // namespace

void JobBuilder::join_buffers(FileEnd& end) {
  for (BufferRecord& record : end.buffers) {
    const std::optional<FrameIndex> site = site_of(record.site);
    BufferKey key(definition_of(record.type).value, record.elements, job_.word(record.called),
                  job_.word(record.binding), record.parameter, record.position, record.descriptor,
                  site ? std::optional(site->value) : std::nullopt, place_in_job(std::move(record.place), modules_));
    const auto [found, is_new] = buffers_index_.try_emplace(std::move(key), job_.buffers.size());
    if (is_new) {
      const auto& [type, elements, called, binding, parameter, position, descriptor, at, place] = found->first;
      job_.buffers.push_back(
          {DefinitionId{type}, elements, called, binding, parameter, position, descriptor, site, place, {}});
    }
    add_ranks(job_.buffers[found->second].ranks, record.ranks);
  }
}

}  // namespace ddtscope::reporters
