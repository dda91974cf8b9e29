// What a descriptor says that a Fortran compiler passes for an array of any type and rank: type(*), dimension(..).
#pragma once

#include <cstdint>
#include <optional>

#include "plugin/sources/own_memory.h"
#include "reporters/trace/format/buffer_place.h"

namespace ddtscope::plugin {

/// The one at `descriptor`, if it is one of gfortran's (from version 8 on) for an array at `buffer`, as all of its
/// parts must say. Nothing of it is taken for granted: other compilers have other ones.
std::optional<ArrayDescriptor> described_array(const OwnMemory& memory, std::uintptr_t descriptor,
                                               std::uintptr_t buffer) noexcept;

}  // namespace ddtscope::plugin
