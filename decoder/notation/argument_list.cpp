#include "decoder/notation/argument_list.h"

#include <charconv>

#include "decoder/definition/named_values.h"

namespace ddtscope {

bool ArgumentWriter::has(const CombinerRow& /*row*/, const Parameter& /*parameter*/) const { return true; }

void ArgumentWriter::constant(std::string& text, std::string_view mpi_name) const { text += mpi_name; }

void ArgumentWriter::number(std::string& text, const ArgumentKind& /*kind*/, std::int64_t value) const {
  append_integer(text, value);
}

void append_integer(std::string& text, std::int64_t value) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

namespace {

/// A call's arguments, with commas between them.
class List {
 public:
  List(std::string& text, const ConstructorCall& call, ArgumentWriter& writer)
      : text_(text), call_(call), writer_(writer) {}

  std::string& next() {
    if (!is_first_) text_ += ", ";
    is_first_ = false;
    return text_;
  }

  void add(const Parameter& parameter, std::size_t slot, const LibraryConstants& constants) {
    const ArgumentKind kind{&parameter, call_.form};
    const NamedValues names = named_values(parameter, constants);
    const auto append = [&](std::string& text, std::int64_t value) {
      if (const NamedValue* const name = names.find(value)) {
        writer_.constant(text, name->mpi_name);
      } else {
        writer_.number(text, kind, value);
      }
    };
    if (parameter.shape == ParameterShape::scalar) {
      append(next(), call_.scalars[slot]);
      return;
    }
    const IntegerArray& values = call_.arrays[slot];
    const auto element = [&](std::string& text, std::size_t i) { append(text, values[i]); };
    writer_.array(next(), kind, ArrayElements(values.length, element));
  }

  void add_datatypes() {
    const auto datatype = [&](std::string& text, std::size_t i) { writer_.datatype(text, call_.datatypes[i]); };
    switch (row_of(call_.combiner).datatypes) {
      case DatatypeArguments::none:
        return;
      case DatatypeArguments::one:
        if (writer_.has_oldtype()) datatype(next(), 0);
        return;
      case DatatypeArguments::two:
        for (std::size_t i = 0; i < call_.datatypes.size(); ++i) datatype(next(), i);
        return;
      case DatatypeArguments::per_count:
        writer_.array(next(), {}, ArrayElements(call_.datatypes.size(), datatype));
        return;
    }
  }

 private:
  std::string& text_;
  const ConstructorCall& call_;
  ArgumentWriter& writer_;
  bool is_first_ = true;
};

}  // namespace

void append_arguments(std::string& text, const DefinitionStore& store, DefinitionId id, ArgumentWriter& writer) {
  const ConstructorCall& call = store[id].call;
  const CombinerRow& row = row_of(call.combiner);
  List list(text, call, writer);
  // The one constructor whose oldtype comes before the other arguments (MPI-4.1 5.1.7).
  const bool oldtype_first = call.combiner == Combiner::resized;
  if (oldtype_first) list.add_datatypes();
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  for (const Parameter& parameter : row.parameters) {
    const std::size_t slot = parameter.shape == ParameterShape::scalar ? scalars++ : arrays++;
    if (writer.has(row, parameter)) list.add(parameter, slot, store.constants());
  }
  if (!oldtype_first) list.add_datatypes();
}

std::string argument_list(const DefinitionStore& store, DefinitionId id, ArgumentWriter& writer) {
  std::string text;
  append_arguments(text, store, id, writer);
  return text;
}

}  // namespace ddtscope
