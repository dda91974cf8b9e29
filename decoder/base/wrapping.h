// Machine arithmetic that wraps: 64 bits, two's complement, as libraries compute where a value does not fit.
#pragma once

#include <compare>
#include <cstdint>

namespace ddtscope {

/// A 64-bit integer whose arithmetic is modulo 2^64 and whose order is the signed one. For what a library
/// makes of values that do not fit; what the decoder itself computes is Exact.
class Wrapping {
 public:
  constexpr Wrapping() = default;
  constexpr Wrapping(std::int64_t value) : bits_(static_cast<std::uint64_t>(value)) {}

  constexpr std::int64_t value() const { return static_cast<std::int64_t>(bits_); }

  friend constexpr Wrapping operator+(Wrapping a, Wrapping b) { return from_bits(a.bits_ + b.bits_); }
  friend constexpr Wrapping operator-(Wrapping a, Wrapping b) { return from_bits(a.bits_ - b.bits_); }
  friend constexpr Wrapping operator*(Wrapping a, Wrapping b) { return from_bits(a.bits_ * b.bits_); }
  /// Rounds towards zero. `b` must be positive, so that nothing can wrap.
  friend constexpr Wrapping operator/(Wrapping a, Wrapping b) { return a.value() / b.value(); }
  friend constexpr Wrapping operator%(Wrapping a, Wrapping b) { return a.value() % b.value(); }
  constexpr Wrapping& operator+=(Wrapping other) { return *this = *this + other; }
  constexpr Wrapping& operator*=(Wrapping other) { return *this = *this * other; }

  friend constexpr bool operator==(Wrapping a, Wrapping b) = default;
  friend constexpr std::strong_ordering operator<=>(Wrapping a, Wrapping b) { return a.value() <=> b.value(); }

 private:
  static constexpr Wrapping from_bits(std::uint64_t bits) {
    Wrapping result;
    result.bits_ = bits;
    return result;
  }
  std::uint64_t bits_ = 0;
};

}  // namespace ddtscope
