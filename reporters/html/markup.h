// Text as HTML and as JSON within HTML: nothing that came from a trace ever becomes markup.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "reporters/json/json.h"

namespace ddtscope::reporters {

/// `out << Text{...}`: characters that HTML reads as markup as references, control characters as escapes.
struct Text {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, Text text);

/// JSON on one line that no HTML parser takes for the end of the script element in which it stands.
std::string json_in_script(const Json& value);

}  // namespace ddtscope::reporters
