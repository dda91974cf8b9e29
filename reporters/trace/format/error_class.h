// Error classes as a trace names them: the libraries have numbers of their own for them.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace ddtscope::trace {

/// A row of error_classes.def, from 1 on; 0: none of them, as of a class that the program added.
enum class ErrorClass : std::uint32_t {};

/// "MPI_ERR_ARG"; empty where there is none.
constexpr std::string_view name_of(ErrorClass error_class) {
  constexpr std::string_view names[] = {
      "",
#define DDTSCOPE_ERROR_CLASS(name) "MPI_ERR_" #name,
#include "reporters/trace/format/error_classes.def"
  };
  const auto number = static_cast<std::uint32_t>(error_class);
  return number < std::size(names) ? names[number] : std::string_view();
}

}  // namespace ddtscope::trace
