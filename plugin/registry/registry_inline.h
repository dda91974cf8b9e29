// What nearly every call that makes, commits or frees a type comes to: inline, so that what is found out stays in
// registers.
#pragma once

#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

/// Invalid where the handle is not known.
[[gnu::always_inline]] inline DefinitionId Registry::definition_of(HandleBits handle) {
  if (const DefinitionId predefined = predefined_.find(handle); predefined.valid()) [[likely]]
    return predefined;
  const HandleEntry* entry = lives_.find(handle);
  return entry ? entry->type() : DefinitionId{};
}

[[gnu::always_inline]] inline void Registry::begin_again(HandleBits newtype, std::uint32_t counter) {
  ++counters_.counted(counter).created;
  // It has an oldtype: it is no F90 type, which would be predefined.
  lives_.begin(newtype, {.definition = counters_.type(counter), .counter = counter, .predefined = false},
               [&](std::uint32_t ended) { end_life(ended); });
}

[[gnu::always_inline]] inline Registry::Commit Registry::commit(HandleBits handle) {
  const Commit commit = lives_.begin_commit(handle);
  if (commit.of == Commit::Of::first) ++counters_.counted(commit.counter).committed;
  return commit;
}

[[gnu::always_inline]] inline void Registry::remember_free(const Free& free, const FreedAt& at) {
  // The counter's record has the number at hand, and counts the free next.
  const bool has_counter = free.counter != trace::debug_view_none;
  const DefinitionNumber number =
      has_counter ? DefinitionNumber{counters_.counted(free.counter).definition} : cache_.number_of(free.definition);
  frees_.remember({free.handle, number, at});
}

[[gnu::always_inline]] inline bool Registry::finish_free(const Free& free, CallOutcome outcome, const FreedAt& at) {
  if (free.known && outcome == CallOutcome::succeeded) remember_free(free, at);
  return lives_.end_free(free, outcome, [&](std::uint32_t counter) { end_life(counter); });
}

[[gnu::always_inline]] inline bool Registry::created_again(const PlainCreation& creation) {
  if (!lock_.try_enter_alone()) [[unlikely]]
    return created_again_in_lane(PlainCreation(creation));
  const LanedLock::AloneGuard guard(lock_);
  if (closed_) [[unlikely]]
    return true;
  const DefinitionId oldtype = creation.predefined.valid() ? creation.predefined : definition_of(creation.oldtype);
  const RecentCall& recent = cache_.recent().slot_of(creation.place, oldtype, creation.numbers);
  if (!recent.is(creation.place, oldtype, creation.numbers)) [[unlikely]]
    return false;
  begin_again(creation.newtype, recent.counter());
  if (creation.combiner == Combiner::dup) begin_duplicate(creation.oldtype, creation.newtype);
  return true;
}

[[gnu::always_inline]] inline Registry::Commit Registry::begin_commit(HandleBits handle) {
  if (!lock_.try_enter_alone()) [[unlikely]]
    return begin_commit_in_lane(handle);
  const LanedLock::AloneGuard guard(lock_);
  if (closed_) [[unlikely]]
    return {};
  return commit(handle);
}

[[gnu::always_inline]] inline Registry::Free Registry::begin_free(HandleBits handle) {
  if (!lock_.try_enter_alone()) [[unlikely]]
    return begin_free_in_lane(handle);
  const LanedLock::AloneGuard guard(lock_);
  if (closed_) [[unlikely]]
    return {};
  return lives_.begin_free(handle);
}

[[gnu::always_inline]] inline bool Registry::end_free(const Free& free, CallOutcome outcome, const FreedAt& at) {
  if (!lock_.try_enter_alone()) [[unlikely]]
    return end_free_in_lane(Free(free), outcome, FreedAt(at));
  const LanedLock::AloneGuard guard(lock_);
  if (closed_) [[unlikely]]
    return false;
  return finish_free(free, outcome, at);
}

}  // namespace ddtscope::plugin
