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

/// What does not fit stays the greatest number.
inline void add_up(std::uint64_t& sum, std::uint64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = UINT64_MAX;
}

/// What two call sites, or two ranks, used of the same type in the same way.
inline void add_uses(UseCounts& sum, const UseCounts& more) {
  sum.smallest = sum.calls == 0    ? more.smallest
                 : more.calls == 0 ? sum.smallest
                                   : std::min(sum.smallest, more.smallest);
  sum.largest = std::max(sum.largest, more.largest);
  for (std::uint64_t UseCounts::*count :
       {&UseCounts::calls, &UseCounts::elements, &UseCounts::sent_calls, &UseCounts::sent_elements}) {
    add_up(sum.*count, more.*count);
  }
  if (!more.received) return;
  std::uint64_t received = sum.received.value_or(0);
  add_up(received, *more.received);
  sum.received = received;
}

}  // namespace ddtscope::trace
