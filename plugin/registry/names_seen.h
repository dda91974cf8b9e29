// Which names the trace has already.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "reporters/trace/format/file_number.h"

namespace ddtscope::plugin {

/// Hashes of a definition's number and a name. Where there are too many to remember, some names are new again, which
/// changes nothing for who reads them. Not synchronised.
class NamesSeen {
 public:
  bool is_new(DefinitionNumber definition, std::string_view name);

 private:
  static constexpr std::size_t most = 1 << 16;
  std::unordered_set<std::uint64_t> hashes_;
};

}  // namespace ddtscope::plugin
