#include "plugin/messages/waiting_receives.h"

#include <algorithm>

namespace ddtscope::plugin {

bool WaitingReceives::must_wait(const ReceivePattern& pattern) const {
  return std::any_of(receives_.begin(), receives_.end(),
                     [&](const Receive& receive) { return overlap(receive.pattern, pattern); });
}

WaitingReceives::Id WaitingReceives::add(Receive receive) {
  receive.id = ++last_;
  receives_.push_back(receive);
  return receive.id;
}

std::deque<WaitingReceives::Receive>::iterator WaitingReceives::place_of(Id id) {
  const auto found = std::lower_bound(receives_.begin(), receives_.end(), id,
                                      [](const Receive& receive, Id wanted) { return receive.id < wanted; });
  return found != receives_.end() && found->id == id ? found : receives_.end();
}

WaitingReceives::Receive* WaitingReceives::find(Id id) {
  const auto found = place_of(id);
  return found != receives_.end() ? &*found : nullptr;
}

void WaitingReceives::remove(Id id) {
  const auto found = place_of(id);
  if (found != receives_.end()) receives_.erase(found);
}

std::optional<WaitingReceives::Receive> WaitingReceives::take_oldest_unknown() {
  const auto found =
      std::find_if(receives_.begin(), receives_.end(), [](const Receive& receive) { return !is_known(receive); });
  if (found == receives_.end()) return std::nullopt;
  const Receive oldest = *found;
  receives_.erase(found);
  return oldest;
}

}  // namespace ddtscope::plugin
