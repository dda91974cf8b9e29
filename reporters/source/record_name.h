// How people and compilers name a record: "struct halo::particle<grid::real>".
#pragma once

#include <string_view>

namespace ddtscope::reporters {

inline std::string_view without_keyword(std::string_view name) {
  for (const std::string_view keyword : {"struct ", "class ", "union ", "type "}) {
    if (name.starts_with(keyword)) return name.substr(keyword.size());
  }
  return name;
}

/// Without its namespaces and the records around it, with the arguments of its template: "particle<grid::real>".
inline std::string_view without_scopes(std::string_view name) {
  const std::size_t colons = name.rfind("::", name.find('<'));
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

}  // namespace ddtscope::reporters
