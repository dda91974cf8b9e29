// Draws the findings: one function per kind, all analytic; entries are looked at one by one only to name an example.
#include "decoder/findings/findings.h"

#include <algorithm>
#include <array>

#include "decoder/findings/finding_detectors.h"
#include "decoder/findings/finding_kinds.h"

namespace ddtscope {
namespace {

struct Detector {
  FindingId id;
  findings::MaybeDraft (*find)(const findings::Subject& subject);
};

constexpr auto detectors = std::to_array<Detector>({
#define FINDING(id, ...) {FindingId::id, findings::id},
#include "decoder/findings/findings.def"
});

}  // namespace

std::vector<Finding> findings_of(const FindingSources& sources, DefinitionId id) {
  std::vector<Finding> found;
  // Predefined types, F90 types among them, are the library's.
  if (row_of(sources.layouts.store()[id].call.combiner).datatypes == DatatypeArguments::none) return found;
  const findings::Subject subject(sources, id);
  for (const Detector& detector : detectors) {
    findings::MaybeDraft draft = detector.find(subject);
    if (!draft) continue;
    found.push_back({&kind_of(detector.id), draft->severity, std::move(draft->message), std::move(draft->advice)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return found;
}

}  // namespace ddtscope
