// Types of which two jobs must find the same, because all that is asked for it is the same: they need not be looked at.
#pragma once

#include <vector>

#include "reporters/diff/job_diff.h"

namespace ddtscope::reporters {

/// By TypeNumber, of each job: the type has a counterpart with the same call, the same observed bounds of it and of all
/// that it is made of, and what is made of it is the same, too. None is alike where the libraries or their types
/// differ.
struct AlikeTypes {
  std::vector<bool> before, after;
};
AlikeTypes alike_types(const DiffInput& input);

}  // namespace ddtscope::reporters
