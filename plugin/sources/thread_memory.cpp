#include "plugin/sources/thread_memory.h"

#include "plugin/base/loaded_module.h"

namespace ddtscope::plugin {
namespace {

struct Sought {
  std::uintptr_t address = 0;
  std::optional<PlaceInThread> found;
};

/// Where the thread has no memory of the module yet, there is none to be in.
int look_at(dl_phdr_info* info, std::size_t size, void* data) {
  constexpr std::size_t with_thread_memory = offsetof(dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data;
  if (size < with_thread_memory || info->dlpi_tls_data == nullptr) return 0;
  auto& sought = *static_cast<Sought*>(data);
  const auto begin = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
  std::uintptr_t in_module = 0;
  bool is_there = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && in_module == 0) in_module = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_TLS) is_there = sought.address >= begin && sought.address - begin < header.p_memsz;
  }
  if (!is_there || in_module == 0) return 0;
  sought.found = {in_module, sought.address - begin};
  return 1;
}

}  // namespace

std::optional<PlaceInThread> place_in_thread(std::uintptr_t address) noexcept {
  Sought sought{address, {}};
  each_loaded_module(look_at, &sought);
  return sought.found;
}

}  // namespace ddtscope::plugin
