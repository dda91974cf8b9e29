// How a registry ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace ddtscope::plugin {

enum class RegistryPatience { endless, bounded };

struct RegistryEnd {
  bool complete;
  std::string_view reason;
  std::string_view time = {};
  RegistryPatience patience = RegistryPatience::endless;
  /// Adds to the trace what is derived of its definitions; how many stay without. May be empty.
  std::function<std::uint64_t()> add_facts = {};
};

}  // namespace ddtscope::plugin
