// What the loader tells of a module (dl_iterate_phdr).
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace ddtscope::plugin {

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
