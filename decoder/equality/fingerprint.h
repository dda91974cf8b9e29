// Fingerprints of typemaps and signatures: polynomial hashes, composed from the children's without
// expanding anything. Equal sequences have equal fingerprints however they were built; different ones
// differ but for a chance of about 2^-100.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoder/base/residue.h"
#include "decoder/layout/layout.h"
#include "decoder/layout/layout_index.h"

namespace ddtscope {

/// Of a sequence. Two 61-bit primes. All zeros for the empty sequence.
struct Fingerprint {
  std::array<std::uint64_t, 2> words{};
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};
std::string text_of(const Fingerprint& fingerprint);  // 32 hex digits; the same on every machine and in every run

/// The hash of a sequence of basic types, in a form that can be composed: H(AB) = H(A) r^|B| + H(B).
struct SignatureHash {
  Residue value;
  Residue power = Residue(1);  // r^length

  friend SignatureHash operator+(const SignatureHash& a, const SignatureHash& b) {
    return {a.value * b.power + b.value, a.power * b.power};
  }
  friend bool operator==(const SignatureHash&, const SignatureHash&) = default;
};
/// `count` >= 0 times the same sequence: O(log count).
SignatureHash repeated(const SignatureHash& hash, Int128 count);

/// What makes two basic types one in a fingerprint.
enum class AlikeBy : std::uint8_t {
  name,            // in MPI-4.1's Annex A
  representation,  // what the same bytes mean: representation_of()
};

/// Fingerprints of one set of layouts, kept for each node that was needed; computed in time linear in the description
/// when first asked for. Not synchronised.
class Fingerprints {
 public:
  explicit Fingerprints(const Layouts& layouts, AlikeBy alike_by = AlikeBy::name);
  ~Fingerprints();

  /// Of the sequence of (basic type, displacement) pairs; empty where a value does not fit 128 bits.
  std::optional<Fingerprint> layout(LayoutId id);
  /// Of the sequence of basic types.
  std::optional<Fingerprint> signature(LayoutId id);

  /// For those who compose further; the node's entries must fit 128 bits.
  SignatureHash signature_hash(LayoutId id);
  /// Of the first `length` entries of copies without end.
  SignatureHash prefix_hash(LayoutId id, Int128 length);

  /// Of the same layouts, by representation; made when first asked for.
  Fingerprints& by_representation();

  const Layouts& layouts() const { return index_.layouts(); }
  /// For the caller's own walks, too.
  LayoutIndex& index() { return index_; }

  struct Sequence;  // the hashes of a sequence of entries

 private:
  struct Node;
  const Node& reach(LayoutId id);
  /// Of a node whose children are known.
  Sequence sequence_of(const LayoutNode& node) const;
  Sequence parts(const LayoutNode& node) const;
  /// Of what stands before each part.
  const std::vector<SignatureHash>& hashes_before_parts(LayoutId id);

  LayoutIndex index_;
  AlikeBy alike_by_;
  std::vector<Node> nodes_;  // by LayoutId
  std::unique_ptr<Fingerprints> by_representation_;
};

}  // namespace ddtscope
