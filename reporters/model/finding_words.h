// Numbers as the findings of jobs tell them.
#pragma once

#include <cstdint>
#include <string>

#include "decoder/base/grouped.h"

namespace ddtscope::reporters {

inline std::string times(std::uint64_t number) { return number == 1 ? "once" : grouped(number) + " times"; }

}  // namespace ddtscope::reporters
