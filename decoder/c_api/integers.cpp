// Integers of up to 128 bits as C sees them.
#include <cstdint>
#include <limits>

#include "decoder/c_api/context.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

ddtscope_integer ddtscope_integer_of(int64_t value) { return integer_of(Exact(std::int64_t{value})); }

int64_t ddtscope_to_count(ddtscope_integer value) {
  return value.bits == 64 ? static_cast<std::int64_t>(value.low) : DDTSCOPE_UNDEFINED;
}

int ddtscope_to_int(ddtscope_integer value) {
  const std::int64_t count = ddtscope_to_count(value);
  return count == static_cast<int>(count) ? static_cast<int>(count) : DDTSCOPE_UNDEFINED;
}

int ddtscope_integer_text(ddtscope_integer value, char* buffer, size_t size, size_t* length) {
  return without_exceptions(__func__, message_without_context(), [&]() -> Status {
    Exact exact;
    if (Status status = exact_of(value, "value", exact); status.failed()) return status;
    return put_text(exact.to_string(), {buffer, size, length});
  });
}
