// A record as what lies in it, one scalar after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

struct StructScalar {
  std::int64_t offset = 0;  // bytes from the record's beginning
  std::int64_t size = 0;    // bytes
  ScalarKind kind = ScalarKind::unknown;
  std::string_view basic;       // as SourceScalar has it
  std::string path;             // "pos.x", "cells[2].a"; "field(1, 2)" is "field[1][2]"
  std::string type;             // "long int"
  bool is_alternative = false;  // of a union: another one may be there
};

struct StructScalars {
  std::vector<StructScalar> scalars;  // by offset
  bool is_whole = true;               // false: there are more than were asked for, or parts that nobody knows
};

/// At most so many. Arrays whose length is not in the type have none.
StructScalars scalars_of(const SourceType& record, std::size_t most);

}  // namespace ddtscope::reporters
