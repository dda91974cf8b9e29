// Looks up the entry of a difference; what several entries ask of a definition.
#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {

bool is_in_this_release(const KnownBug& bug) {
  const ReleaseNumber& number = release_of_library().release->number;
  return bug.since <= number && number < bug.until;
}

const KnownBug* danger_of(Comparison& comparison, DefinitionId id) {
  for (const KnownBug& bug : known_bugs()) {
    if (bug.endangers != nullptr && is_in_this_release(bug) && bug.endangers(comparison, id)) return &bug;
  }
  return nullptr;
}

const KnownBug* explain(Comparison& comparison, DefinitionId id, const Difference& difference) {
  for (const KnownBug& bug : known_bugs()) {
    if (bug.explains != nullptr && is_in_this_release(bug) && bug.explains(comparison, id, difference)) return &bug;
  }
  return nullptr;
}

}  // namespace ddtscope::differential
