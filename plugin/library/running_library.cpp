// Which MPI library is in this process, told by the names of its modules and what they were linked with.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "plugin/base/loaded_module.h"
#include "plugin/library/library.h"
#include "plugin/library/linked_names.h"

namespace ddtscope::plugin {
namespace {

std::string_view file_name_of(const char* path) {
  const std::string_view text(path ? path : "");
  return text.substr(text.rfind('/') + 1);
}

/// The loader's tables of one module.
class DynamicSection {
 public:
  /// `base` is where the module lies. The C library's loader puts addresses into its copy of a table of strings' entry;
  /// others leave offsets.
  DynamicSection(const ElfW(Dyn) * entries, std::uintptr_t base) : entries_(entries) {
    for (const ElfW(Dyn)* entry = entries_; entry && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag != DT_STRTAB) continue;
      const std::uintptr_t table = entry->d_un.d_ptr;
      strings_ = reinterpret_cast<const char*>(table < base ? base + table : table);
    }
  }

  /// Calls visit(text) for each text of that kind.
  template <class Visit>
  void each_text(decltype(ElfW(Dyn)::d_tag) kind, const Visit& visit) const {
    for (const ElfW(Dyn)* entry = entries_; strings_ && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == kind) visit(strings_ + entry->d_un.d_val);
    }
  }

 private:
  const ElfW(Dyn) * entries_;
  const char* strings_ = nullptr;
};

/// The name under which programs link the module that this address lies in; its file's name where it has none.
std::string linked_name_of(const void* address) {
  Dl_info info;
  link_map* module = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) || !module) return {};
  std::string name(file_name_of(info.dli_fname));
  DynamicSection(module->l_ld, module->l_addr).each_text(DT_SONAME, [&](const char* text) { name = text; });
  return name;
}

std::string_view abi_of_linked_name(std::string_view soname) {
  for (const LinkedName& linked : linked_names) {
    if (soname == linked.soname) return linked.abi;
  }
  return {};
}

/// A dl_iterate_phdr callback that fills the std::string behind `data`.
int look_for_other_abi(dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<std::string*>(data);
  const std::string_view module = file_name_of(info->dlpi_name);
  if (module.starts_with("libmpi") || module.starts_with("linux-vdso")) return 0;  // a library's own parts
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto* entries = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + segment.p_vaddr);
    DynamicSection(entries, info->dlpi_addr).each_text(DT_NEEDED, [&](const char* needed) {
      const std::string_view abi = abi_of_linked_name(needed);
      if (!abi.empty() && abi != abi_name() && found.empty()) {
        found = (module.empty() ? std::string("the program") : std::string(module)) + " needs " + needed;
      }
    });
  }
  return found.empty() ? 0 : 1;
}

}  // namespace

std::string_view running_abi() {
  // A function that tools leave alone: the module that has it is the library.
  const void* function = find_function("PMPI_Query_thread");
  const std::string_view known = function ? abi_of_linked_name(linked_name_of(function)) : std::string_view();
  if (!known.empty()) return known;
  // Many libraries share MPICH's ABI under names of their own; Open MPI is told by its objects.
  return find_object("ompi_mpi_comm_world") ? "openmpi" : "mpich";
}

std::string_view words_of_abi(std::string_view abi) {
#define DDTSCOPE_MPI_ABI(name, words) \
  if (abi == #name) return words;
#include "plugin/library/libraries.def"
  return abi;
}

std::string module_of_other_abi() {
  std::string found;
  each_loaded_module(look_for_other_abi, &found);
  return found;
}

}  // namespace ddtscope::plugin
