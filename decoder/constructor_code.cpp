// Writes constructor calls as C, from the combiner table.
#include "decoder/constructor_code.h"

#include "decoder/named_values.h"

namespace ddtscope {
namespace {

std::string text_of_value(const Parameter& parameter, std::int64_t value, const LibraryConstants& constants) {
  const NamedValues names = named_values(parameter, constants);
  const NamedValue* name = names.find(value);
  return name != nullptr ? std::string(name->mpi_name) : std::to_string(value);
}

template <class TextOfElement>
std::string braces(std::size_t length, std::size_t limit, TextOfElement text_of_element) {
  std::string text = "{";
  for (std::size_t i = 0; i < length && i < limit; ++i) {
    if (i != 0) text += ", ";
    text += text_of_element(i);
  }
  if (length > limit) {
    if (limit != 0) text += ", ";
    text += "... (" + std::to_string(length) + " values)";
  }
  return text + "}";
}

}  // namespace

std::string constructor_call_text(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  std::size_t array_limit) {
  const Definition& definition = store[id];
  const ConstructorCall& call = definition.call;
  if (call.combiner == Combiner::named) return store.predefined()[definition.predefined].name;

  const auto name_of = [&](DefinitionId oldtype) {
    return store[oldtype].call.combiner == Combiner::named ? store.predefined()[store[oldtype].predefined].name
                                                           : name_oldtype(oldtype);
  };
  std::string arguments;
  const auto add_argument = [&](const std::string& text) {
    if (!arguments.empty()) arguments += ", ";
    arguments += text;
  };
  const CombinerRow& row = row_of(call.combiner);
  const auto add_datatypes = [&] {
    if (row.datatypes == DatatypeArguments::per_count) {
      add_argument(
          braces(call.datatypes.size(), array_limit, [&](std::size_t i) { return name_of(call.datatypes[i]); }));
    } else {
      for (const DefinitionId oldtype : call.datatypes) add_argument(name_of(oldtype));
    }
  };

  // The one constructor whose oldtype comes before the other arguments (MPI-4.1 5.1.7).
  const bool oldtype_first = call.combiner == Combiner::resized;
  if (oldtype_first) add_datatypes();
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  for (const Parameter& parameter : row.parameters) {
    if (parameter.shape == ParameterShape::scalar) {
      add_argument(text_of_value(parameter, call.scalars[scalars++], store.constants()));
    } else {
      const IntegerArray& array = call.arrays[arrays++];
      add_argument(braces(array.length, array_limit,
                          [&](std::size_t i) { return text_of_value(parameter, array[i], store.constants()); }));
    }
  }
  if (!oldtype_first) add_datatypes();
  return constructor_name(call.combiner, call.form) + "(" + arguments + ")";
}

}  // namespace ddtscope
