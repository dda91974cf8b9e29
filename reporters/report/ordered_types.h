// The definitions of a job, in the order that a report tells them.
#pragma once

#include <cstdint>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// The others than `id` with the most first, and last what is not known.
enum class TypesOrder : std::uint8_t { id, instances, live, size, extent, blocks };

std::vector<TypeNumber> ordered_types(const Job& job, TypesOrder order);

}  // namespace ddtscope::reporters
