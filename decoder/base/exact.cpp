// Decimal text of 128-bit integers.
#include "decoder/base/exact.h"

namespace ddtscope {

std::string Exact::to_string() const {
  if (!fits_) return "does not fit";
  if (value_ == 0) return "0";
  // Digits are taken from the negative side, where the smallest value has a representation too.
  Int128 rest = value_ < 0 ? value_ : -value_;
  std::string digits;
  while (rest != 0) {
    digits.push_back(static_cast<char>('0' - static_cast<int>(rest % 10)));
    rest /= 10;
  }
  if (value_ < 0) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace ddtscope
