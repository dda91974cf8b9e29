// True-extent diagnosis.
#include "decoder/coverage/diagnosis.h"

#include "decoder/layout/span.h"

namespace ddtscope {

Diagnosis diagnose(const Layouts& layouts, DefinitionId id) { return diagnose(layouts, id, overlaps_of(layouts, id)); }

Overlaps overlaps_of(const Layouts& layouts, DefinitionId id) {
  const LayoutId root = layouts.root(id);
  return {overlap_within(layouts, root), overlap_of_copies(layouts, root, layouts.extent(id))};
}

Diagnosis diagnose(const Layouts& layouts, DefinitionId id, const Overlaps& overlaps) {
  const LayoutFacts& facts = layouts.facts(id);
  const Exact lb = layouts.lb(id);
  const Exact extent = layouts.extent(id);

  Diagnosis diagnosis;
  diagnosis.bytes_before_lb = 0;
  diagnosis.bytes_beyond_ub = 0;
  if (!facts.empty()) {
    diagnosis.bytes_before_lb = max(Exact(0), lb - facts.true_lb);
    diagnosis.bytes_beyond_ub = max(Exact(0), facts.true_ub - (lb + extent));
  }
  diagnosis.entries_overlap = overlaps.entries;
  const std::optional<Exact> covered = covered_bytes(layouts, layouts.root(id), overlaps.entries);
  if (covered) diagnosis.hole_bytes = facts.true_extent() - *covered;
  diagnosis.copies_overlap = overlaps.copies;
  const Span one = span_of(layouts, id, 1);
  diagnosis.first = one.first;
  diagnosis.span_of_one = one.length();
  diagnosis.span_per_copy = abs(extent);
  return diagnosis;
}

std::string memory_formula(const Diagnosis& diagnosis) {
  return diagnosis.span_of_one.to_string() + " + (count - 1) * " + diagnosis.span_per_copy.to_string();
}

}  // namespace ddtscope
