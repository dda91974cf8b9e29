// Memory that copies of a type need, from its true bounds and its extent.
#include "decoder/layout/span.h"

namespace ddtscope {

Span span_of(const Layouts& layouts, DefinitionId id, Exact count) {
  return span_of(layouts.facts(id), layouts.extent(id), count);
}

Span span_of(const LayoutFacts& facts, Exact extent, Exact count) {
  if (count <= Exact(0) || facts.empty()) return {};
  const Exact last = (count - 1) * extent;
  // By the extent's sign and not by min and max: one end stays exact where the other does not fit.
  return {facts.true_lb + (extent >= Exact(0) ? Exact(0) : last),
          facts.true_ub + (extent <= Exact(0) ? Exact(0) : last)};
}

}  // namespace ddtscope
