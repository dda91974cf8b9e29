#include "reporters/source/shaped_parameters.h"

#include <dwarf.h>

#include <vector>

#include "reporters/source/die_children.h"
#include "reporters/source/type_reader.h"

namespace ddtscope::reporters {

Dwarf_Die origin_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  return dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attribute), &origin) != nullptr ? origin : die;
}

namespace {

constexpr int deepest_type = 64;

bool is_artificial(Dwarf_Die die) { return has_flag(&die, DW_AT_artificial); }

bool lies_behind_descriptor(Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_tag(type) == DW_TAG_array_type && dwarf_attr(type, DW_AT_data_location, &attribute) != nullptr;
}

/// `real(kind=8) (*restrict)[]`: gfortran's own, of which no program can declare one.
bool points_to_elements(Dwarf_Die variable) {
  Dwarf_Die type;
  Dwarf_Die pointer;
  Dwarf_Die array;
  return type_of_die(&variable, &type) && dwarf_tag(&type) == DW_TAG_restrict_type && type_of_die(&type, &pointer) &&
         dwarf_tag(&pointer) == DW_TAG_pointer_type && type_of_die(&pointer, &array) &&
         dwarf_tag(&array) == DW_TAG_array_type && !lies_behind_descriptor(&array);
}

/// The type of an array's elements, or of those that a pointer points to.
void* element_of(Dwarf_Die variable) {
  Dwarf_Die type;
  bool is_there = type_of_die(&variable, &type);
  // A type that leads back to itself, which no compiler writes, has none.
  for (int i = 0; is_there && i < deepest_type; ++i, is_there = type_of_die(&type, &type)) {
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_restrict_type && tag != DW_TAG_pointer_type && tag != DW_TAG_array_type) return type.addr;
  }
  return nullptr;
}

}  // namespace

void ShapedParameters::add(const CodeScopes& scopes) {
  for (const Dwarf_Die& scope : scopes.scopes) {
    Dwarf_Die die = scope;
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) add_procedure(origin_of(die));
  }
}

/// Variables and arguments stand in the same order; where they do not fit each other, nothing is taken for certain.
void ShapedParameters::add_procedure(Dwarf_Die procedure) {
  if (!known_.insert(procedure.addr).second) return;
  std::vector<Dwarf_Die> parameters;
  std::vector<Dwarf_Die> variables;
  for (Dwarf_Die& child : children_of(&procedure)) {
    Dwarf_Die type;
    const int tag = dwarf_tag(&child);
    if (!is_artificial(child)) continue;
    if (tag == DW_TAG_formal_parameter && type_of_die(&child, &type) && lies_behind_descriptor(&type)) {
      parameters.push_back(child);
    } else if (tag == DW_TAG_variable && points_to_elements(child)) {
      variables.push_back(child);
    }
  }
  if (parameters.size() != variables.size()) return;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    void* const element = element_of(variables[i]);
    if (element == nullptr || element != element_of(parameters[i])) return;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters_.emplace(variables[i].addr, parameters[i]);
}

const Dwarf_Die* ShapedParameters::parameter_of(Dwarf_Die variable) const {
  const auto found = parameters_.find(origin_of(variable).addr);
  return found == parameters_.end() ? nullptr : &found->second;
}

}  // namespace ddtscope::reporters
