// Whether a sanitizer watches the process: it has an allocator of its own, and all takes many times as long.
#pragma once

namespace ddtscope::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_sanitizer = true;
#elif defined(__has_feature)
inline constexpr bool has_sanitizer = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool has_sanitizer = false;
#endif

}  // namespace ddtscope::test
