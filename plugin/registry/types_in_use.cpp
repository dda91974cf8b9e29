#include "plugin/registry/types_in_use.h"

namespace ddtscope::plugin {

TypeInUse TypesInUse::find(HandleBits handle) {
  const HandleEntry* entry = parts_.lives.find(handle);
  if (entry == nullptr) {
    return {.state = parts_.lives.was_freed(handle) ? TypeInUse::State::freed
                     : parts_.lives.is_dead(handle) ? TypeInUse::State::lost
                                                    : TypeInUse::State::unknown};
  }
  const Definition& definition = parts_.cache.store()[entry->type()];
  if (!definition.predefined.valid())
    return {.number = parts_.cache.number_of(entry->type()),
            .state = TypeInUse::State::known,
            .lacks_commit = !entry->may_be_used()};
  return {.predefined = definition.predefined, .state = TypeInUse::State::known};
}

bool TypesInUse::is_derived(HandleBits handle) const {
  const HandleEntry* entry = parts_.lives.find(handle);
  if (entry == nullptr || entry->is_predefined()) return false;
  const Combiner combiner = parts_.cache.store()[entry->type()].call.combiner;
  return combiner != Combiner::dup && !is_unnamed_predefined(combiner);
}

PredefinedNumber TypesInUse::place_in_trace(const TypeInUse& type) const {
  if (!type.predefined.valid()) return {};
  const DefinitionStore& store = parts_.cache.store();
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < type.predefined.value; ++i) {
    // What an F90 type stands for is among them, but not in the trace's list.
    if (store.find_predefined(store.predefined()[PredefinedId{i}].name)) ++place;
  }
  return {place};
}

std::string_view TypesInUse::predefined_name(const TypeInUse& type) const {
  if (!type.predefined.valid()) return {};
  return parts_.cache.store().predefined()[type.predefined].name;
}

}  // namespace ddtscope::plugin
