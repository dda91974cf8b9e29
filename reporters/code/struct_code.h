// The right datatype for a struct of a program, as source text.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "reporters/code/code.h"
#include "reporters/code/struct_plan.h"
#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

struct StructCodeOptions {
  std::string program;               // whose struct it is, for a comment
  std::optional<Language> language;  // none: the record's own
};

/// A function that makes, commits and returns a type with the record's members and its extent (MPI-4.1 5.1.2): in C by
/// offsetof and sizeof, in Fortran by MPI_Get_address.
std::variant<std::string, NoCode> code_of_struct(const NamedRecord& record, const StructCodeOptions& options);

/// What both languages write of it.
struct StructText {
  const NamedRecord& record;
  const StructPlan& plan;
  std::vector<std::string> comments;  // a line each, harmless in every language
};
/// What goes behind the names of a function's variables, which numbers may follow, so that none of them hides a record
/// of this spelling: nothing, or "_".
std::string suffix_beside(std::string_view spelling, std::initializer_list<std::string_view> variables);

std::string struct_c_code(const StructText& text);
std::string struct_fortran_code(const StructText& text);

}  // namespace ddtscope::reporters
