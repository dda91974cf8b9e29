// Numbers as the findings of jobs tell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ddtscope {

inline std::string count_of(std::uint64_t number, std::string_view singular, std::string_view plural) {
  return std::to_string(number) + " " + std::string(number == 1 ? singular : plural);
}

inline std::string times(std::uint64_t number) { return number == 1 ? "once" : std::to_string(number) + " times"; }

}  // namespace ddtscope
