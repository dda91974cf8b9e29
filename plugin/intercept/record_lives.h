// What is recorded of the calls in a datatype's life: commit, name, free.
#pragma once

#include <type_traits>

#include "plugin/api/free_listeners.h"
#include "plugin/intercept/arguments.h"
#include "plugin/intercept/roles.h"

namespace ddtscope::plugin {

[[gnu::cold, gnu::noinline]] inline void commit_failed(Session& session, int status, ProgramCall came,
                                                       Registry::Commit commit) {
  session.guarded([&](Registry& registry) { registry.commit_failed(commit); });
  session.call_failed(status, came);
}

/// Counted before the call, by the look-up that judges it.
template <Commits, class Call, class Next>
[[gnu::always_inline]] inline int call_quickly(const Call& seen, const Next& call_next) {
  static_assert(std::is_same_v<ArgumentOf<Call, 0>, MPI_Datatype*>);
  const MPI_Datatype* const type = seen.template at<0>();
  const HandleBits handle = type ? bits_of(*type) : HandleBits{};
  Session& session = seen.session;
  // Apart: what was just stored in parts is loaded as a whole only when it has reached the cache.
  std::uint32_t generation = 0;
  std::uint32_t counter = 0;
  Registry::Commit::Of of = Registry::Commit::Of::repeated;
  const bool is_doubtful = session.attempt([&](Registry & registry) __attribute__((always_inline)) {
    if (!type) return true;
    const Registry::Commit commit = registry.begin_commit(handle);
    generation = commit.generation;
    counter = commit.counter;
    of = commit.of;
    return commit.is_doubtful();
  });
  if (is_doubtful && type) [[unlikely]]
    session.judge_commit(handle, ProgramCall(seen.came));
  const int status = call_next();
  if (status != MPI_SUCCESS) [[unlikely]]
    commit_failed(session, status, ProgramCall(seen.came), {handle, generation, counter, of});
  return status;
}
template <Commits role, class Call, class Next>
[[gnu::always_inline]] inline int perform(const Call& seen, const Next& call_next) {
  return call_quickly<role>(seen, call_next);
}

template <Names, class Call>
[[gnu::always_inline]] inline void record(const Call& seen) {
  seen.session.guarded([&](Registry& registry) {
    if (const char* name = seen.template at<1>()) registry.named(seen.template handle<0>(), name);
  });
}

[[gnu::cold, gnu::noinline]] inline Key key_of(Session& session, Registry::Free free) {
  return session.guarded([&](Registry& registry) { return registry.key_of(free); });
}

/// Those who listen to frees are told of one.
[[gnu::cold, gnu::noinline]] inline void tell_listeners(HandleBits handle, Key key, bool lives_on) {
  tell_freed({.handle = handle, .key = key, .lives_on = lives_on ? 1 : 0});
}

/// Recorded before the call, too: the library runs the program's callbacks in it, and gives the handle away.
template <Frees, class Call, class Next>
[[gnu::always_inline]] inline int call_quickly(const Call& seen, const Next& call_next) {
  static_assert(std::is_same_v<ArgumentOf<Call, 0>, MPI_Datatype*>);
  MPI_Datatype* type = seen.template at<0>();
  const HandleBits handle = type ? bits_of(*type) : HandleBits{};  // the library sets it to MPI_DATATYPE_NULL
  Session& session = seen.session;
  // Apart, as for a commit.
  HandleBits freed = 0;
  std::uint32_t generation = 0;
  std::uint32_t counter = 0;
  DefinitionId definition;
  const bool is_known = session.attempt([&](Registry & registry) __attribute__((always_inline)) {
    if (!type) return true;
    const Registry::Free free = registry.begin_free(handle);
    freed = free.handle;
    generation = free.generation;
    counter = free.counter;
    definition = free.definition;
    return free.known;
  });
  const auto free = [&]() __attribute__((always_inline)) {
    return Registry::Free{freed, generation, counter, is_known && type, definition};
  };
  if (!is_known) [[unlikely]]
    session.judge_free(handle, ProgramCall(seen.came));
  // Before the call: afterwards the definition may make room for others.
  const bool is_told = anyone_listens_to_frees();
  const Key key = is_told ? key_of(session, free()) : 0;
  const int status = call_next();
  const bool lives_on = session.guarded([&](Registry & registry) __attribute__((always_inline)) {
    return registry.end_free(free(), CallOutcome{status == MPI_SUCCESS}, {seen.came.entry, seen.came.caller.address});
  });
  if (status != MPI_SUCCESS) [[unlikely]]
    session.call_failed(status, ProgramCall(seen.came));
  if (is_told && status == MPI_SUCCESS) [[unlikely]]
    tell_listeners(handle, key, lives_on);
  return status;
}
template <Frees role, class Call, class Next>
[[gnu::always_inline]] inline int perform(const Call& seen, const Next& call_next) {
  return call_quickly<role>(seen, call_next);
}

}  // namespace ddtscope::plugin
