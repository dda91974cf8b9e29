// Text without capital letters, whatever the locale.
#pragma once

#include <algorithm>
#include <string>

namespace ddtscope {

/// Of the letters A to Z; every other byte stays.
inline std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace ddtscope
