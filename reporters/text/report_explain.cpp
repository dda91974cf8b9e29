// What the findings mean.
#include <algorithm>

#include "reporters/text/report.h"

namespace ddtscope::reporters {
namespace {

/// "error", or "error to note".
std::string severities_of(const FindingKind& kind) {
  std::string text(text_of(kind.severity));
  if (kind.least < kind.severity) text += " to " + std::string(text_of(kind.least));
  return text;
}

std::string heading_of(const FindingKind& kind) {
  return std::string(kind.id) + ": " + std::string(kind.title) + " (" + severities_of(kind) + ")";
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
  std::size_t of_id = 0, of_severities = 0;
  for (const FindingKind& kind : finding_kinds()) {
    of_id = std::max(of_id, kind.id.size());
    of_severities = std::max(of_severities, severities_of(kind).size());
  }
  for (const FindingKind& kind : finding_kinds()) {
    out << style(Role::heading, padded_right(kind.id, of_id)) << "  "
        << padded_right(severities_of(kind), of_severities) << "  " << kind.title << "\n";
  }
}

}  // namespace ddtscope::reporters
