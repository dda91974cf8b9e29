// Which argument of a call uses a datatype: a row of use_parameters.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "reporters/trace/format/counter_file.h"

namespace ddtscope::trace {

enum class UseParameter : std::uint8_t {
  none,
#define DDTSCOPE_USE_PARAMETER(name) name,
#include "reporters/trace/format/use_parameters.def"
};

/// "sendtype"; empty where the number is none.
constexpr std::string_view name_of(UseParameter parameter) {
  switch (parameter) {
    case UseParameter::none:
      break;
#define DDTSCOPE_USE_PARAMETER(name) \
  case UseParameter::name:           \
    return #name;
#include "reporters/trace/format/use_parameters.def"
  }
  return {};
}

/// none where no parameter is called so.
constexpr UseParameter use_parameter_of(std::string_view name) {
#define DDTSCOPE_USE_PARAMETER(parameter) \
  if (name == #parameter) return UseParameter::parameter;
#include "reporters/trace/format/use_parameters.def"
  return UseParameter::none;
}

/// What two call sites, or two ranks, used of the same type in the same way.
inline void add_uses(UseCounts& sum, const UseCounts& more) {
  sum.smallest = sum.calls == 0    ? more.smallest
                 : more.calls == 0 ? sum.smallest
                                   : std::min(sum.smallest, more.smallest);
  sum.largest = std::max(sum.largest, more.largest);
  for (std::uint64_t UseCounts::*count : {&UseCounts::calls, &UseCounts::elements}) {
    if (__builtin_add_overflow(sum.*count, more.*count, &(sum.*count))) sum.*count = UINT64_MAX;
  }
}

}  // namespace ddtscope::trace
