// Changes to a trace that leave most of it whole: bytes changed at random hardly ever get beyond the JSON parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace ddtscope::reporters::fuzz {

/// Numbers for other numbers, values for other values of the same trace, lines twice, gone, or elsewhere.
std::string mutate_lines(std::string text, std::mt19937& random);

}  // namespace ddtscope::reporters::fuzz
