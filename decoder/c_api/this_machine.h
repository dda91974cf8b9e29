// Sizes and alignments of the predefined datatypes on the machine that this runs on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ddtscope::c_api {

struct SizeAndAlignment {
  std::int64_t size, alignment;
  friend bool operator==(const SizeAndAlignment&, const SizeAndAlignment&) = default;
};

/// Of a basic type by its first name in MPI-4.1's Annex A; empty for a pair, a marker, or an unknown name.
std::optional<SizeAndAlignment> on_this_machine(std::string_view canonical_name);

}  // namespace ddtscope::c_api
