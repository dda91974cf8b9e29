// Types that no wrapper saw being made. The library is asked without the lock: meanwhile other threads may adopt the
// same ones.
#include <mutex>

#include "plugin/registry/adoption.h"
#include "plugin/registry/registry.h"
#include "plugin/registry/registry_making.h"

namespace ddtscope::plugin {

void Registry::adopt_used(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  Place place;
  {
    const std::lock_guard guard(lock_);
    if (closed_ || writer_.stopped() || lives_.is_dropped(handle)) return;
    place = place_of(called, stack);
  }
  std::string problem;
  if (find_or_adopt(handle, place, problem)) return;
  const std::lock_guard guard(lock_);
  unrecorded_.count(called, "not adopted: " + problem);
}

void Registry::adopt_returned(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  Place place;
  {
    const std::lock_guard guard(lock_);
    const HandleEntry* entry = lives_.find(handle);
    if (closed_ || (entry && entry->is_predefined())) return;
    place = place_of(called, stack);
    if (share_if_known(handle, place) || writer_.stopped()) return;
  }
  // Whatever the handle stood for before, the library has just given it.
  std::string problem;
  if (adopt(handle, place, Adoption::returned, problem)) return;
  const std::lock_guard guard(lock_);
  unrecorded_.count(called, "not adopted: " + problem);
}

void Registry::decoded(const Decoding& decoding) {
  Place place;
  {
    const std::lock_guard guard(lock_);
    if (closed_) return;
    place = place_of(*decoding.called, *decoding.stack);
  }
  std::string problem;
  find_or_adopt(decoding.type, place, problem);
  const std::lock_guard guard(lock_);
  if (closed_) return;
  if (const HandleEntry* entry = lives_.find(decoding.type)) {
    count_children(decoding, entry->type(), place);
  } else if (!writer_.stopped()) {
    unrecorded_.count(*decoding.called, "the type could not be decoded: " + problem);
  }
}

void Registry::count_children(const Decoding& decoding, DefinitionId type, const Place& place) {
  const std::span<const DefinitionId> children = store()[type].call.datatypes;
  for (std::size_t i = 0; i < children.size() && i < decoding.datatypes.length; ++i) {
    if (cache_.is_predefined(children[i]) || is_unnamed_predefined(store()[children[i]].call.combiner)) continue;
    const HandleBits child = handle_at(decoding.datatypes, i);
    const std::uint32_t counter = counter_of(children[i], place, child);
    ++counters_.counted(counter).created;
    lives_.begin_or_share(child, {.definition = children[i], .counter = counter},
                          [&](std::uint32_t ended) { end_life(ended); });
    lives_.needs_no_commit(child);
  }
}

/// False where one is not to be had: then the call is accounted for.
bool Registry::adopt_oldtypes(const Making& making) {
  for (std::size_t i = 0; i < making.creation.oldtypes.length; ++i) {
    const HandleBits oldtype = handle_at(making.creation.oldtypes, i);
    std::string problem;
    if (find_or_adopt(oldtype, making.place, problem)) continue;
    const std::lock_guard guard(lock_);
    if (!closed_) refuse(making, oldtype, problem);
    return false;
  }
  return true;
}

void Registry::refuse(const Making& making, HandleBits oldtype, const std::string& problem) {
  const Creation& creation = making.creation;
  if (writer_.stopped() || lives_.is_dropped(oldtype)) {
    drop(creation.newtype, making.place);
    return;
  }
  unrecorded_.count(*creation.called, "its old type could not be decoded: " + problem);
  if (lives_.is_dead(oldtype)) lives_.bury(creation.newtype);
}

bool Registry::find_or_adopt(HandleBits handle, const Place& place, std::string& problem) {
  {
    const std::lock_guard guard(lock_);
    if (lives_.find(handle)) return true;
    if (closed_ || writer_.stopped()) return false;
    if (lives_.is_dead(handle)) {
      problem = lives_.is_dropped(handle) ? trace::no_memory : "it was freed";
      return false;
    }
  }
  return adopt(handle, place, Adoption::used, problem);
}

bool Registry::adopt(HandleBits handle, const Place& place, Adoption how, std::string& problem) {
  std::vector<DefinitionId> pinned;
  const FindKnown find_known = [&](HandleBits child) -> std::optional<KnownType> {
    const std::lock_guard guard(lock_);
    const HandleEntry* entry = lives_.find(child);
    if (!entry) return std::nullopt;
    pinned.push_back(entry->type());
    cache_.pin(entry->type());
    return KnownType{entry->type(), entry->is_predefined()};
  };
  LibraryDecoding decoding(library_, find_known);
  const bool is_decoded = decoding.decode(handle, problem);
  const std::lock_guard guard(lock_);
  // Another thread may have been here meanwhile.
  const bool is_known =
      !closed_ && (how == Adoption::used ? lives_.find(handle) != nullptr : share_if_known(handle, place));
  const bool is_adopted = is_known || (is_decoded && !closed_ && take(handle, decoding, place, problem));
  cache_.unpin(pinned);
  return is_adopted;
}

bool Registry::take(HandleBits handle, const LibraryDecoding& decoding, const Place& place, std::string& problem) {
  const DefinitionId definition = take_in(decoding, {cache_, lives_, writer_, place}, problem);
  if (!definition.valid() || cache_.is_predefined(definition)) return definition.valid();
  const std::uint32_t counter = counter_of(definition, place, handle);
  ++counters_.counted(counter).adopted;
  begin_life(handle, definition, counter);
  lives_.needs_no_commit(handle);
  return true;
}

bool Registry::share_if_known(HandleBits handle, const Place& place) {
  const HandleEntry* entry = lives_.find(handle);
  if (!entry || entry->is_predefined()) return entry != nullptr;
  if (!lives_.has_lasting_life(*entry)) return false;
  const DefinitionId definition = entry->type();
  const std::uint32_t counter = counter_of(definition, place, handle);
  ++counters_.counted(counter).adopted;
  lives_.begin_or_share(handle, {.definition = definition, .counter = counter},
                        [&](std::uint32_t ended) { end_life(ended); });
  return true;
}

}  // namespace ddtscope::plugin
