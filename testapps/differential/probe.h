// One definition compared in a process of its own, forked from one that has started MPI: what the library does to that
// process is part of the answer.
#pragma once

#include "testapps/differential/comparison.h"

namespace ddtscope::differential {

struct ProbedDifference {
  Difference difference;
  std::string bug;  // empty where no entry explains it
};

/// Where the library departs from the standard's bounds, its own rule apart.
std::vector<Difference> probe_against_standard(test::TestStore& types, DefinitionId id);

/// The definition's differences, and what became of the process while it did this definition or one that it is made of.
/// Only local calls are made in the copy, which both libraries bear.
std::vector<ProbedDifference> probe(test::TestStore& types, DefinitionId id);

}  // namespace ddtscope::differential
