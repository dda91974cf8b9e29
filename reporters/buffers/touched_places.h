// Where the entries of a buffer lie within equal elements of memory: all that can be told of arrays however long they
// are, in time that grows with the element and the type's description.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "decoder/layout/layout.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Entries of one basic type at one place in an element.
struct TouchedPlace {
  std::string_view basic;  // MPI's name
  std::int64_t size = 0;   // bytes
  std::int64_t place = 0;  // in the element, from 0 to its size
  std::int64_t first = 0;  // that of the entry which was met first, from the beginning of the first element
};

/// A buffer and the memory that it is in.
struct BufferInElements {
  DefinitionId type;
  std::uint64_t copies = 0;
  std::int64_t begin = 0;    // of the buffer from the beginning of the first element, bytes
  std::int64_t element = 1;  // bytes, more than 0
};

/// By place, each once. Empty where it would be too much to find out.
std::optional<std::vector<TouchedPlace>> touched_places(const Job& job, const BufferInElements& buffer);

}  // namespace ddtscope::reporters
