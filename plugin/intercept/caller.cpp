// Return addresses and the modules that they lie in.
#include "plugin/intercept/caller.h"

#include <limits.h>
#include <stdlib.h>

#include <string_view>

#include "plugin/base/call_instruction.h"
#include "plugin/base/kept_errno.h"
#include "plugin/base/loaded_module.h"
#include "plugin/library/library.h"

namespace ddtscope::plugin {

namespace detail {
constinit KnownCallers known_callers{};
}

namespace {

struct Search {
  std::uintptr_t address;
  bool is_own = false, is_call_by_name = false;
  const char* name = "";  // of the module, as the loader has it, which keeps it: its code is in a call
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
  search.is_own = segment_of(*info, reinterpret_cast<std::uintptr_t>(&look_at)) != nullptr;
  search.is_call_by_name = is_call_by_name(*info, search.address);
  search.name = info->dlpi_name;
  return 1;
}

/// By the real name: a library is often opened through links.
bool is_of_library(const char* name) {
  char path[PATH_MAX];
  const std::string_view real = realpath(name, path) ? path : name;
  return calls_for_itself(real.substr(real.rfind('/') + 1));
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
  const KeptErrno kept;
  Search search{address};
  each_loaded_module(look_at, &search);
  const bool is_library = search.is_own || (search.is_call_by_name && is_of_library(search.name));
  known_callers[free_slot].store((address << 1) | (is_library ? 1u : 0u), std::memory_order_relaxed);
  return is_library ? Caller::library : Caller::program;
}

}  // namespace ddtscope::plugin
