// The kinds of findings, as findings.def has them.
#include "decoder/findings/finding_kinds.h"

#include <array>
#include <cstddef>

namespace ddtscope {
namespace {

constexpr auto kinds = std::to_array<FindingKind>({
#define FINDING(id, name, severity, title, explanation, example) \
  {name, Severity::severity, title, explanation, example},
#include "decoder/findings/findings.def"
#undef FINDING
});

}  // namespace

const FindingKind& kind_of(FindingId id) { return kinds[static_cast<std::size_t>(id)]; }

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

}  // namespace ddtscope
