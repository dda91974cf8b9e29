// A type as source text: the calls that make it, in C, Fortran or Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

enum class Language : std::uint8_t { c, fortran, python };
std::optional<Language> language_of_text(std::string_view text);  // "c", "fortran", "python"

enum class CodeExtent : std::uint8_t {
  calls,    // declarations, constructor calls, commit and frees, to be pasted
  program,  // a whole program that makes the type, prints its bounds, and packs numbered bytes
};

struct CodeOptions {
  TypeNumber type;
  Language language = Language::c;
  CodeExtent extent = CodeExtent::calls;
};

struct NoCode {
  std::string sentence;  // why the type cannot be made by source text
};

/// Calls that make the type with everything that it is made of, each part once; parts are freed when the last type is
/// made of them. Names that a trace brings stand in comments only, and of these what no language ends a comment by.
std::variant<std::string, NoCode> code_of(const Job& job, const CodeOptions& options);

/// "static MPI_Datatype FUNCTION(void) { ... }" in C: makes the type and frees its parts. It is left uncommitted.
/// `type` may be predefined.
std::variant<std::string, NoCode> c_function_of(const DefinitionStore& store, DefinitionId type,
                                                std::string_view function);

}  // namespace ddtscope::reporters
