#include "reporters/sarif/uri.h"

namespace ddtscope::reporters {

std::string encoded_path(std::string_view path) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_alphanumeric =
        (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    if (is_alphanumeric || std::string_view("-._~/").find(c) != std::string_view::npos) {
      text += c;
    } else {
      text += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text;
}

std::string file_uri(std::string_view path) { return "file://" + encoded_path(path); }

}  // namespace ddtscope::reporters
