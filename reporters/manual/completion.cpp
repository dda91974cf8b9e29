#include "reporters/manual/completion.h"

namespace ddtscope::reporters {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace ddtscope::reporters
