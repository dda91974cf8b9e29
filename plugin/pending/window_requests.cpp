#include "plugin/pending/window_requests.h"

#include <algorithm>

namespace ddtscope::plugin {

void WindowRequests::add(const Holder& target, const PendingOperation& operation) {
  Operations& operations = of_targets_[{target.handle, target.place}];
  if (operations.all.size() >= operations.most) {
    std::erase_if(operations.all, [&](const PendingOperation& each) { return !pending_.has(each); });
    operations.most = std::max(operations.most, 2 * operations.all.size());
  }
  operations.all.push_back(operation);
}

WindowRequests::OfTargets::iterator WindowRequests::release(OfTargets::iterator target) {
  for (const PendingOperation& operation : target->second.all) pending_.release_operation(operation);
  return of_targets_.erase(target);
}

void WindowRequests::release(HandleBits window) {
  auto target = of_targets_.lower_bound({window, 0});
  while (target != of_targets_.end() && target->first.first == window) target = release(target);
}

void WindowRequests::release_at(const Holder& target) {
  const auto found = of_targets_.find({target.handle, target.place});
  if (found != of_targets_.end()) release(found);
}

}  // namespace ddtscope::plugin
