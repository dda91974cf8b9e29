// The arguments of a definition's constructor call, in whatever language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// What an argument, or each element of one, is.
struct ArgumentKind {
  const Parameter* parameter = nullptr;  // nullptr: a datatype
  Form form = Form::int_counts;

  /// MPI_Aint in the int form, MPI_Count in the large one.
  bool is_address() const { return parameter != nullptr && parameter->kind == ParameterKind::address; }
  /// An MPI_Count: a count or an address of the large form.
  bool is_large() const {
    return parameter != nullptr && parameter->kind != ParameterKind::integer && form == Form::large_counts;
  }
};

/// How a language writes arguments.
class ArgumentWriter {
 public:
  virtual ~ArgumentWriter() = default;
  /// Whether the call has this argument, oldtypes aside: a Python list knows its length.
  virtual bool has(const CombinerRow& row, const Parameter& parameter) const;
  /// Whether the one oldtype is an argument, and not the object whose method is called.
  virtual bool has_oldtype() const { return true; }
  /// A constant of MPI by its standard name, "MPI_ORDER_C".
  virtual std::string constant(std::string_view mpi_name) const;
  virtual std::string number(const ArgumentKind& kind, std::int64_t value) const;
  virtual std::string datatype(DefinitionId id) const = 0;
  using Element = std::function<std::string(std::size_t)>;
  virtual std::string array(const ArgumentKind& kind, std::size_t length, const Element& element) = 0;
};

/// Elements with commas between them.
std::string joined_elements(std::size_t length, const ArgumentWriter::Element& element);

/// Without newtype and without parentheses: "3, 2, 5, MPI_DOUBLE".
std::string argument_list(const DefinitionStore& store, DefinitionId id, ArgumentWriter& writer);

}  // namespace ddtscope
