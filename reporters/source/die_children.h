// The children of a DIE, and walks over all that stand below one, of which damaged information has no more than of
// sound information.
#pragma once

#include <elfutils/libdw.h>

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

/// Whether a walk comes to a DIE for the first time. Parents stand before their children, and these before the next
/// sibling; where DW_AT_sibling of damaged information leads back among what was walked over, the walk would double at
/// each depth. For one walk below one DIE, which meets all children in their order.
class OnceEach {
 public:
  bool meets(const Dwarf_Die& die) {
    const auto* const place = static_cast<const unsigned char*>(die.addr);
    if (last_ != nullptr && place <= last_) return false;
    last_ = place;
    return true;
  }

 private:
  const unsigned char* last_ = nullptr;
};

}  // namespace ddtscope::reporters
