// Return addresses and the modules that they lie in.
#include "plugin/intercept/caller.h"

#include <limits.h>
#include <stdlib.h>

#include <string_view>

#include "plugin/base/call_instruction.h"
#include "plugin/base/loaded_module.h"
#include "plugin/library/library.h"

namespace ddtscope::plugin {

namespace detail {
constinit KnownCallers known_callers{};
}

namespace {

struct Search {
  std::uintptr_t address;
  Caller caller = Caller::program;
};

/// The library calls a program's callbacks through pointers; where such a callback ends in an MPI call, its compiler
/// makes a jump of it, and the return address is the library's.
bool is_call_by_name(const dl_phdr_info& info, std::uintptr_t address) {
  std::size_t length = longest_call;
  while (length != 0 && !segment_of(info, address - length, length)) --length;
  const CodeBefore code{{reinterpret_cast<const unsigned char*>(address - length), length}, address};
  const auto is_code = [&](std::uintptr_t target) { return segment_of(info, target) != nullptr; };
  return called_by(is_portable_wanted() ? Instructions::any : own_instructions, code, is_code) == CalledBy::name;
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
