#include "plugin/registry/types_in_use.h"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace ddtscope::plugin {
namespace {

bool is_leaf(const Definition& definition) {
  return definition.predefined.valid() || is_unnamed_predefined(definition.call.combiner);
}

bool is_marker(const DefinitionStore& store, const Definition& definition) {
  if (!definition.predefined.valid()) return false;
  const PredefinedKind kind = store.predefined()[definition.predefined].kind;
  return kind == PredefinedKind::lb_marker || kind == PredefinedKind::ub_marker;
}

/// Of an unnamed one that of its combiner.
std::string_view name_of_leaf(const DefinitionStore& store, const Definition& definition) {
  return definition.predefined.valid() ? std::string_view(store.predefined()[definition.predefined].name)
                                       : row_of(definition.call.combiner).mpi_name;
}

/// Whether the call's own lengths leave no copy of its oldtype. A struct's are of each member.
bool has_no_copies(const ConstructorCall& call) {
  for (const std::string_view length : {"count", "blocklength"}) {
    if (parameter_slot(call.combiner, length) >= 0 && call.scalar(length) == 0) return true;
  }
  if (parameter_slot(call.combiner, "array_of_blocklengths") < 0) return false;
  const IntegerArray& lengths = call.array("array_of_blocklengths");
  for (std::size_t i = 0; i < lengths.length; ++i) {
    if (lengths[i] != 0) return false;
  }
  return true;
}

/// Those that have entries: a member of length 0 has none.
void add_oldtypes_with_entries(const ConstructorCall& call, std::vector<DefinitionId>& oldtypes) {
  if (has_no_copies(call)) return;
  for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
    const bool is_absent = call.combiner == Combiner::structure && call.array("array_of_blocklengths")[i] == 0;
    if (!is_absent) oldtypes.push_back(call.datatypes[i]);
  }
}

}  // namespace

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

BasicTypes TypesInUse::basic_types_of(HandleBits handle) const {
  const HandleEntry* entry = parts_.lives.find(handle);
  if (entry == nullptr) return {};
  const DefinitionStore& store = parts_.cache.store();
  DefinitionId type = entry->type();
  while (store[type].call.combiner == Combiner::dup) type = store[type].call.datatypes[0];
  BasicTypes found{.are_derived = !is_leaf(store[type]), .first = {}, .second = {}};
  DefinitionId first;
  std::vector<DefinitionId> rest{type};
  std::unordered_set<std::uint32_t> seen;
  while (!rest.empty() && found.second.empty()) {
    const DefinitionId id = rest.back();
    rest.pop_back();
    const Definition& definition = store[id];
    if (!seen.insert(id.value).second) continue;
    if (!is_leaf(definition)) {
      add_oldtypes_with_entries(definition.call, rest);
    } else if (!is_marker(store, definition)) {
      (first.valid() ? found.second : found.first) = name_of_leaf(store, definition);
      first = id;
    }
  }
  return found;
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
