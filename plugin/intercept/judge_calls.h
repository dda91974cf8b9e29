// What is looked at before the library gets a call that makes, commits or frees types: an overload for each role. It
// writes an error before the call, because the library may end the process in it.
#pragma once

#include <array>

#include "plugin/intercept/arguments.h"
#include "plugin/intercept/record_constructors.h"
#include "plugin/intercept/roles.h"

namespace ddtscope::plugin {

template <Makes role, class Call>
[[gnu::always_inline]] inline void judge(const Call& seen) {
  const TypeCallJudge* const judge = seen.session.type_call_judge();
  if (judge == nullptr) return;
  seen.session.guarded([&](Registry&) {
    ConstructorCall call;
    detail::describe_call<role>(seen.arguments, call);
    std::array<MPI_Datatype, 2> pair;
    const IntegerArray oldtypes = detail::oldtypes_of<role>(seen, call.scalars[0], pair);
    if (judge->is_suspicious({call, oldtypes})) [[unlikely]]
      seen.session.judge_constructor({call, oldtypes}, seen.came);
  });
}

template <Commits, class Call>
[[gnu::always_inline]] inline void judge(const Call& seen) {
  const TypeCallJudge* const judge = seen.session.type_call_judge();
  const MPI_Datatype* const type = seen.template at<0>();
  if (judge == nullptr || type == nullptr) return;
  seen.session.guarded([&](Registry&) {
    if (judge->is_no_type(bits_of(*type))) [[unlikely]]
      seen.session.judge_commit(bits_of(*type), seen.came);
  });
}

}  // namespace ddtscope::plugin
