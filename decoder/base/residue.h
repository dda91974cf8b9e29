// Integers modulo two primes at once: what the fingerprints' polynomial hashes are computed in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "decoder/base/exact.h"

namespace ddtscope {

/// An integer modulo 2^61 - 1 and modulo 2^61 - 45.
class Residue {
 public:
  constexpr Residue() = default;
  /// Of any 128-bit integer, negative ones too.
  constexpr explicit Residue(Int128 value) {
    // In two steps: the negative of the least value does not fit.
    const Wide magnitude = value < 0 ? static_cast<Wide>(-(value + 1)) + 1 : static_cast<Wide>(value);
    *this = Residue(of(magnitude, 0), of(magnitude, 1), Reduced{});
    if (value < 0) *this = Residue() - *this;
  }
  /// Of one number per prime.
  constexpr Residue(std::uint64_t first, std::uint64_t second) : words_{of(first, 0), of(second, 1)} {}

  constexpr const std::array<std::uint64_t, 2>& words() const { return words_; }

  friend constexpr Residue operator+(Residue a, Residue b) {
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] = below_prime(a.words_[i] + b.words_[i], i);
    return a;
  }
  friend constexpr Residue operator-(Residue a, Residue b) {
    for (std::size_t i = 0; i < a.words_.size(); ++i) {
      a.words_[i] = below_prime(a.words_[i] + prime(i) - b.words_[i], i);
    }
    return a;
  }
  friend constexpr Residue operator*(Residue a, Residue b) {
    return {product<0>(a.words_[0], b.words_[0]), product<1>(a.words_[1], b.words_[1]), Reduced{}};
  }
  friend constexpr bool operator==(Residue, Residue) = default;

 private:
  __extension__ typedef unsigned __int128 Wide;
  struct Reduced {};
  constexpr Residue(std::uint64_t first, std::uint64_t second, Reduced) : words_{first, second} {}
  static constexpr std::array<std::uint64_t, 2> below_2_61 = {1, 45};
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 61) - 1;

  static constexpr std::uint64_t prime(std::size_t i) { return mask + 1 - below_2_61[i]; }
  /// Of a number less than twice the prime.
  static constexpr std::uint64_t below_prime(std::uint64_t value, std::size_t i) {
    return value >= prime(i) ? value - prime(i) : value;
  }
  /// 2^61 is 1, or 45: the upper bits come back into the lower ones.
  static constexpr Wide folded(Wide value, std::size_t i) { return (value & mask) + below_2_61[i] * (value >> 61); }
  /// From 128 bits, one round leaves fewer than 73, the second one a number below 2^61 + 45 * 2^12.
  static constexpr std::uint64_t of(Wide value, std::size_t i) {
    if (value > ~std::uint64_t{0}) value = folded(value, i);
    return below_prime(static_cast<std::uint64_t>(folded(value, i)), i);
  }
  /// The product's upper half times 1, or 45, has 67 bits at most: the rest is done in 64.
  template <std::size_t i>
  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    const Wide whole = static_cast<Wide>(a) * b;
    const std::uint64_t low = static_cast<std::uint64_t>(whole) & mask;
    const std::uint64_t high = static_cast<std::uint64_t>(whole >> 61);
    if constexpr (below_2_61[i] == 1) return below_prime(low + high, i);
    const Wide once = static_cast<Wide>(high) * below_2_61[i] + low;
    const std::uint64_t rest = static_cast<std::uint64_t>(once >> 61) * below_2_61[i];
    return below_prime((static_cast<std::uint64_t>(once) & mask) + rest, i);
  }

  std::array<std::uint64_t, 2> words_{};
};

}  // namespace ddtscope
