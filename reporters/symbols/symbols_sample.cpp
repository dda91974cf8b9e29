// Addresses for the resolver's tests: functions that say where they stand.
#include <cstdint>

__attribute__((visibility("default"), noinline)) std::uintptr_t return_address() {
  return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

namespace sample {

/// The return address less one of the call on `line`, as a trace records it.
__attribute__((visibility("default"), noinline)) std::uintptr_t call_site(int& line) {
  line = __LINE__ + 1;
  const std::uintptr_t address = return_address();
  return address - 1;
}

}  // namespace sample
