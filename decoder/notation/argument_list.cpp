#include "decoder/notation/argument_list.h"

#include "decoder/definition/named_values.h"

namespace ddtscope {

bool ArgumentWriter::has(const CombinerRow& /*row*/, const Parameter& /*parameter*/) const { return true; }

std::string ArgumentWriter::constant(std::string_view mpi_name) const { return std::string(mpi_name); }

std::string ArgumentWriter::number(const ArgumentKind& /*kind*/, std::int64_t value) const {
  return std::to_string(value);
}

std::string joined_elements(std::size_t length, const ArgumentWriter::Element& element) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += (i == 0 ? "" : ", ") + element(i);
  return text;
}

namespace {

std::string value_text(const ArgumentWriter& writer, const ArgumentKind& kind, std::int64_t value,
                       const LibraryConstants& constants) {
  const NamedValues names = named_values(*kind.parameter, constants);
  const NamedValue* name = names.find(value);
  return name != nullptr ? writer.constant(name->mpi_name) : writer.number(kind, value);
}

/// A list of arguments that grows.
class List {
 public:
  void add(const std::string& argument) { text_ += (text_.empty() ? "" : ", ") + argument; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_datatypes(const ConstructorCall& call, ArgumentWriter& writer, List& list) {
  switch (row_of(call.combiner).datatypes) {
    case DatatypeArguments::none:
      return;
    case DatatypeArguments::one:
      if (writer.has_oldtype()) list.add(writer.datatype(call.datatypes[0]));
      return;
    case DatatypeArguments::two:
      for (const DefinitionId id : call.datatypes) list.add(writer.datatype(id));
      return;
    case DatatypeArguments::per_count:
      list.add(
          writer.array({}, call.datatypes.size(), [&](std::size_t i) { return writer.datatype(call.datatypes[i]); }));
      return;
  }
}

}  // namespace

std::string argument_list(const DefinitionStore& store, DefinitionId id, ArgumentWriter& writer) {
  const ConstructorCall& call = store[id].call;
  const CombinerRow& row = row_of(call.combiner);
  List list;
  // The one constructor whose oldtype comes before the other arguments (MPI-4.1 5.1.7).
  const bool oldtype_first = call.combiner == Combiner::resized;
  if (oldtype_first) add_datatypes(call, writer, list);
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  for (const Parameter& parameter : row.parameters) {
    const ArgumentKind kind{&parameter, call.form};
    const bool is_scalar = parameter.shape == ParameterShape::scalar;
    const std::size_t slot = is_scalar ? scalars++ : arrays++;
    if (!writer.has(row, parameter)) continue;
    if (is_scalar) {
      list.add(value_text(writer, kind, call.scalars[slot], store.constants()));
      continue;
    }
    const IntegerArray& values = call.arrays[slot];
    list.add(writer.array(kind, values.length,
                          [&](std::size_t i) { return value_text(writer, kind, values[i], store.constants()); }));
  }
  if (!oldtype_first) add_datatypes(call, writer, list);
  return list.text();
}

}  // namespace ddtscope
