// Which ranks can never go on: those that wait for nothing but each other, and for ranks that do nothing more.
#pragma once

#include "reporters/model/waiting.h"

namespace ddtscope::reporters {

/// Sets `is_stuck` of ranks and calls, and adds the cycles.
void find_stuck(WaitingRanks& waiting);

}  // namespace ddtscope::reporters
