// The checksums of what a debug view consists of.
#pragma once

#include <cstdint>
#include <span>

#include "reporters/trace/format/debug_view.h"

namespace ddtscope::reporters {

/// What a view's checksum must be.
std::uint64_t checksum_of(const trace::DebugView& view);
/// What a record's checksum must be; `content` stands behind its header.
std::uint64_t checksum_of(const trace::DebugRecord& record, std::span<const char> content);

}  // namespace ddtscope::reporters
