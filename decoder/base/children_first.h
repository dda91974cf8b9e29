// A walk over what things are made of, without recursion: chains of them may be very long.
#pragma once

#include <cstddef>
#include <vector>

namespace ddtscope {

/// make(id) for `root` and all below it for which is_known(id) does not hold, children first; it must hold afterwards.
/// each_child(id, see) calls see(child) for what `id` is made of. Each thing is looked through at most twice, however
/// many times it stands among the children of others.
template <class Id, class IsKnown, class EachChild, class Make>
void children_first(Id root, IsKnown is_known, EachChild each_child, Make make) {
  if (is_known(root)) return;
  std::vector<Id> pending = {root};
  while (!pending.empty()) {
    const Id next = pending.back();
    const std::size_t before = pending.size();
    if (!is_known(next)) {
      each_child(next, [&](Id child) {
        if (!is_known(child)) pending.push_back(child);
      });
      if (pending.size() != before) continue;
      make(next);
    }
    pending.pop_back();
  }
}

}  // namespace ddtscope
