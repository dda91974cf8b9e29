#include "reporters/debug_view/view_header.h"

#include <cstddef>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::reporters {

std::uint64_t checksum_of(const trace::DebugView& view) {
  return XXH3_64bits(&view, offsetof(trace::DebugView, checksum));
}

std::uint64_t checksum_of(const trace::DebugRecord& record, std::span<const char> content) {
  trace::DebugRecord header = record;
  header.checksum = 0;
  return XXH3_64bits_withSeed(content.data(), content.size(), XXH3_64bits(&header, sizeof header));
}

}  // namespace ddtscope::reporters
