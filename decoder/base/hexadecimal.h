// Bytes as hexadecimal digits.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ddtscope {

/// Two digits for each byte, in their order, without a prefix.
inline std::string hexadecimal_digits(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte >> 4)];
    text += digits[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace ddtscope
