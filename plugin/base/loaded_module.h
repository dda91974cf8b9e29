// What the loader tells of a module (dl_iterate_phdr).
#pragma once

#include <link.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace ddtscope::plugin {

/// dl_iterate_phdr, in which no signal interrupts this thread: it has the loader's lock, and a handler that unwinds the
/// stack may wait for another thread's handler that wants that lock. What is done in it should be short. Its result.
inline int each_loaded_module(int (*look)(dl_phdr_info* info, std::size_t size, void* data), void* data) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  const bool are_blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  const int result = dl_iterate_phdr(look, data);
  if (are_blocked) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

/// The segment of the module in which all these bytes lie; nullptr where they do not. Bytes that the module's file does
/// not fill count, too.
inline const ElfW(Phdr) * segment_of(const dl_phdr_info& module, std::uintptr_t address, std::size_t bytes = 1) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    const std::uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && bytes <= segment.p_memsz &&
        address - begin <= segment.p_memsz - bytes) {
      return &segment;
    }
  }
  return nullptr;
}

}  // namespace ddtscope::plugin
