// One of several worlds in a merged trace, as its header tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reporters/trace/format/rank.h"

namespace ddtscope {

struct World {
  WorldNumber number;
  std::optional<WorldNumber> spawned_by;
  std::optional<std::int64_t> size;
  std::string program;
  std::vector<std::string> arguments;
};

}  // namespace ddtscope
