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

[[gnu::always_inline]] inline bool Registry::created_again(const PlainCreation& creation) {
  const std::lock_guard guard(lock_);
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
  const std::lock_guard guard(lock_);
  if (closed_) [[unlikely]]
    return {};
  const Commit commit = lives_.begin_commit(handle);
  if (commit.of == Commit::Of::first) ++counters_.counted(commit.counter).committed;
  return commit;
}

[[gnu::always_inline]] inline Registry::Free Registry::begin_free(HandleBits handle) {
  const std::lock_guard guard(lock_);
  if (closed_) [[unlikely]]
    return {};
  return lives_.begin_free(handle);
}

[[gnu::always_inline]] inline bool Registry::end_free(const Free& free, CallOutcome outcome, const FreedAt& at) {
  const std::lock_guard guard(lock_);
  if (closed_) [[unlikely]]
    return false;
  if (free.known && outcome == CallOutcome::succeeded) {
    // The counter's record has the number at hand, and counts the free next.
    const bool has_counter = free.counter != trace::debug_view_none;
    const DefinitionNumber number =
        has_counter ? DefinitionNumber{counters_.counted(free.counter).definition} : cache_.number_of(free.definition);
    frees_.remember({free.handle, number, at});
  }
  return lives_.end_free(free, outcome, [&](std::uint32_t counter) { end_life(counter); });
}

}  // namespace ddtscope::plugin
