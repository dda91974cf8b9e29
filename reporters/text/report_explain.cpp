// What the findings mean.
#include <algorithm>

#include "reporters/text/report.h"

namespace ddtscope {
namespace {

constexpr std::size_t line_width = 100;

/// Paragraphs, wrapped at blanks; lines that begin with one stay as they are.
void print_wrapped(std::ostream& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.size() > line_width && line.front() != ' ') {
      const std::size_t blank = line.rfind(' ', line_width);
      if (blank == std::string_view::npos) break;
      out << line.substr(0, blank) << "\n";
      line.remove_prefix(blank + 1);
    }
    out << line << "\n";
  }
}

std::string heading_of(const FindingKind& kind) {
  return std::string(kind.id) + ": " + std::string(kind.title) + " (" + std::string(text_of(kind.severity)) + ")";
}

}  // namespace

void report_explanation(std::ostream& out, const Style& style, const FindingKind& kind) {
  out << style(Role::heading, heading_of(kind)) << "\n\n";
  print_wrapped(out, kind.explanation);
  out << "\n" << style(Role::heading, "Example") << "\n\n" << kind.example;
  if (!kind.example.ends_with('\n')) out << "\n";
}

void report_finding_kinds(std::ostream& out, const Style& style) {
  std::size_t width = 0;
  for (const FindingKind& kind : finding_kinds()) width = std::max(width, kind.id.size());
  for (const FindingKind& kind : finding_kinds()) {
    out << style(Role::heading, padded_right(kind.id, width)) << "  " << padded_right(text_of(kind.severity), 7) << "  "
        << kind.title << "\n";
  }
}

}  // namespace ddtscope
