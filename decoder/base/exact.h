// Checked 128-bit integers: a value is exact or it is said not to fit; it never wraps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ddtscope {

__extension__ typedef __int128 Int128;

constexpr Int128 floor_quotient(Int128 a, Int128 positive) {
  const Int128 quotient = a / positive;
  return quotient - (quotient * positive > a ? 1 : 0);
}
constexpr Int128 ceiling_quotient(Int128 a, Int128 positive) { return -floor_quotient(-a, positive); }

/// An integer that knows whether it is exact. Arithmetic that leaves 128 bits gives a value that does
/// not fit, and so does all arithmetic with such a value.
class Exact {
 public:
  constexpr Exact() = default;
  constexpr Exact(Int128 value) : value_(value) {}
  constexpr Exact(std::int64_t value) : value_(value) {}
  constexpr Exact(int value) : value_(value) {}
  static constexpr Exact unfit() {
    Exact result;
    result.fits_ = false;
    return result;
  }

  constexpr bool fits() const { return fits_; }
  /// The value; only meaningful where fits().
  constexpr Int128 value() const { return value_; }
  /// The value where it fits 64 bits.
  constexpr std::optional<std::int64_t> to_int64() const {
    if (!fits_ || value_ < std::numeric_limits<std::int64_t>::min() ||
        value_ > std::numeric_limits<std::int64_t>::max()) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(value_);
  }
  /// Decimal digits, or "does not fit".
  std::string to_string() const;

  friend constexpr Exact operator+(Exact a, Exact b) {
    Exact result;
    result.fits_ = a.fits_ && b.fits_ && !__builtin_add_overflow(a.value_, b.value_, &result.value_);
    return result;
  }
  friend constexpr Exact operator-(Exact a, Exact b) {
    Exact result;
    result.fits_ = a.fits_ && b.fits_ && !__builtin_sub_overflow(a.value_, b.value_, &result.value_);
    return result;
  }
  friend constexpr Exact operator*(Exact a, Exact b) {
    Exact result;
    result.fits_ = a.fits_ && b.fits_ && !__builtin_mul_overflow(a.value_, b.value_, &result.value_);
    return result;
  }
  friend constexpr Exact operator-(Exact a) { return Exact(0) - a; }
  Exact& operator+=(Exact other) { return *this = *this + other; }

  friend constexpr Exact min(Exact a, Exact b) {
    return a.fits_ && b.fits_ ? Exact(std::min(a.value_, b.value_)) : unfit();
  }
  friend constexpr Exact max(Exact a, Exact b) {
    return a.fits_ && b.fits_ ? Exact(std::max(a.value_, b.value_)) : unfit();
  }
  friend constexpr Exact abs(Exact a) { return a.fits_ && a.value_ < 0 ? -a : a; }

  /// Equal only where both fit: two values that do not fit are not known to be the same.
  friend constexpr bool operator==(Exact a, Exact b) { return a.fits_ && b.fits_ && a.value_ == b.value_; }
  /// Order of two values that fit; false where one does not.
  friend constexpr bool operator<(Exact a, Exact b) { return a.fits_ && b.fits_ && a.value_ < b.value_; }
  friend constexpr bool operator<=(Exact a, Exact b) { return a.fits_ && b.fits_ && a.value_ <= b.value_; }
  friend constexpr bool operator>(Exact a, Exact b) { return b < a; }
  friend constexpr bool operator>=(Exact a, Exact b) { return b <= a; }

 private:
  Int128 value_ = 0;
  bool fits_ = true;
};

}  // namespace ddtscope
