#include "reporters/text/style.h"

#include <algorithm>
#include <cstdint>

namespace ddtscope::reporters {
namespace {

std::string_view code_of(Role role) {
  switch (role) {
    case Role::heading:
      return "\033[1m";
    case Role::data:
      return "\033[36m";
    case Role::hole:
      return "\033[33m";
    case Role::warning:
      return "\033[31m";
    case Role::faint:
      return "\033[2m";
  }
  return "";
}

std::string escaped_byte(unsigned char byte) {
  static constexpr char digits[] = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

/// Length of the well-formed UTF-8 sequence at the start of `text`, its code point in `point`; 0 if there is none.
std::size_t decode(std::string_view text, std::uint32_t& point) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    point = lead;
    return 1;
  }
  const std::size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                                                           : 0;
  if (length == 0 || text.size() < length) {
    return 0;
  }
  point = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
    point = point << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  return overlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0 : length;
}

/// Characters that act on a terminal or turn the direction of text.
bool is_unsafe(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0x2028 || point == 0x2029;
}

}  // namespace

std::string Style::operator()(Role role, std::string_view text) const {
  if (colour_ == Colour::never) {
    return std::string(text);
  }
  return std::string(code_of(role)) + std::string(text) + "\033[0m";
}

std::string printable(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; })) {
    return std::string(text);
  }
  std::string result;
  while (!text.empty()) {
    std::uint32_t point = 0;
    const std::size_t length = decode(text, point);
    if (length != 0 && !is_unsafe(point)) {
      result += text.substr(0, length);
    } else {
      for (std::size_t i = 0; i < (length == 0 ? 1 : length); ++i) {
        result += escaped_byte(static_cast<unsigned char>(text[i]));
      }
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }
  return count;
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (columns(text) <= width) {
    return std::string(text);
  }
  constexpr std::string_view mark = "...";
  std::size_t end = 0;
  for (std::size_t column = mark.size(); column < width; ++column) {
    do {
      ++end;
    } while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80);
  }
  return std::string(text.substr(0, end)) + std::string(mark);
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

std::string padded_right(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

}  // namespace ddtscope::reporters
