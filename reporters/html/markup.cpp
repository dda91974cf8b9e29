#include "reporters/html/markup.h"

#include "reporters/text/style.h"

namespace ddtscope::reporters {

std::ostream& operator<<(std::ostream& out, Text text) {
  for (const char c : printable(text.text)) {
    switch (c) {
      case '&':
        out << "&amp;";
        break;
      case '<':
        out << "&lt;";
        break;
      case '>':
        out << "&gt;";
        break;
      case '"':
        out << "&quot;";
        break;
      case '\'':
        out << "&#39;";
        break;
      default:
        out << c;
    }
  }
  return out;
}

std::string json_in_script(const Json& value) {
  // In JSON these stand within strings only.
  std::string text;
  for (const char c : value.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace ddtscope::reporters
