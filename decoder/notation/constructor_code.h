// A definition as the constructor call that makes it, in C.
#pragma once

#include <functional>
#include <string>

#include "decoder/definition/definition.h"
#include "decoder/notation/argument_list.h"

namespace ddtscope {

/// How derived oldtypes are to be named ("T3", a variable).
using NameOldtype = std::function<std::string(DefinitionId)>;

/// Values of an array that a call's text has.
inline constexpr std::size_t call_array_limit = 16;

/// "MPI_Type_vector(3, 2, 5, MPI_DOUBLE)". The newtype argument is left out, arrays stand in braces and
/// are cut after `array_limit` values with "... (N values)"; constants are written by name. For a
/// predefined type its name.
std::string constructor_call_text(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  std::size_t array_limit = call_array_limit);

/// Puts that text, with the same limit, behind what `text` has already.
void append_constructor_call(std::string& text, const DefinitionStore& store, DefinitionId id,
                             const NameOldtype& name_oldtype);

/// Arguments that compile as C: arrays whole, as compound literals.
class CArguments : public ArgumentWriter {
 public:
  /// Both must outlive it.
  CArguments(const DefinitionStore& store, const NameOldtype& name_oldtype)
      : store_(store), name_oldtype_(name_oldtype) {}
  void number(std::string& text, const ArgumentKind& kind, std::int64_t value) const override;
  void datatype(std::string& text, DefinitionId id) const override;
  void array(std::string& text, const ArgumentKind& kind, const ArrayElements& elements) override;

 protected:
  static std::string element_type(const ArgumentKind& kind);

 private:
  const DefinitionStore& store_;
  const NameOldtype& name_oldtype_;
};

/// The same call as a C statement that compiles: arrays whole, as compound literals, and the address of `newtype` last.
/// "MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 4}, MPI_INT, &t0);"
std::string constructor_statement(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  const std::string& newtype);

/// With arrays as `writer` has them.
std::string constructor_statement(const DefinitionStore& store, DefinitionId id, CArguments& writer,
                                  const std::string& newtype);

}  // namespace ddtscope
