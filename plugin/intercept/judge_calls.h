// What is looked at before the library gets a call that makes a type. An error is written before the call, because the
// library may end the process in it.
#pragma once

#include <array>
#include <cstdint>

#include "plugin/intercept/arguments.h"
#include "plugin/intercept/record_constructors.h"
#include "plugin/intercept/roles.h"

namespace ddtscope::plugin {

namespace detail {

/// Whether an array is null or has a negative element.
template <class Integer>
bool is_doubtful(const Integer* values, std::int64_t length) {
  if (length <= 0) return false;
  if (values == nullptr) return true;
  Integer signs = 0;
  for (std::int64_t i = 0; i < length; ++i) signs = static_cast<Integer>(signs | values[i]);
  return signs < 0;
}

template <class Integer>
bool may_leave_its_array(int dimensions, const Integer* sizes, const Integer* subsizes, const Integer* starts) {
  if (dimensions < 1 || sizes == nullptr || subsizes == nullptr || starts == nullptr) return true;
  for (int i = 0; i < dimensions; ++i) {
    if (subsizes[i] < 1 || starts[i] < 0 || subsizes[i] > sizes[i] || starts[i] > sizes[i] - subsizes[i]) return true;
  }
  return false;
}

/// Whether the numbers are worth a judgement: from the arguments as they stand, because each constructor call comes by.
template <Makes role, class Call>
[[gnu::always_inline]] inline bool has_doubtful_numbers(const Call& seen) {
  using enum Combiner;
  constexpr Combiner combiner = role.combiner;
  if constexpr (combiner == contiguous) {
    return seen.template at<0>() < 0;
  } else if constexpr (combiner == vector || combiner == hvector) {
    return seen.template at<0>() < 0 || seen.template at<1>() < 0;
  } else if constexpr (combiner == indexed_block || combiner == hindexed_block) {
    const bool is_null = seen.template at<2>() == nullptr && seen.template at<0>() > 0;
    return seen.template at<0>() < 0 || seen.template at<1>() < 0 || is_null;
  } else if constexpr (combiner == indexed || combiner == hindexed || combiner == structure) {
    const auto count = static_cast<std::int64_t>(seen.template at<0>());
    return count < 0 || is_doubtful(seen.template at<1>(), count) || (seen.template at<2>() == nullptr && count > 0);
  } else if constexpr (combiner == subarray) {
    return may_leave_its_array(seen.template at<0>(), seen.template at<1>(), seen.template at<2>(),
                               seen.template at<3>());
  } else if constexpr (combiner == darray) {
    const auto dimensions = seen.template at<2>();
    const auto* const processes = seen.template at<6>();
    if (dimensions < 1 || processes == nullptr || is_doubtful(seen.template at<3>(), dimensions)) return true;
    std::int64_t product = 1;
    for (int i = 0; i < dimensions; ++i) {
      if (processes[i] < 1 || __builtin_mul_overflow(product, processes[i], &product)) return true;
    }
    return product != seen.template at<0>() || seen.template at<1>() < 0 || seen.template at<1>() >= product;
  } else {
    return false;
  }
}

/// Whether its types are right without a look-up.
template <Makes role, class Call>
[[gnu::always_inline]] inline bool has_plain_types(const Call& seen) {
  if constexpr (role.oldtypes >= 0 || role.second_oldtype >= 0) {
    return false;
  } else if constexpr (role.oldtype >= 0) {
    return seen.session.predefined(seen.template handle<role.oldtype>()).valid();
  } else {
    return true;
  }
}

template <Makes role, class Call>
[[gnu::always_inline]] inline bool has_doubtful_types(const Call& seen, const TypeCallJudge& judge) {
  if constexpr (role.oldtypes >= 0) {
    const auto count = static_cast<std::int64_t>(seen.template at<0>());
    const MPI_Datatype* const types = seen.template at<role.oldtypes>();
    if (types == nullptr) return count > 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (judge.is_null(bits_of(types[i]))) return true;
    }
    return false;
  } else if constexpr (role.oldtype >= 0) {
    return judge.is_no_type(seen.template handle<role.oldtype>());
  } else {
    return false;
  }
}

}  // namespace detail

template <Makes role, class Call>
[[gnu::always_inline]] inline void judge(const Call& seen) {
  const TypeCallJudge* const judge = seen.session.type_call_judge();
  if (judge == nullptr) return;
  if (!detail::has_doubtful_numbers<role>(seen) && detail::has_plain_types<role>(seen)) [[likely]]
    return;
  seen.session.guarded([&](Registry&) {
    if (!detail::has_doubtful_numbers<role>(seen) && !detail::has_doubtful_types<role>(seen, *judge)) [[likely]]
      return;
    ConstructorCall call;
    detail::describe_call<role>(seen.arguments, call);
    std::array<MPI_Datatype, 2> pair;
    const IntegerArray oldtypes = detail::oldtypes_of<role>(seen, call.scalars[0], pair);
    seen.session.judge_constructor({call, oldtypes}, seen.came);
  });
}

}  // namespace ddtscope::plugin
