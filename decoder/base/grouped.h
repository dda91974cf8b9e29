// Numbers as people read them, in prose and tables. What is to be pasted, or read by programs, has no commas.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "decoder/base/exact.h"

namespace ddtscope {

/// "64,055", "-1,024"
std::string grouped(std::uint64_t value);
std::string grouped(Exact value);
/// "1 type", "3,000 types"
std::string counted(std::uint64_t value, std::string_view singular, std::string_view plural);
std::string counted(Exact value, std::string_view singular, std::string_view plural);

}  // namespace ddtscope
