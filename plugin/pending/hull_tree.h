// Hulls in order of their beginnings, and of each subtree the furthest end, so that those that overlap another one are
// found in the time of a descent: a treap over slots that somebody else keeps.
#pragma once

#include <cstdint>
#include <limits>

#include "plugin/pending/buffer.h"

namespace ddtscope::plugin {

using SlotNumber = std::uint32_t;
inline constexpr SlotNumber no_slot = std::numeric_limits<SlotNumber>::max();

/// What a slot has for the tree.
struct HullNode {
  Hull hull;
  std::int64_t furthest = 0;  // end in the subtree
  SlotNumber left = no_slot, right = no_slot;
  std::uint32_t priority = 0;
};

/// `Slots` has `HullNode& operator[](SlotNumber)`.
template <class Slots>
class HullTree {
 public:
  explicit HullTree(Slots& slots) : slots_(slots) {}

  /// The slot's hull is there already.
  void insert(SlotNumber slot) {
    HullNode& added = slots_[slot];
    added.priority = next_priority();
    added.furthest = added.hull.end;
    SlotNumber* place = &root_;
    while (*place != no_slot && slots_[*place].priority >= added.priority) {
      HullNode& node = slots_[*place];
      if (node.furthest < added.hull.end) node.furthest = added.hull.end;
      place = stands_before(slot, *place) ? &node.left : &node.right;
    }
    split(*place, slot, added.left, added.right);
    *place = slot;
    find_furthest(added);
  }

  void erase(SlotNumber slot) { root_ = without(root_, slot); }

  /// Calls `visit(slot)` for those that overlap `hull`: first those that begin in it, upwards, while it returns true.
  template <class Visit>
  void each_that_begins_in(const Hull& hull, const Visit& visit) {
    upwards(root_, hull, visit);
  }
  /// And those that begin before it, the nearest first.
  template <class Visit>
  void each_that_begins_before(const Hull& hull, const Visit& visit) {
    downwards(root_, hull, visit);
  }

 private:
  bool stands_before(SlotNumber a, SlotNumber b) {
    const std::int64_t a_begin = slots_[a].hull.begin;
    const std::int64_t b_begin = slots_[b].hull.begin;
    return a_begin != b_begin ? a_begin < b_begin : a < b;
  }
  void find_furthest(HullNode& node) {
    node.furthest = node.hull.end;
    for (const SlotNumber child : {node.left, node.right}) {
      if (child != no_slot && slots_[child].furthest > node.furthest) node.furthest = slots_[child].furthest;
    }
  }
  /// What stands before `slot`, and what behind.
  void split(SlotNumber root, SlotNumber slot, SlotNumber& before, SlotNumber& behind) {
    if (root == no_slot) {
      before = behind = no_slot;
      return;
    }
    HullNode& node = slots_[root];
    if (stands_before(root, slot)) {
      before = root;
      split(node.right, slot, node.right, behind);
    } else {
      behind = root;
      split(node.left, slot, before, node.left);
    }
    find_furthest(node);
  }
  SlotNumber joined(SlotNumber before, SlotNumber behind) {
    if (before == no_slot) return behind;
    if (behind == no_slot) return before;
    HullNode& first = slots_[before];
    HullNode& second = slots_[behind];
    if (first.priority >= second.priority) {
      first.right = joined(first.right, behind);
      find_furthest(first);
      return before;
    }
    second.left = joined(before, second.left);
    find_furthest(second);
    return behind;
  }
  SlotNumber without(SlotNumber root, SlotNumber slot) {
    HullNode& node = slots_[root];
    if (root == slot) return joined(node.left, node.right);
    SlotNumber& child = stands_before(slot, root) ? node.left : node.right;
    child = without(child, slot);
    if (node.furthest == slots_[slot].hull.end) find_furthest(node);
    return root;
  }
  template <class Visit>
  bool upwards(SlotNumber root, const Hull& hull, const Visit& visit) {
    if (root == no_slot) return true;
    const HullNode& node = slots_[root];
    if (node.hull.begin >= hull.begin) {
      if (!upwards(node.left, hull, visit)) return false;
      if (node.hull.begin >= hull.end || !visit(root)) return false;
    }
    return upwards(node.right, hull, visit);
  }
  template <class Visit>
  bool downwards(SlotNumber root, const Hull& hull, const Visit& visit) {
    if (root == no_slot) return true;
    const HullNode& node = slots_[root];
    if (node.furthest <= hull.begin) return true;
    if (node.hull.begin < hull.begin) {
      if (!downwards(node.right, hull, visit)) return false;
      if (node.hull.end > hull.begin && !visit(root)) return false;
    }
    return downwards(node.left, hull, visit);
  }
  std::uint32_t next_priority() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    return random_;
  }

  Slots& slots_;
  SlotNumber root_ = no_slot;
  std::uint32_t random_ = 2463534242u;
};

}  // namespace ddtscope::plugin
