// What writers and readers of the trace agree on: its version, and what is the same in all records (FORMAT.md).
#pragma once

#include <cstdint>

namespace ddtscope::trace {

/// Of files of processes, merged ones and those of several worlds alike. Readers take all that are not newer.
inline constexpr std::int64_t format_version = 6;
/// From this one on readers say which kinds of records they do not know.
inline constexpr std::int64_t first_version_with_kinds_to_come = 4;

}  // namespace ddtscope::trace
