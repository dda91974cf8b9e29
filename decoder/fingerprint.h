// Fingerprints of typemaps and signatures: polynomial hashes, composed from the children's without
// expanding anything. Equal sequences have equal fingerprints however they were built; different ones
// differ but for a chance of about 2^-100.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoder/layout.h"

namespace ddtscope {

/// Of a sequence. Two 61-bit primes.
struct Fingerprint {
  std::array<std::uint64_t, 2> words{};
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};
std::string text_of(const Fingerprint& fingerprint);  // 32 hex digits; the same on every machine and in every run

/// Fingerprints of one set of layouts, kept per node; computed in time linear in the description when
/// first asked for. Not synchronised.
class Fingerprints {
 public:
  explicit Fingerprints(const Layouts& layouts);
  ~Fingerprints();

  /// Of the sequence of (basic type, displacement) pairs; empty where a value does not fit 128 bits.
  std::optional<Fingerprint> layout(LayoutId id);
  /// Of the sequence of basic types.
  std::optional<Fingerprint> signature(LayoutId id);
  /// Of the signature's first `length` entries; 0 <= length <= entries * copies, of `copies` copies.
  std::optional<Fingerprint> signature_prefix(LayoutId id, Exact copies, Exact length);

 private:
  struct Node;
  const Layouts& layouts_;
  std::vector<Node> nodes_;  // by LayoutId
};

}  // namespace ddtscope
