// Return addresses and the modules that they lie in.
#include "plugin/intercept/caller.h"

#include <limits.h>
#include <stdlib.h>

#include <cstring>
#include <string_view>

#include "plugin/base/loaded_module.h"
#include "plugin/library/library.h"

namespace ddtscope::plugin {

namespace detail {
std::array<std::atomic<std::uintptr_t>, most_known_callers> known_callers{};
}

namespace {

struct Search {
  std::uintptr_t address;
  Caller caller = Caller::program;
};

/// Whether the instruction before `address` calls a function by its name. The library calls a program's callbacks
/// through pointers; where such a callback ends in an MPI call, its compiler makes a jump of it, and the return address
/// is the library's.
bool is_call_by_name([[maybe_unused]] const dl_phdr_info& info, [[maybe_unused]] std::uintptr_t address) {
#ifdef __x86_64__
  if (!segment_of(info, address - 6, 6)) return true;  // no room for a call
  const auto* next = reinterpret_cast<const unsigned char*>(address);
  const bool is_call_through_table = next[-6] == 0xFF && next[-5] == 0x15;  // call *offset(%rip), as -fno-plt has it
  std::int32_t offset;
  std::memcpy(&offset, next - 4, sizeof offset);
  const bool is_call = next[-5] == 0xE8 && segment_of(info, address + static_cast<std::uintptr_t>(offset)) != nullptr;
  return is_call || is_call_through_table;
#else
  return true;
#endif
}

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!segment_of(*info, search.address)) return 0;
  // By the real name: a library is often opened through links.
  char path[PATH_MAX];
  const std::string_view name = realpath(info->dlpi_name, path) ? path : info->dlpi_name;
  const bool is_own = segment_of(*info, reinterpret_cast<std::uintptr_t>(&look_at)) != nullptr;
  const bool is_library = calls_for_itself(name.substr(name.rfind('/') + 1));
  if (is_own || (is_library && is_call_by_name(*info, search.address))) search.caller = Caller::library;
  return 1;
}

}  // namespace

Caller detail::find_caller(std::uintptr_t address) noexcept {
  // Calls from many places may meet in one slot: the next few ones are tried, too.
  constexpr std::size_t tries = 8;
  const std::size_t home = home_of_caller(address);
  std::size_t free_slot = home;
  for (std::size_t i = 0; i < tries; ++i) {
    const std::size_t at = (home + i) % most_known_callers;
    const std::uintptr_t known = known_callers[at].load(std::memory_order_relaxed);
    if (known >> 1 == address) return (known & 1) != 0 ? Caller::library : Caller::program;
    if (known == 0) {
      free_slot = at;
      break;
    }
  }
  Search search{address};
  dl_iterate_phdr(look_at, &search);
  known_callers[free_slot].store((address << 1) | (search.caller == Caller::library ? 1u : 0u),
                                 std::memory_order_relaxed);
  return search.caller;
}

}  // namespace ddtscope::plugin
