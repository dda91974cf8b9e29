// Texts with places to be filled.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ddtscope::reporters {

/// `text` with each line that is "@NAME@" replaced by the lines of that name, which end in one. Throws std::logic_error
/// where a name has not exactly one such line, or a line is none of the names.
std::string filled(const std::string& text, const std::vector<std::pair<std::string, std::string>>& lines);

}  // namespace ddtscope::reporters
