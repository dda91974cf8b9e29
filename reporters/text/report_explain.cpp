// What the findings mean.
#include <algorithm>

#include "reporters/text/report.h"

namespace ddtscope {
namespace {

std::string heading_of(const FindingKind& kind) {
  return std::string(kind.id) + ": " + std::string(kind.title) + " (" + std::string(text_of(kind.severity)) + ")";
}

}  // namespace

void report_explanation(std::ostream& out, const Style& style, const FindingKind& kind) {
  out << style(Role::heading, heading_of(kind)) << "\n\n";
  out << kind.explanation << (kind.explanation.ends_with('\n') ? "" : "\n") << "\n"
      << style(Role::heading, "Example") << "\n\n"
      << kind.example;
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
