// Words in a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddtscope {

/// "a, b, c"
inline std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != &words.front()) text += separator;
    text += word;
  }
  return text;
}

}  // namespace ddtscope
