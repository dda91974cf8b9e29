// Hulls in order of their beginnings, and of each subtree the furthest end and the size, so that those that overlap
// another one are found, and counted, in the time of a descent: a treap over slots that somebody else keeps.
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
  std::uint32_t subtree_size = 1;  // slots
};

/// `Slots` has `HullNode& operator[](SlotNumber)`.
template <class Slots>
class HullTree {
 public:
  explicit HullTree(Slots& slots) : slots_(slots) {}

  /// The slot's hull is there already.
  void insert(SlotNumber slot) {
    HullNode& added = slots_[slot];
    widen_bounds(added.hull);
    added.priority = next_priority();
    SlotNumber* place = &root_;
    while (*place != no_slot && slots_[*place].priority >= added.priority) {
      HullNode& node = slots_[*place];
      if (node.furthest < added.hull.end) node.furthest = added.hull.end;
      ++node.subtree_size;
      place = stands_before(slot, *place) ? &node.left : &node.right;
    }
    split(*place, slot, added.left, added.right);
    *place = slot;
    sum_up(added);
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
  struct Number {
    std::uint64_t value = 0;
    bool is_least = false;  // there may be more
  };
  /// How many overlap `hull`: all where hulls are as long as each other, or where none is near that is longer than
  /// others. In no time where all do.
  Number number_that_overlap(const Hull& hull) const {
    const std::uint64_t all = number_of(root_);
    const std::uint64_t begin = bounds_.last_begin < hull.end ? all : number_before(hull.end);
    const std::uint64_t too_short = number_that_end_by(hull.begin, bounds_.shortest);
    const bool are_alike = bounds_.shortest == bounds_.longest;
    return {begin - too_short, !are_alike && number_that_end_by(hull.begin, bounds_.longest) != too_short};
  }

 private:
  /// Of all that were added since there were none.
  struct Bounds {
    std::int64_t first_begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_begin = std::numeric_limits<std::int64_t>::min();
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 0;
  };
  void widen_bounds(const Hull& hull) {
    if (root_ == no_slot) bounds_ = {};
    std::int64_t length;
    if (__builtin_sub_overflow(hull.end, hull.begin, &length)) length = std::numeric_limits<std::int64_t>::max();
    if (hull.begin < bounds_.first_begin) bounds_.first_begin = hull.begin;
    if (hull.begin > bounds_.last_begin) bounds_.last_begin = hull.begin;
    if (length < bounds_.shortest) bounds_.shortest = length;
    if (length > bounds_.longest) bounds_.longest = length;
  }
  /// How many do not reach beyond a byte if they are all of this length.
  std::uint64_t number_that_end_by(std::int64_t byte, std::int64_t length) const {
    std::int64_t last;  // beginning of such a one
    if (__builtin_sub_overflow(byte, length, &last) || last < bounds_.first_begin) return 0;
    return number_before(last + 1);
  }
  std::uint64_t number_of(SlotNumber root) const { return root == no_slot ? 0 : slots_[root].subtree_size; }
  /// That begin before a byte.
  std::uint64_t number_before(std::int64_t byte) const {
    std::uint64_t number = 0;
    SlotNumber at = root_;
    while (at != no_slot) {
      const HullNode& node = slots_[at];
      const bool is_before = node.hull.begin < byte;
      if (is_before) number += 1 + number_of(node.left);
      at = is_before ? node.right : node.left;
    }
    return number;
  }
  bool stands_before(SlotNumber a, SlotNumber b) {
    const std::int64_t a_begin = slots_[a].hull.begin;
    const std::int64_t b_begin = slots_[b].hull.begin;
    return a_begin != b_begin ? a_begin < b_begin : a < b;
  }
  void sum_up(HullNode& node) {
    node.furthest = node.hull.end;
    node.subtree_size = 1;
    for (const SlotNumber child : {node.left, node.right}) {
      if (child == no_slot) continue;
      const HullNode& below = slots_[child];
      if (below.furthest > node.furthest) node.furthest = below.furthest;
      node.subtree_size += below.subtree_size;
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
    sum_up(node);
  }
  SlotNumber joined(SlotNumber before, SlotNumber behind) {
    if (before == no_slot) return behind;
    if (behind == no_slot) return before;
    HullNode& first = slots_[before];
    HullNode& second = slots_[behind];
    if (first.priority >= second.priority) {
      first.right = joined(first.right, behind);
      sum_up(first);
      return before;
    }
    second.left = joined(before, second.left);
    sum_up(second);
    return behind;
  }
  SlotNumber without(SlotNumber root, SlotNumber slot) {
    HullNode& node = slots_[root];
    if (root == slot) return joined(node.left, node.right);
    SlotNumber& child = stands_before(slot, root) ? node.left : node.right;
    child = without(child, slot);
    --node.subtree_size;
    if (node.furthest == slots_[slot].hull.end) sum_up(node);
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
  Bounds bounds_;
  std::uint32_t random_ = 2463534242u;
};

}  // namespace ddtscope::plugin
