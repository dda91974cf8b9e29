// What of a struct, class or derived type of a program is put into a datatype, and how it is reached in the source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

struct StructPlan;

/// A member of the datatype that is made: a block of basic types, or of records.
struct StructPart {
  std::vector<std::string> path = {};      // names of members from the record on; "" for the first element of an array
  std::int64_t offset = 0;                 // bytes from the record's beginning
  std::int64_t count = 1;                  // elements
  std::string_view basic = {};             // empty for records
  std::shared_ptr<StructPlan> inner = {};  // of each element, for records; else null
  std::vector<SourceArray::Dimension> dimensions = {};  // of an array of records, in the language's order
  bool is_bytes = false;                                // sent as MPI_BYTE, because MPI has no type for it
};

struct StructPlan {
  std::vector<StructPart> parts;
  std::int64_t size = 0;              // bytes, its padding included
  std::vector<std::string> left_out;  // "next (a pointer)"
  std::vector<std::string> as_bytes;  // "flags (bit-fields)"
};

StructPlan plan_of_struct(const SourceType& record);

/// "pos.x", with `separator` between names, and `first` for the first element of an array: "cells[0].a".
std::string path_text(const std::vector<std::string>& path, char separator, std::string_view first);

}  // namespace ddtscope::reporters
