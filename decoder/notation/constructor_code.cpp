// Writes constructor calls as C, from the combiner table.
#include "decoder/notation/constructor_code.h"

#include <charconv>
#include <string_view>

#include "decoder/definition/named_values.h"

namespace ddtscope {
namespace {

void append_integer(std::string& text, std::int64_t value) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_value(std::string& text, std::int64_t value, const NamedValues& names) {
  if (const NamedValue* const name = names.find(value)) {
    text += name->mpi_name;
  } else {
    append_integer(text, value);
  }
}

/// What stands before an array's braces.
enum class ArrayStyle { braces, compound_literals };

struct ArgumentStyle {
  ArrayStyle arrays;
  std::size_t array_limit;
};

std::string_view element_type(const Parameter& parameter, Form form) {
  if (parameter.kind == ParameterKind::integer) return "int";
  if (form == Form::large_counts) return "MPI_Count";
  return parameter.kind == ParameterKind::address ? "MPI_Aint" : "int";
}

/// Writes the arguments of one call, but for newtype, behind what the text has.
class ArgumentList {
 public:
  ArgumentList(std::string& text, const DefinitionStore& store, const NameOldtype& name_oldtype, ArgumentStyle style)
      : text_(text), store_(store), name_oldtype_(name_oldtype), style_(style) {}

  void append(const ConstructorCall& call) {
    const CombinerRow& row = row_of(call.combiner);
    // The one constructor whose oldtype comes before the other arguments (MPI-4.1 5.1.7).
    const bool oldtype_first = call.combiner == Combiner::resized;
    if (oldtype_first) append_datatypes(call);
    std::size_t scalars = 0;
    std::size_t arrays = 0;
    for (const Parameter& parameter : row.parameters) {
      const NamedValues names = named_values(parameter, store_.constants());
      begin_argument();
      if (parameter.shape == ParameterShape::scalar) {
        append_value(text_, call.scalars[scalars++], names);
      } else {
        const IntegerArray& array = call.arrays[arrays++];
        append_array(element_type(parameter, call.form), array.length,
                     [&](std::size_t i) { append_value(text_, array[i], names); });
      }
    }
    if (!oldtype_first) append_datatypes(call);
  }

 private:
  void begin_argument() {
    if (!is_first_) text_ += ", ";
    is_first_ = false;
  }

  void append_name(DefinitionId oldtype) {
    const Definition& definition = store_[oldtype];
    text_ += definition.call.combiner == Combiner::named ? store_.predefined()[definition.predefined].name
                                                         : name_oldtype_(oldtype);
  }

  void append_datatypes(const ConstructorCall& call) {
    if (row_of(call.combiner).datatypes == DatatypeArguments::per_count) {
      begin_argument();
      append_array("MPI_Datatype", call.datatypes.size(), [&](std::size_t i) { append_name(call.datatypes[i]); });
    } else {
      for (const DefinitionId oldtype : call.datatypes) {
        begin_argument();
        append_name(oldtype);
      }
    }
  }

  template <class AppendElement>
  void append_array(std::string_view type, std::size_t length, AppendElement append_element) {
    const bool is_literal = style_.arrays == ArrayStyle::compound_literals;
    if (is_literal) (((text_ += '(') += type) += "[])");
    const std::size_t limit = is_literal ? length : style_.array_limit;
    text_ += '{';
    for (std::size_t i = 0; i < length && i < limit; ++i) {
      if (i != 0) text_ += ", ";
      append_element(i);
    }
    if (length > limit) {
      text_ += limit != 0 ? ", ... (" : "... (";
      append_integer(text_, static_cast<std::int64_t>(length));
      text_ += " values)";
    }
    if (is_literal && length == 0) text_ += '0';  // an empty array is no C
    text_ += '}';
  }

  std::string& text_;
  const DefinitionStore& store_;
  const NameOldtype& name_oldtype_;
  const ArgumentStyle style_;
  bool is_first_ = true;
};

}  // namespace

void append_constructor_call(std::string& text, const DefinitionStore& store, DefinitionId id,
                             const NameOldtype& name_oldtype, std::size_t array_limit) {
  const Definition& definition = store[id];
  if (definition.call.combiner == Combiner::named) {
    text += store.predefined()[definition.predefined].name;
    return;
  }
  (text += constructor_name(definition.call.combiner, definition.call.form)) += '(';
  ArgumentList(text, store, name_oldtype, {ArrayStyle::braces, array_limit}).append(definition.call);
  text += ')';
}

std::string constructor_call_text(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  std::size_t array_limit) {
  std::string text;
  append_constructor_call(text, store, id, name_oldtype, array_limit);
  return text;
}

std::string constructor_statement(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  const std::string& newtype) {
  const ConstructorCall& call = store[id].call;
  if (call.combiner == Combiner::named) return {};
  std::string text = constructor_name(call.combiner, call.form) + "(";
  ArgumentList(text, store, name_oldtype, {ArrayStyle::compound_literals, 0}).append(call);
  return text + ", &" + newtype + ");";
}

}  // namespace ddtscope
