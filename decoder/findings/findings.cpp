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

/// In the order of the kinds.
constexpr std::array<Detector, finding_kind_count> detectors = {{
    {FindingId::exceeds_int, findings::exceeds_int},
    {FindingId::copies_overlap, findings::copies_overlap},
    {FindingId::entries_overlap, findings::entries_overlap},
    {FindingId::missing_resize, findings::missing_resize},
    {FindingId::misaligned_members, findings::misaligned_members},
    {FindingId::not_portable, findings::not_portable},
    {FindingId::library_disagrees, findings::library_disagrees},
    {FindingId::absolute_addresses, findings::absolute_addresses},
    {FindingId::beyond_bounds, findings::beyond_bounds},
    {FindingId::negative_lb, findings::negative_lb},
    {FindingId::gap_before_lb, findings::gap_before_lb},
    {FindingId::negative_extent, findings::negative_extent},
    {FindingId::empty_type, findings::empty_type},
    {FindingId::empty_blocks, findings::empty_blocks},
    {FindingId::removed_markers, findings::removed_markers},
    {FindingId::simpler_type, findings::simpler_type},
}};

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
