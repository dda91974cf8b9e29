// A failing definition made as small as it can be while it still fails in the same way.
#pragma once

#include <string>

#include "testapps/differential/comparison.h"

namespace ddtscope::differential {

struct Shrunk {
  DefinitionId definition;  // in the store that was given
  Difference difference;    // of the smallest definition
  int probes = 0;
};

/// Needs MPI to be started in this process. Definitions that are tried are added to the store.
Shrunk shrink(test::TestStore& types, DefinitionId id, const Difference& difference);

/// The constructor calls of a definition as C, oldtypes first: "MPI_Datatype t0, t1;" and a statement for each.
std::string program_text(const DefinitionStore& store, DefinitionId id);

}  // namespace ddtscope::differential
