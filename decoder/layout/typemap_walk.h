// The walk through a layout that all cursors share: it yields runs of copies of a unit, which is a subtree with one
// entry, one block or one basic type, and goes to the k-th unit without passing those before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decoder/layout/layout_index.h"

namespace ddtscope {

/// Displacements and counts as 128-bit checked values.
struct WideNumbers {
  using Number = Exact;
  static Number of(Exact value) { return value; }
  static Number at(const LayoutNode& node, std::size_t i) {
    return Exact(node.displacements[i]) * node.displacement_unit;
  }
  static Number steps(Number copy, Number stride) { return ddtscope::steps(copy, stride); }
  static Exact exact(Number value) { return value; }
  static Number of_size(std::size_t value) { return Exact(static_cast<Int128>(value)); }
  /// The lesser one.
  static std::size_t least(Number number, std::size_t most) {
    return number < Exact(static_cast<Int128>(most)) ? static_cast<std::size_t>(number.value()) : most;
  }
};

/// The same modulo 2^64: a displacement that is known to fit 64 bits is right however those that led to it wrapped.
struct NarrowNumbers {
  using Number = std::uint64_t;
  static Number of(Exact value) { return static_cast<Number>(value.value()); }
  static Number at(const LayoutNode& node, std::size_t i) {
    return static_cast<Number>(node.displacements[i]) * of(node.displacement_unit);
  }
  static Number steps(Number copy, Number stride) { return copy * stride; }
  static Exact exact(Number value) { return Exact(static_cast<std::int64_t>(value)); }
  static Number of_size(std::size_t value) { return value; }
  static std::size_t least(Number number, std::size_t most) { return std::min<Number>(number, most); }
  /// Every displacement and every count below a node with these facts fits: no loop that has entries runs more often
  /// than there are entries.
  static bool suffice(const LayoutFacts& facts) {
    return facts.entries.to_int64() && facts.true_lb.to_int64() && facts.true_ub.to_int64() &&
           facts.true_extent().to_int64();
  }
};

/// `copies` copies of a unit, the first one at `base`; all of that `groups` times. None of them joins another, unless
/// there is one group and all copies in it join.
template <class Number>
struct UnitRun {
  const LayoutFacts* unit = nullptr;
  Number base = 0;
  Number copies = 0;
  Number stride = 0;
  Number groups = 1;
  Number group_stride = 0;
};

template <class Units, class Numbers>
class Walk {
 public:
  using Number = typename Numbers::Number;
  using Run = UnitRun<Number>;
  /// A node with more than one unit, and what of it comes next.
  struct Frame {
    const LayoutNode* node;
    Number base;
    std::size_t part = 0;
    Number copy = 0;
    bool has_plain_parts = false;  // one child for all, and each part that has entries is one unit
  };

  Walk(const Layouts& layouts, const LayoutNode& top) : layouts_(layouts), top_(top) {}

  /// The first run; false where there is none.
  bool begin(Run& run) {
    stack_.clear();
    if (top_.facts.empty()) return false;
    return open(top_, 0, run) || advance(run);
  }

  /// The next run; false at the end.
  bool advance(Run& run) {
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      const LayoutNode& node = *frame.node;
      if (node.kind == LayoutKind::repeat) {
        if (frame.copy == Numbers::of(node.count)) {
          stack_.pop_back();
          continue;
        }
        const Number base = frame.base + Numbers::steps(frame.copy, Numbers::of(node.stride));
        frame.copy += 1;
        if (open(layouts_[node.child], base, run)) return true;
        continue;
      }
      if (frame.part == node.part_count) {
        stack_.pop_back();
        continue;
      }
      const std::int64_t blocklength = node.blocklength_of(frame.part);
      const LayoutNode& child = layouts_[node.child_of(frame.part)];
      if (blocklength <= 0 || child.facts.empty()) {
        ++frame.part;
        continue;
      }
      const Number copies = Numbers::of(blocklength);
      const Number stride = Numbers::of(node.extent_of(frame.part));
      const Number base = frame.base + Numbers::at(node, frame.part) + Numbers::steps(frame.copy, stride);
      if (is_unit(child.facts)) {
        run = Run{&child.facts, base, copies - frame.copy, stride};
        next_part(frame);
        return true;
      }
      frame.copy += 1;
      if (frame.copy == copies) next_part(frame);
      if (open(child, base, run)) return true;
    }
    return false;
  }

  /// Goes to the run that begins with unit `unit`; false where there is none.
  bool seek(LayoutIndex& index, Exact unit, Run& run) {
    stack_.clear();
    const Exact count = Units::count(top_.facts);
    // More entries than 128 bits can count are more than any number.
    const bool exists = count.fits() ? unit < count : Units::kind == EntryUnits::kind;
    if (!(unit >= Exact(0)) || !exists) return false;
    const LayoutNode* node = &top_;
    Number base = 0;
    while (!is_unit(node->facts)) {
      Frame frame = {node, base};
      LayoutPart part;
      if (node->kind == LayoutKind::repeat) {
        part = {0, 0, node->stride, node->child};
      } else {
        const auto found = index.part_of_unit<Units>(*node, unit);
        frame.part = found.part;
        unit = found.unit;
        part = node->part(found.part);
        base = base + Numbers::of(part.displacement);
      }
      const LayoutNode& child = layouts_[part.child];
      const CopyAndUnit place = copy_of_unit<Units>(child.facts, unit, part.extent);
      unit = place.unit;
      frame.copy = Numbers::of(place.copy);
      const Number stride = Numbers::of(part.extent);
      base = base + Numbers::steps(frame.copy, stride);
      const Number copies = node->kind == LayoutKind::repeat ? Numbers::of(node->count) : Numbers::of(part.blocklength);
      if (is_unit(child.facts)) {
        run = Run{&child.facts, base, copies - frame.copy, stride};
        if (node->kind == LayoutKind::parts) {
          next_part(frame);
          push(frame);
        }
        return true;
      }
      frame.copy += 1;
      if (node->kind == LayoutKind::parts && frame.copy == copies) next_part(frame);
      push(frame);
      node = &child;
    }
    run = Run{&node->facts, base, 1, 0};
    return true;
  }

  const LayoutFacts& child_facts(const LayoutNode& node) const { return layouts_[node.child].facts; }

  /// The node that is being read, where it has plain parts; the caller may pass some by itself.
  Frame* plain_parts() { return !stack_.empty() && stack_.back().has_plain_parts ? &stack_.back() : nullptr; }

 private:
  static bool is_unit(const LayoutFacts& facts) { return Units::count(facts) == Exact(1); }

  static void next_part(Frame& frame) {
    ++frame.part;
    frame.copy = 0;
  }

  void push(Frame frame) {
    const LayoutNode& node = *frame.node;
    if (node.kind == LayoutKind::parts && node.children.empty()) {
      const LayoutFacts& child = layouts_[node.child].facts;
      const bool has_single_copies = node.blocklengths.length == 0 && node.blocklength == 1;
      frame.has_plain_parts =
          is_unit(child) && (has_single_copies || units_of_copies<Units>(child, 2, node.child_extent) == Exact(1));
    }
    stack_.push_back(frame);
  }

  /// Through nodes that only shift or mark.
  const LayoutNode& peeled(const LayoutNode& outer, Number& base) const {
    const LayoutNode* node = &outer;
    while (true) {
      if (node->kind == LayoutKind::repeat && node->count == Exact(1)) {
        node = &layouts_[node->child];
      } else if (node->kind == LayoutKind::parts && node->part_count == 1 && node->blocklength_of(0) == 1) {
        base = base + Numbers::at(*node, 0);
        node = &layouts_[node->child_of(0)];
      } else {
        return *node;
      }
    }
  }

  /// A run where the node, which is not empty, is one; else a frame for it.
  bool open(const LayoutNode& outer, Number base, Run& run) {
    if (is_unit(outer.facts)) {
      run = Run{&outer.facts, base, 1, 0};
      return true;
    }
    const LayoutNode& node = peeled(outer, base);
    if (node.kind == LayoutKind::repeat) {
      const LayoutNode& child = layouts_[node.child];
      if (is_unit(child.facts)) {
        run = Run{&child.facts, base, Numbers::of(node.count), Numbers::of(node.stride)};
        return true;
      }
      // Two loops are one run where nothing joins.
      Number inner_base = base;
      const LayoutNode& inner = peeled(child, inner_base);
      if (inner.kind == LayoutKind::repeat && Units::count(inner.facts) == inner.count &&
          Units::count(node.facts) == node.count * inner.count) {
        const LayoutFacts& unit = layouts_[inner.child].facts;
        run = Run{&unit,
                  inner_base,
                  Numbers::of(inner.count),
                  Numbers::of(inner.stride),
                  Numbers::of(node.count),
                  Numbers::of(node.stride)};
        return true;
      }
    }
    push(Frame{&node, base});
    return false;
  }

  const Layouts& layouts_;
  const LayoutNode& top_;
  std::vector<Frame> stack_;
};

}  // namespace ddtscope
