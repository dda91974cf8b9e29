// What the registry knows for those who count uses of its types.
#include "plugin/registry/registry.h"

namespace ddtscope::plugin {
namespace {

/// The entry of an F90 type stands among the predefined types, but not in the trace's list of them.
bool is_listed(const PredefinedType& type) { return !type.name.starts_with("F90_"); }

}  // namespace

Registry::TypeInUse Registry::type_in_use(HandleBits handle) {
  const HandleEntry* entry = handles_.find(handle);
  if (entry == nullptr)
    return {.state = handles_.is_dead(handle) ? TypeInUse::State::freed : TypeInUse::State::unknown};
  const Definition& definition = store_[entry->type()];
  if (!definition.predefined.valid())
    return {.number = writer_.number_of(entry->type()), .state = TypeInUse::State::known};
  return {.predefined = definition.predefined.value, .state = TypeInUse::State::known};
}

trace::LineId Registry::place_in_trace(const TypeInUse& type) const {
  if (type.predefined == trace::no_line) return trace::no_line;
  trace::LineId place = 0;
  for (std::uint32_t i = 0; i < type.predefined; ++i) place += is_listed(store_.predefined()[PredefinedId{i}]) ? 1 : 0;
  return place;
}

std::string_view Registry::predefined_name(const TypeInUse& type) const {
  if (type.predefined == trace::no_line) return {};
  return store_.predefined()[PredefinedId{type.predefined}].name;
}

}  // namespace ddtscope::plugin
