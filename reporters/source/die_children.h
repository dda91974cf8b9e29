// The children of a DIE, and walks over all that stand below one, of which damaged information has no more than of
// sound information.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <iterator>

namespace ddtscope::reporters {

class Children {
 public:
  class Iterator {
   public:
    explicit Iterator(Dwarf_Die* parent) : is_there_(dwarf_child(parent, &child_) == 0) {}
    Dwarf_Die& operator*() { return child_; }
    Iterator& operator++() {
      is_there_ = dwarf_siblingof(&child_, &child_) == 0;
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !is_there_; }

   private:
    Dwarf_Die child_ = {};
    bool is_there_;
  };

  explicit Children(Dwarf_Die* parent) : parent_(parent) {}
  Iterator begin() const { return Iterator(parent_); }
  static std::default_sentinel_t end() { return std::default_sentinel; }

 private:
  Dwarf_Die* parent_;
};

/// for (Dwarf_Die& child : children_of(&parent)) has them in their order (DWARF 5, 2.3). They end where the information
/// is damaged.
inline Children children_of(Dwarf_Die* parent) { return Children(parent); }

/// Where a walk is: the DIE, the one that it is a child of, and how far below the first one's children.
struct DieOfWalk {
  Dwarf_Die& die;
  Dwarf_Die& parent;
  std::size_t depth;
};

/// One walk, parents before their children, and these before the next sibling. Each DIE is met once: where
/// DW_AT_sibling of damaged information leads back among what was walked over, the walk would double at each depth.
template <class See>
class WalkBelow {
 public:
  explicit WalkBelow(const See& see) : see_(see) {}

  void children(Dwarf_Die& parent, std::size_t depth) {
    constexpr std::size_t deepest = 64;
    if (depth > deepest) return;
    for (Dwarf_Die& child : children_of(&parent)) {
      if (!is_ahead(child)) return;
      if (see_(DieOfWalk{child, parent, depth})) children(child, depth + 1);
    }
  }

 private:
  bool is_ahead(const Dwarf_Die& die) {
    const auto* const place = static_cast<const unsigned char*>(die.addr);
    if (last_ != nullptr && place <= last_) return false;
    last_ = place;
    return true;
  }

  const See& see_;
  const unsigned char* last_ = nullptr;
};

/// What stands below a DIE: see(DieOfWalk) says whether the walk goes on below that one, too.
template <class See>
void each_below(Dwarf_Die root, const See& see) {
  WalkBelow<See>(see).children(root, 0);
}

}  // namespace ddtscope::reporters
