// Who calls: the program, or the MPI library for itself. Both call the same names (ROMIO makes types by MPI_Type_*, the
// Fortran layer calls the C functions), and only the return address tells.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ddtscope::plugin {

enum class Caller { program, library };

namespace detail {

/// What was found out, by return address: (address << 1) | is_library. Nothing is ever removed: for a wrong answer,
/// code of the other kind would have to be loaded where other code was unloaded, with a call at the same byte.
inline constexpr std::size_t most_known_callers = std::size_t{1} << 12;
struct alignas(64) KnownCallers : std::array<std::atomic<std::uintptr_t>, most_known_callers> {};
extern KnownCallers known_callers;

/// Calls that stand near each other, as those do that make, commit and free a type, are near each other here.
inline std::size_t home_of_caller(std::uintptr_t address) {
  return address / sizeof(std::uintptr_t) % most_known_callers;
}
Caller find_caller(std::uintptr_t address) noexcept;

}  // namespace detail

/// The plugin's own module counts as the library: the library jumps, rather than calls, from some functions to others,
/// and the return address is then that of a wrapper. Costs about two nanoseconds for an address that was seen before.
[[gnu::always_inline]] inline Caller caller_of(void* return_address) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const std::uintptr_t known = detail::known_callers[detail::home_of_caller(address)].load(std::memory_order_relaxed);
  if (known >> 1 == address) [[likely]]
    return (known & 1) != 0 ? Caller::library : Caller::program;
  return detail::find_caller(address);
}

}  // namespace ddtscope::plugin
