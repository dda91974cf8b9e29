// Writes constructor calls as C, from the combiner table.
#include "decoder/notation/constructor_code.h"

#include "decoder/definition/named_values.h"

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

/// What stands before an array's braces.
enum class ArrayStyle { braces, compound_literals };

std::string element_type(const Parameter& parameter, Form form) {
  if (parameter.kind == ParameterKind::integer) return "int";
  if (form == Form::large_counts) return "MPI_Count";
  return parameter.kind == ParameterKind::address ? "MPI_Aint" : "int";
}

struct ArgumentStyle {
  ArrayStyle arrays;
  std::size_t array_limit;
};

/// The arguments but for newtype.
std::string argument_list(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                          const ArgumentStyle& style) {
  const ConstructorCall& call = store[id].call;
  const auto name_of = [&](DefinitionId oldtype) {
    return store[oldtype].call.combiner == Combiner::named ? store.predefined()[store[oldtype].predefined].name
                                                           : name_oldtype(oldtype);
  };
  const auto array_text = [&](const std::string& type, std::size_t length, auto text_of_element) {
    if (style.arrays == ArrayStyle::braces) return braces(length, style.array_limit, text_of_element);
    // An empty array is no C.
    return "(" + type + "[])" + (length == 0 ? "{0}" : braces(length, length, text_of_element));
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
          array_text("MPI_Datatype", call.datatypes.size(), [&](std::size_t i) { return name_of(call.datatypes[i]); }));
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
      add_argument(array_text(element_type(parameter, call.form), array.length,
                              [&](std::size_t i) { return text_of_value(parameter, array[i], store.constants()); }));
    }
  }
  if (!oldtype_first) add_datatypes();
  return arguments;
}

}  // namespace

std::string constructor_call_text(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  std::size_t array_limit) {
  const Definition& definition = store[id];
  if (definition.call.combiner == Combiner::named) return store.predefined()[definition.predefined].name;
  return constructor_name(definition.call.combiner, definition.call.form) + "(" +
         argument_list(store, id, name_oldtype, {ArrayStyle::braces, array_limit}) + ")";
}

std::string constructor_statement(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  const std::string& newtype) {
  const ConstructorCall& call = store[id].call;
  if (call.combiner == Combiner::named) return {};
  return constructor_name(call.combiner, call.form) + "(" +
         argument_list(store, id, name_oldtype, {ArrayStyle::compound_literals, 0}) + ", &" + newtype + ");";
}

}  // namespace ddtscope
