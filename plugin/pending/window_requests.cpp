#include "plugin/pending/window_requests.h"

#include <algorithm>
#include <iterator>

namespace ddtscope::plugin {

void WindowRequests::add(const Holder& target, const PendingOperation& operation) {
  Operations& operations = operations_of({target.handle, target.place});
  if (operations.all.size() >= operations.most) {
    take_out_complete(operations);
    operations.most = std::max(operations.most, 2 * operations.all.size());
  }
  operations.all.push_back(operation);
}

WindowRequests::Operations& WindowRequests::operations_of(const Key& target) {
  const auto found = of_targets_.find(target);
  if (found != of_targets_.end()) return found->second;
  if (of_targets_.size() >= most_targets_) {
    // Of a window where nothing is pending nobody tells that it is freed.
    for (auto each = of_targets_.begin(); each != of_targets_.end();) {
      take_out_complete(each->second);
      each = each->second.all.empty() ? of_targets_.erase(each) : std::next(each);
    }
    most_targets_ = std::max(most_targets_, 2 * of_targets_.size());
  }
  return of_targets_[target];
}

void WindowRequests::take_out_complete(Operations& operations) const {
  std::erase_if(operations.all, [&](const PendingOperation& each) { return !pending_.has(each); });
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
