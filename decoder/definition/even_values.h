// Constant steps in argument arrays: how a long array says that it is a loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decoder/definition/definition.h"

namespace ddtscope {

enum class EvenStep { none, any };

/// How many values from `begin` on are equal (none), or stand one constant step apart (any); at least 1.
/// `begin` < `end` <= the array's length.
inline std::size_t even_values(const IntegerArray& array, std::size_t begin, std::size_t end, EvenStep step) {
  const auto count = [&](const auto* values) {
    std::int64_t wanted = 0;
    if (step == EvenStep::any && begin + 1 < end &&
        __builtin_sub_overflow(std::int64_t{values[begin + 1]}, std::int64_t{values[begin]}, &wanted)) {
      return std::size_t{1};
    }
    std::size_t i = begin + 1;
    for (std::int64_t difference = 0; i < end; ++i) {
      if (__builtin_sub_overflow(std::int64_t{values[i]}, std::int64_t{values[i - 1]}, &difference) ||
          difference != wanted) {
        break;
      }
    }
    return i - begin;
  };
  return array.width == 4 ? count(static_cast<const std::int32_t*>(array.data))
                          : count(static_cast<const std::int64_t*>(array.data));
}

}  // namespace ddtscope
