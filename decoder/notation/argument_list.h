// The arguments of a definition's constructor call, in whatever language.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// The elements of an array argument, of which each appends itself.
class ArrayElements {
 public:
  /// `append(text, i)` must outlive it.
  template <class Append>
  ArrayElements(std::size_t length, const Append& append)
      : length_(length), append_(&append), call_([](const void* object, std::string& text, std::size_t i) {
          (*static_cast<const Append*>(object))(text, i);
        }) {}
  std::size_t length() const { return length_; }
  /// The first ones, with commas between them.
  void append_to(std::string& text, std::size_t number) const {
    for (std::size_t i = 0; i < number; ++i) {
      if (i != 0) text += ", ";
      call_(append_, text, i);
    }
  }
  void append_to(std::string& text) const { append_to(text, length_); }

 private:
  std::size_t length_;
  const void* append_;
  void (*call_)(const void*, std::string&, std::size_t);
};

/// How a language writes arguments.
class ArgumentWriter {
 public:
  virtual ~ArgumentWriter() = default;
  /// Whether the call has this argument, oldtypes aside: a Python list knows its length.
  virtual bool has(const CombinerRow& row, const Parameter& parameter) const;
  /// Whether the one oldtype is an argument, and not the object whose method is called.
  virtual bool has_oldtype() const { return true; }
  // Each appends to a text: the plugin writes calls while the program runs.
  /// A constant of MPI by its standard name, "MPI_ORDER_C".
  virtual void constant(std::string& text, std::string_view mpi_name) const;
  virtual void number(std::string& text, const ArgumentKind& kind, std::int64_t value) const;
  virtual void datatype(std::string& text, DefinitionId id) const = 0;
  virtual void array(std::string& text, const ArgumentKind& kind, const ArrayElements& elements) = 0;
};

void append_integer(std::string& text, std::int64_t value);

/// Without newtype and without parentheses: "3, 2, 5, MPI_DOUBLE".
void append_arguments(std::string& text, const DefinitionStore& store, DefinitionId id, ArgumentWriter& writer);
std::string argument_list(const DefinitionStore& store, DefinitionId id, ArgumentWriter& writer);

}  // namespace ddtscope
