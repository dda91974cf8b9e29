// Looks up the entry of a difference; what several entries ask of a definition.
#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {

const KnownBug* danger_of(Comparison& comparison, DefinitionId id) {
  for (const KnownBug& bug : known_bugs()) {
    if (bug.endangers != nullptr && bug.endangers(comparison, id)) return &bug;
  }
  return nullptr;
}

const KnownBug* explain(Comparison& comparison, DefinitionId id, const Difference& difference) {
  for (const KnownBug& bug : known_bugs()) {
    if (bug.explains != nullptr && bug.explains(comparison, id, difference)) return &bug;
  }
  return nullptr;
}

}  // namespace ddtscope::differential
