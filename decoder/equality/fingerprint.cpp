// The hash of a sequence of entries e_0 ... e_(n-1) is the sum of e_i r^(n-1-i), where an entry is a code of its basic
// type, in a layout plus beta times its displacement: a shift by D then adds beta * D * (r^(n-1) + ... + 1), so that
// children are shifted and repeated without being opened. Codes come from the basic types' names alone, and all
// constants are fixed: fingerprints are compared between traces.
#include "decoder/equality/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "decoder/base/children_first.h"
#include "decoder/definition/basic_kind.h"

namespace ddtscope {

/// The hashes of a sequence of entries.
struct Fingerprints::Sequence {
  Residue power = Residue(1);  // r^length
  Residue sum;                 // r^(length-1) + ... + 1
  Residue layout, signature;
};

namespace {

using Sequence = Fingerprints::Sequence;

// From the digits of pi; raised to the next primitive roots of the two primes, so that powers repeat as late as can be.
constexpr Residue r(0x043f6a8885a308de, 0x13198a2e03707349);
constexpr Residue beta(0x04093822299f31d5, 0x082efa98ec4e6c89);
// Other codes in layouts than in signatures: a fingerprint of one kind never looks like one of the other.
constexpr std::array<std::uint64_t, 2> signature_seeds = {0x7369676e61747572, 0x65207369676e6174};
constexpr std::array<std::uint64_t, 2> layout_seeds = {0x6c61796f7574206c, 0x61796f7574206c61};

Residue code_of(std::string_view name, const std::array<std::uint64_t, 2>& seeds) {
  return {XXH3_64bits_withSeed(name.data(), name.size(), seeds[0]),
          XXH3_64bits_withSeed(name.data(), name.size(), seeds[1])};
}

/// `b`, moved by `shift` (times beta), behind `a`.
Sequence joined(const Sequence& a, const Sequence& b, Residue shift) {
  return {a.power * b.power, a.sum * b.power + b.sum, a.layout * b.power + b.layout + shift * b.sum,
          a.signature * b.power + b.signature};
}

/// `count` > 0 copies of `one`, by doubling. `join` knows how to double what there is and to add one more copy.
template <class T, class Join>
T repeat(const T& one, Int128 count, Join join) {
  const auto high = static_cast<std::uint64_t>(count >> 64);
  const auto low = static_cast<std::uint64_t>(count);
  T all = one;
  for (int bit = high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low); bit > 0; --bit) {
    all = join.twice(all);
    if ((count >> (bit - 1) & 1) != 0) all = join.once_more(all, one);
  }
  return all;
}

struct JoinSignatures {
  SignatureHash twice(const SignatureHash& all) const { return all + all; }
  SignatureHash once_more(const SignatureHash& all, const SignatureHash& one) const { return all + one; }
};

struct JoinSequences {
  Residue stride;         // times beta
  Residue next = stride;  // where the next copy starts
  Sequence twice(const Sequence& all) {
    const Sequence result = joined(all, all, next);
    next = next + next;
    return result;
  }
  Sequence once_more(const Sequence& all, const Sequence& one) {
    const Sequence result = joined(all, one, next);
    next = next + stride;
    return result;
  }
};

Sequence copies(const Sequence& one, Int128 count, Exact stride) {
  if (count == 1) return one;
  const Residue step = beta * Residue(stride.value());
  return repeat(one, count, JoinSequences{step, step});
}

// The long arrays of the indexed family have loops of their own, in which only what a block's place changes is
// computed block by block.

/// Equal blocks of one child.
Sequence even_blocks(const LayoutNode& node, const Sequence& child) {
  const Sequence block = copies(child, node.blocklength, node.child_extent);
  Residue displacements;  // the sum of displacement(i) * block.power^(n-1-i)
  for (std::size_t i = 0; i < node.part_count; ++i) {
    displacements = displacements * block.power + Residue(node.displacements[i]);
  }
  Sequence all = copies(block, static_cast<std::int64_t>(node.part_count), 0);
  all.layout = all.layout + beta * Residue(node.displacement_unit.value()) * block.sum * displacements;
  return all;
}

/// Blocks of several lengths of one child.
Sequence blocks(const LayoutNode& node, const Sequence& child) {
  struct Block {
    std::int64_t length = 0;
    Sequence copies;
  };
  std::array<Block, 64> kept;  // the last one of each length, by its lower bits
  const auto block = [&](std::int64_t length) -> const Sequence& {
    Block& known = kept[static_cast<std::size_t>(length) % kept.size()];
    if (known.length != length) known = {length, copies(child, length, node.child_extent)};
    return known.copies;
  };
  const Residue unit = beta * Residue(node.displacement_unit.value());
  Int128 total = 0;
  Residue layout;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const std::int64_t length = node.blocklengths[i];
    if (length <= 0) continue;
    const Sequence& next = block(length);
    layout = layout * next.power + next.layout + unit * Residue(node.displacements[i]) * next.sum;
    total += length;
  }
  Sequence all = copies(child, total, 0);
  all.layout = layout;
  return all;
}

/// What a node's sequence is made of.
template <class See>
void each_child_of(const LayoutNode& node, See see) {
  if (node.facts.empty() || (node.kind != LayoutKind::repeat && node.kind != LayoutKind::parts)) return;
  if (node.kind == LayoutKind::repeat || node.children.empty()) {
    see(node.child);
    return;
  }
  for (const LayoutId child : node.children) see(child);
}

bool has_exact_displacements(const LayoutFacts& facts) {
  return facts.entries.fits() && facts.true_lb.fits() && facts.true_ub.fits();
}

}  // namespace

std::string text_of(const Fingerprint& fingerprint) {
  return key_text(fingerprint.words[0]) + key_text(fingerprint.words[1]);
}

SignatureHash repeated(const SignatureHash& hash, Int128 count) {
  return count == 0 ? SignatureHash{} : repeat(hash, count, JoinSignatures{});
}

struct Fingerprints::Node : Sequence {
  bool is_known = false;
  std::vector<SignatureHash> before_parts;  // when first needed
};

Fingerprints::Fingerprints(const Layouts& layouts, AlikeBy alike_by) : index_(layouts), alike_by_(alike_by) {}

Fingerprints::~Fingerprints() = default;

Fingerprints& Fingerprints::by_representation() {
  if (!by_representation_) by_representation_ = std::make_unique<Fingerprints>(layouts(), AlikeBy::representation);
  return *by_representation_;
}

const Fingerprints::Node& Fingerprints::reach(LayoutId id) {
  if (nodes_.size() <= id.value) nodes_.resize(id.value + 1);  // a node's children have smaller ids
  // Nobody asks for most nodes: only what this one is made of is looked at.
  children_first(
      id, [&](LayoutId node) { return nodes_[node.value].is_known; },
      [&](LayoutId node, auto see) { each_child_of(layouts()[node], see); },
      [&](LayoutId node) {
        Node& known = nodes_[node.value];
        static_cast<Sequence&>(known) = sequence_of(layouts()[node]);
        known.is_known = true;
      });
  return nodes_[id.value];
}

Fingerprints::Sequence Fingerprints::sequence_of(const LayoutNode& node) const {
  if (node.facts.empty()) return {};
  switch (node.kind) {
    case LayoutKind::basic: {
      const PredefinedType& type = layouts().store().predefined()[node.basic];
      const std::string text = alike_by_ == AlikeBy::name ? type.name : representation_of(type);
      return {r, Residue(1), code_of(text, layout_seeds), code_of(text, signature_seeds)};
    }
    case LayoutKind::empty:
      break;
    case LayoutKind::repeat:
      return copies(nodes_[node.child.value], node.count.value(), node.stride);
    case LayoutKind::parts:
      return parts(node);
  }
  return {};
}

Fingerprints::Sequence Fingerprints::parts(const LayoutNode& node) const {
  if (node.children.empty() && node.child_extents.empty()) {
    const Sequence& child = nodes_[node.child.value];
    return node.blocklengths.length == 0 ? even_blocks(node, child) : blocks(node, child);
  }
  Sequence all;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const LayoutPart part = node.part(i);
    if (part.blocklength <= 0 || layouts()[part.child].facts.empty()) continue;
    all = joined(all, copies(nodes_[part.child.value], part.blocklength, part.extent),
                 beta * Residue(part.displacement.value()));
  }
  return all;
}

const std::vector<SignatureHash>& Fingerprints::hashes_before_parts(LayoutId id) {
  std::vector<SignatureHash>& hashes = nodes_[id.value].before_parts;
  if (!hashes.empty()) return hashes;
  const LayoutNode& node = layouts()[id];
  hashes.reserve(node.part_count);
  SignatureHash before;
  for (std::size_t i = 0; i < node.part_count; ++i) {
    hashes.push_back(before);
    const std::int64_t blocklength = node.blocklength_of(i);
    if (blocklength > 0) before = before + repeated(signature_hash(node.children[i]), blocklength);
  }
  return hashes;
}

std::optional<Fingerprint> Fingerprints::layout(LayoutId id) {
  if (!has_exact_displacements(layouts()[id].facts)) return std::nullopt;
  return Fingerprint{reach(id).layout.words()};
}

std::optional<Fingerprint> Fingerprints::signature(LayoutId id) {
  if (!layouts()[id].facts.entries.fits()) return std::nullopt;
  return Fingerprint{reach(id).signature.words()};
}

SignatureHash Fingerprints::signature_hash(LayoutId id) {
  const Node& node = reach(id);
  return {node.signature, node.power};
}

SignatureHash Fingerprints::prefix_hash(LayoutId id, Int128 length) {
  SignatureHash hash;
  reach(id);
  while (length > 0) {
    const LayoutNode& node = layouts()[id];
    const CopyAndUnit place = copy_of_unit<EntryUnits>(node.facts, length, 0);
    if (place.copy > Exact(0)) {
      hash = hash + repeated(signature_hash(id), place.copy.value());
      length = place.unit.value();
      continue;
    }
    if (node.children.empty()) {  // copies of one child, wherever they stand
      id = node.child;
      continue;
    }
    const auto found = index_.part_of_unit<EntryUnits>(node, length);
    hash = hash + hashes_before_parts(id)[found.part];
    length = found.unit.value();
    id = node.children[found.part];
  }
  return hash;
}

}  // namespace ddtscope
