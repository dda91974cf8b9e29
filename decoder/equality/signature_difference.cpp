// Two walks side by side, each at copies of some subtree. Where the subtrees' sequences commute (xy = yx), both are
// powers of one sequence, and their copies agree as far as both go; else the longer one is opened. Copies that stand
// askew, (xy)(xy)... beside x(yx)(yx)..., agree once the one is turned into the other: that is tried before a second
// copy of the same subtree is opened. Copies that agree for as long as both periods together agree for ever (Fine and
// Wilf), so no more than a few copies are opened on any level.
#include "decoder/equality/signature_difference.h"

#include <algorithm>
#include <vector>

namespace ddtscope {
namespace {

bool commute(const SignatureHash& a, const SignatureHash& b) {
  return a.value * b.power + b.value == b.value * a.power + a.value;
}

/// Copies of a subtree that a walk is in: a period and how far it goes. Entries are counted in the whole signature.
struct Period {
  LayoutId node;
  Int128 length = 0;   // entries per copy
  Int128 start = 0;    // of the current copy
  Int128 end = 0;      // of the last copy
  SignatureHash hash;  // of one copy
  std::size_t next_part = 0;
  bool is_first = true;  // the current copy
};

class SignatureWalk {
 public:
  SignatureWalk(const RepeatedSignature& signature, Int128 length)
      : fingerprints_(signature.fingerprints), layouts_(signature.fingerprints.layouts()) {
    push(signature.root, 0, length);
  }

  /// What begins at the current entry.
  const Period& top() const { return stack_.back(); }

  /// Goes into the top's current copy. The top must not be a basic type.
  void open() { push_part(0, top().start); }

  /// Goes to an entry behind the current one.
  void seek(Int128 entry) {
    Int128 left_at = -1;
    for (; top().end <= entry; stack_.pop_back()) left_at = top().end;
    while (true) {
      Period& period = stack_.back();
      if (entry - period.start >= period.length) {
        const LayoutFacts& facts = layouts_[period.node].facts;
        period.start = entry - copy_of_unit<EntryUnits>(facts, entry - period.start, 0).unit.value();
        period.is_first = false;
      }
      if (entry == period.start) return;
      if (entry == left_at) {
        push_part(period.next_part, entry);
        return;
      }
      const auto found = fingerprints_.index().part_of_unit<EntryUnits>(layouts_[period.node], entry - period.start);
      push_part(found.part, entry - found.unit.value());
    }
  }

  /// How far the subtrees that are open agree, from the current entry on, with copies of what has this hash; the
  /// current entry where none is known to.
  Int128 agreement(const SignatureHash& hash, std::size_t& comparisons) const {
    const Int128 entry = top().start;
    for (std::size_t i = stack_.size() - 1; i-- > 0 && comparisons != 0;) {
      const Period& period = stack_[i];
      if (period.end - entry < period.length) continue;
      --comparisons;
      // (xy) turned is (yx): the end of xyx.
      const SignatureHash front = fingerprints_.prefix_hash(period.node, entry - period.start);
      const Residue turned = (period.hash + front).value - front.value * period.hash.power;
      if (commute({turned, period.hash.power}, hash)) return period.end;
    }
    return entry;
  }

 private:
  void push(LayoutId node, Int128 start, Int128 end) {
    // Copies of copies of one child, wherever they stand, are copies of it.
    while (layouts_[node].kind != LayoutKind::basic && layouts_[node].children.empty()) node = layouts_[node].child;
    stack_.push_back({node, layouts_[node].facts.entries.value(), start, end, fingerprints_.signature_hash(node)});
  }

  /// The first part from `part` on that has entries.
  void push_part(std::size_t part, Int128 start) {
    const LayoutNode& node = layouts_[top().node];
    while (node.blocklength_of(part) <= 0 || layouts_[node.children[part]].facts.empty()) ++part;
    stack_.back().next_part = part + 1;
    const Int128 entries = node.blocklength_of(part) * layouts_[node.children[part]].facts.entries.value();
    push(node.children[part], start, start + entries);
  }

  Fingerprints& fingerprints_;
  const Layouts& layouts_;
  std::vector<Period> stack_;
};

}  // namespace

Search follow_structures(const RepeatedSignature& a, const RepeatedSignature& b, Int128 length,
                         std::size_t comparisons) {
  SignatureWalk walk_a(a, length);
  SignatureWalk walk_b(b, length);
  Int128 entry = 0;
  while (comparisons != 0) {
    --comparisons;
    const Period& at_a = walk_a.top();
    const Period& at_b = walk_b.top();
    const bool commuting = commute(at_a.hash, at_b.hash);
    if (!commuting && at_a.length == 1 && at_b.length == 1) return {true, entry};
    // Of two that agree, the one that goes on behind the other may agree with what is around the other, too.
    const bool a_leads = commuting ? at_a.end >= at_b.end : at_a.length >= at_b.length;
    SignatureWalk& leading = a_leads ? walk_a : walk_b;
    const SignatureWalk& other = a_leads ? walk_b : walk_a;
    Int128 next = commuting ? other.top().end : entry;
    if (!leading.top().is_first) {
      const Int128 agreed = other.agreement(leading.top().hash, comparisons);
      next = std::max(next, std::min(leading.top().end, agreed));
    }
    if (next == entry) leading.open();
    if (next == entry) continue;
    if (next >= length) break;  // cannot be, but for equal fingerprints of different sequences
    entry = next;
    walk_a.seek(entry);
    walk_b.seek(entry);
  }
  return {false, entry};
}

Int128 bisect(const RepeatedSignature& a, const RepeatedSignature& b, Int128 equal, Int128 length) {
  for (Int128 different = length; different - equal > 1;) {
    const Int128 middle = equal + (different - equal) / 2;
    const bool same = a.fingerprints.prefix_hash(a.root, middle) == b.fingerprints.prefix_hash(b.root, middle);
    (same ? equal : different) = middle;
  }
  return equal;
}

Int128 first_difference(const RepeatedSignature& a, const RepeatedSignature& b, Int128 length) {
  constexpr std::size_t most_comparisons = 400;
  const Search search = follow_structures(a, b, length, most_comparisons);
  return search.is_found ? search.entry : bisect(a, b, search.entry, length);
}

}  // namespace ddtscope
