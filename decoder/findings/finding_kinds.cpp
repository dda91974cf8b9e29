// The kinds of findings, as findings.def has them.
#include "decoder/findings/finding_kinds.h"

#include <array>
#include <cstddef>

namespace ddtscope {
namespace {

constexpr auto kinds = std::to_array<FindingKind>({
#define FINDING(id, name, severity, least, title, explanation, example) \
  {name, Severity::severity, Severity::least, title, explanation, example, ""},
#define JOB_FINDING(id, name, severity, least, aliases, title, explanation, example) \
  {name, Severity::severity, Severity::least, title, explanation, example, aliases},
#include "decoder/findings/findings.def"
});

}  // namespace

const FindingKind& kind_of(FindingId id) { return kinds[static_cast<std::size_t>(id)]; }

FindingId id_of(const FindingKind& kind) { return static_cast<FindingId>(&kind - kinds.data()); }

std::span<const FindingKind> finding_kinds() { return kinds; }

const FindingKind* find_finding_kind(std::string_view id) {
  for (const FindingKind& kind : kinds) {
    if (kind.id == id) return &kind;
  }
  return nullptr;
}

std::string_view text_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

std::optional<Severity> severity_of_text(std::string_view text) {
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    if (text == text_of(severity)) return severity;
  }
  return std::nullopt;
}

}  // namespace ddtscope
