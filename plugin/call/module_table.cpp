#include "plugin/call/module_table.h"

#include <elf.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "decoder/base/hexadecimal.h"
#include "plugin/base/kept_errno.h"
#include "plugin/base/loaded_module.h"

namespace ddtscope::plugin {
namespace {

std::string build_id_of(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    // A module may have notes that are not loaded.
    if (segment.p_type != PT_NOTE || !segment_of(info, info.dlpi_addr + segment.p_vaddr, segment.p_memsz)) continue;
    const char* at = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    const std::size_t alignment = segment.p_align == 8 ? 8 : 4;
    const auto padded = [&](std::size_t size) { return (size + alignment - 1) & ~(alignment - 1); };
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* description = name + padded(note.n_namesz);
      if (description + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        return hexadecimal_digits({reinterpret_cast<const std::byte*>(description), note.n_descsz});
      }
      at = description + padded(note.n_descsz);
    }
  }
  return {};
}

std::string absolute_path(const char* name) {
  char buffer[PATH_MAX];
  if (name == nullptr || *name == '\0') {
    const ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer);
    return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
  }
  return realpath(name, buffer) ? std::string(buffer) : std::string(name);
}

}  // namespace

namespace {

/// How many modules this process has loaded, ever.
unsigned long long number_loaded() {
  unsigned long long loaded = 0;
  each_loaded_module(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<unsigned long long*>(data) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

}  // namespace

ModuleTable::ModuleTable(std::function<bool(std::string_view)> is_library_module)
    : is_library_module_(std::move(is_library_module)) {
  look();
  bytes_ = 0;  // what there is in the beginning is not what grows
}

void ModuleTable::look() {
  const KeptErrno kept;
  loaded_ = number_loaded();  // before: another thread may load one meanwhile
  // The loader's own frames stand between: nothing may be thrown through them.
  struct Search {
    const ModuleTable& table;
    std::vector<Module> found;
    std::exception_ptr failure;
  } search{*this, {}, nullptr};
  each_loaded_module(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [table, found, failure] = *static_cast<Search*>(data);
        try {
          if (auto module = table.new_module(*info)) found.push_back(std::move(*module));
        } catch (...) {
          failure = std::current_exception();
        }
        return failure ? 1 : 0;
      },
      &search);
  if (search.failure) std::rethrow_exception(search.failure);
  for (Module& module : search.found) add(std::move(module));
}

std::vector<Module> ModuleTable::take_lost() {
  std::vector<Module> lost = std::exchange(modules_, {});
  look();
  for (Module& module : modules_) {
    const auto same = std::ranges::find_if(lost, [&](const Module& before) {
      return before.lies_at(module.begin, module.end, module.name) && before.build_id == module.build_id;
    });
    if (same == lost.end()) continue;
    module.number = same->number;
    lost.erase(same);
  }
  return lost;
}

std::optional<Module> ModuleTable::new_module(const dl_phdr_info& info) const {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, info.dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, info.dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (begin >= end) return std::nullopt;
  for (const Module& known : modules_) {
    if (known.lies_at(begin, end, info.dlpi_name)) return std::nullopt;
  }
  return Module{begin, end, info.dlpi_addr, info.dlpi_name, {}, build_id_of(info), false, {}};
}

void ModuleTable::add(Module&& module) {
  // A library that was unloaded leaves its range to others.
  std::erase_if(modules_, [&](const Module& known) { return known.begin < module.end && module.begin < known.end; });
  module.path = absolute_path(module.name.c_str());
  module.is_library = is_library_module_(std::string_view(module.path).substr(module.path.rfind('/') + 1));
  bytes_ += sizeof module + module.name.size() + module.path.size() + module.build_id.size();
  modules_.push_back(std::move(module));
}

Module* ModuleTable::at(std::uintptr_t address) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (Module& module : modules_) {
      if (address >= module.begin && address < module.end) return &module;
    }
    if (attempt != 0 || number_loaded() == loaded_) break;
    look();
  }
  return nullptr;
}

}  // namespace ddtscope::plugin
