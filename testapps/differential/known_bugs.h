// The libraries' bugs that this program meets, one entry each: library_bugs.md tells of them under the same ids.
#pragma once

#include <climits>
#include <span>
#include <string_view>

#include "testapps/differential/comparison.h"

namespace ddtscope::differential {

struct KnownBug {
  std::string_view id;
  /// Whether this difference of this definition is the bug; as narrow as the bug. Null where the library's rule for
  /// bounds tells the whole bug: then the reproducer's bounds differ from the standard's only.
  bool (*explains)(Comparison& comparison, DefinitionId id, const Difference& difference);
  /// A definition that shows it: comparing it, and before it all that it is made of, gives a difference that the entry
  /// explains.
  DefinitionId (*reproducer)(test::TestStore& types);
  /// Whether the definition brings the bug about where it may be noticed much later, if at all, as when memory is
  /// destroyed: such a type is not made in a process that has more to do. Null where the bug shows at once.
  bool (*endangers)(Comparison& comparison, DefinitionId id) = nullptr;
  /// The first modelled release that has it, and the first that has it no more.
  ReleaseNumber since = {};
  ReleaseNumber until = {INT_MAX};
  /// Whether the processor that this program is built for lets it be seen.
  bool is_on_this_processor = true;
};

/// Those of the library that this program is linked with, of whatever release.
std::span<const KnownBug> known_bugs();
/// Whether the running library has it.
bool is_in_this_release(const KnownBug& bug);

/// The entry for which the definition must be left alone; nullptr where there is none.
const KnownBug* danger_of(Comparison& comparison, DefinitionId id);

/// The entry that explains the difference; nullptr where none does.
const KnownBug* explain(Comparison& comparison, DefinitionId id, const Difference& difference);

}  // namespace ddtscope::differential
