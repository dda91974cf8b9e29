// The names under which MPI libraries are linked.
#pragma once

#include <string_view>

namespace ddtscope::plugin {

struct LinkedName {
  std::string_view abi;  // as abi_name()
  const char* soname;
};

#define DDTSCOPE_MPI_SONAME(abi, soname) {#abi, soname},
inline constexpr LinkedName linked_names[] = {
#include "plugin/library/libraries.def"
};

}  // namespace ddtscope::plugin
