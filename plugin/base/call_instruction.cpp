#include "plugin/base/call_instruction.h"

#include <cstdlib>
#include <string_view>

namespace ddtscope::plugin {

bool is_portable_wanted() noexcept {
  static const bool is_wanted = [] {
    const char* const value = secure_getenv("DDTSCOPE_PORTABLE");
    return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
  }();
  return is_wanted;
}

}  // namespace ddtscope::plugin
