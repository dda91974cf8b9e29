// True-extent diagnosis.
#include "decoder/diagnosis.h"

namespace ddtscope {

Diagnosis diagnose(const Layouts& layouts, DefinitionId id) {
  const LayoutFacts& facts = layouts.facts(id);
  const LayoutId root = layouts.root(id);
  const Exact lb = layouts.lb(id);
  const Exact extent = layouts.extent(id);

  Diagnosis diagnosis;
  diagnosis.bytes_before_lb = 0;
  diagnosis.bytes_beyond_ub = 0;
  if (!facts.empty()) {
    diagnosis.bytes_before_lb = max(Exact(0), lb - facts.true_lb);
    diagnosis.bytes_beyond_ub = max(Exact(0), facts.true_ub - (lb + extent));
  }
  diagnosis.entries_overlap = overlap_within(layouts, root);
  const std::optional<Exact> covered =
      diagnosis.entries_overlap == Overlap::no ? facts.size : bytes_covered(layouts, root);
  if (covered) diagnosis.hole_bytes = facts.true_extent() - *covered;
  diagnosis.copies_overlap = overlap_of_copies(layouts, root, extent);
  diagnosis.first = facts.true_lb;
  diagnosis.span_of_one = facts.true_extent();
  diagnosis.span_per_copy = abs(extent);
  return diagnosis;
}

}  // namespace ddtscope
