#include "reporters/manual/template.h"

#include <algorithm>
#include <stdexcept>

namespace ddtscope::reporters {

std::string filled(const std::string& text, const std::vector<std::pair<std::string, std::string>>& lines) {
  std::string result;
  std::vector<std::string> used;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.size() < 3 || line.front() != '@' || line.back() != '@') {
      result += line + "\n";
      continue;
    }
    const std::string name = line.substr(1, line.size() - 2);
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == lines.end()) throw std::logic_error("nothing is known to stand for " + line);
    result += found->second;
    used.push_back(name);
  }
  for (const auto& [name, with] : lines) {
    if (std::count(used.begin(), used.end(), name) != 1) throw std::logic_error("@" + name + "@ is to stand once");
  }
  return result;
}

}  // namespace ddtscope::reporters
