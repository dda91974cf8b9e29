// What is recorded of the calls in a datatype's life: commit, name, free.
#pragma once

#include <type_traits>

#include "plugin/api/free_listeners.h"
#include "plugin/intercept/arguments.h"
#include "plugin/intercept/roles.h"

namespace ddtscope::plugin {

/// Counted before the call, by the look-up that judges it.
template <Commits, class Call, class Next>
[[gnu::always_inline]] inline int perform(const Call& seen, const Next& call_next) {
  static_assert(std::is_same_v<ArgumentOf<Call, 0>, MPI_Datatype*>);
  const MPI_Datatype* const type = seen.template at<0>();
  const HandleBits handle = type ? bits_of(*type) : HandleBits{};
  Session& session = seen.session;
  const Registry::Commit commit =
      session.guarded([&](Registry& registry) { return type ? registry.begin_commit(handle) : Registry::Commit{}; });
  if (commit.is_doubtful()) [[unlikely]]
    session.judge_commit(handle, seen.came);
  const int status = call_next();
  if (status != MPI_SUCCESS) [[unlikely]] {
    session.guarded([&](Registry& registry) { registry.commit_failed(commit); });
    session.call_failed(status, seen.came);
  }
  return status;
}

template <Names, class Call>
[[gnu::always_inline]] inline void record(const Call& seen) {
  seen.session.guarded([&](Registry& registry) {
    if (const char* name = seen.template at<1>()) registry.named(seen.template handle<0>(), name);
  });
}

/// Recorded before the call, too: the library runs the program's callbacks in it, and gives the handle away.
template <Frees, class Call, class Next>
[[gnu::always_inline]] inline int perform(const Call& seen, const Next& call_next) {
  static_assert(std::is_same_v<ArgumentOf<Call, 0>, MPI_Datatype*>);
  MPI_Datatype* type = seen.template at<0>();
  const HandleBits handle = type ? bits_of(*type) : HandleBits{};  // the library sets it to MPI_DATATYPE_NULL
  Session& session = seen.session;
  const Registry::Free free =
      session.guarded([&](Registry& registry) { return type ? registry.begin_free(handle) : Registry::Free{}; });
  if (type && !free.known) [[unlikely]]
    session.judge_free(handle, seen.came);
  // Before the call: afterwards the definition may make room for others.
  const bool is_told = anyone_listens_to_frees();
  const Key key = is_told ? session.guarded([&](Registry& registry) { return registry.key_of(free); }) : 0;
  const int status = call_next();
  const bool lives_on = session.guarded([&](Registry& registry) {
    return registry.end_free(free, CallOutcome{status == MPI_SUCCESS}, {seen.came.entry, seen.came.caller.address});
  });
  if (status != MPI_SUCCESS) [[unlikely]]
    session.call_failed(status, seen.came);
  if (is_told && status == MPI_SUCCESS) [[unlikely]] {
    tell_freed({.handle = handle, .key = key, .lives_on = lives_on ? 1 : 0});
  }
  return status;
}

}  // namespace ddtscope::plugin
