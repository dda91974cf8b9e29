// The checksums of what a debug view consists of.
#pragma once

#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "reporters/trace/format/debug_view.h"

namespace ddtscope::trace {

/// What a view's checksum must be.
inline std::uint64_t checksum_of(const DebugView& view) { return XXH3_64bits(&view, offsetof(DebugView, checksum)); }

/// What a record's checksum must be; `content` is what stands behind its header.
inline std::uint64_t checksum_of(const DebugRecord& record, const void* content) {
  DebugRecord header = record;
  header.checksum = 0;
  return XXH3_64bits_withSeed(content, record.used - sizeof(DebugRecord), XXH3_64bits(&header, sizeof header));
}

}  // namespace ddtscope::trace
