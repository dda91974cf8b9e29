#include "reporters/source/thread_memory.h"

#include <algorithm>

namespace ddtscope::reporters {
namespace {

std::optional<Dwarf_Addr> bytes_of_threads(Dwfl_Module* module) {
  GElf_Addr bias = 0;
  Elf* const elf = dwfl_module_getelf(module, &bias);
  std::size_t count = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_TLS) return header.p_memsz;
  }
  return std::nullopt;
}

std::vector<std::string> symbols_at_beginning(Dwfl_Module* module) {
  std::vector<std::string> names;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name = dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
    const bool is_there = name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_shndx != SHN_UNDEF &&
                          symbol.st_value == 0 && symbol.st_size > 0;
    if (is_there) names.emplace_back(name);
  }
  return names;
}

}  // namespace

ThreadMemory::ThreadMemory(Dwfl_Module* module)
    : bytes_(bytes_of_threads(module)), at_beginning_(symbols_at_beginning(module)) {}

bool ThreadMemory::may_hold(const ThreadVariable& variable) const {
  if (bytes_ && variable.end > *bytes_) return false;
  if (variable.begin != 0 || variable.is_part_of_common || at_beginning_.empty()) return true;
  return std::any_of(at_beginning_.begin(), at_beginning_.end(), [&](const std::string& symbol) {
    return symbol == variable.linked_name || may_be_symbol_of(symbol, variable.name);
  });
}

bool may_be_symbol_of(std::string_view symbol, std::string_view variable) {
  variable = variable.substr(0, variable.find('<'));  // a template's arguments are written in another way
  if (variable.empty()) return false;
  if (symbol.starts_with("_Z")) {
    return symbol.find(std::to_string(variable.size()) + std::string(variable)) != symbol.npos;
  }
  for (std::size_t at = symbol.find(variable); at != symbol.npos; at = symbol.find(variable, at + 1)) {
    const std::string_view before = symbol.substr(0, at);
    const std::string_view behind = symbol.substr(at + variable.size());
    const bool begins = before.empty() || before.ends_with('.') || before.ends_with("_MOD_");
    if (begins && (behind.empty() || behind.starts_with('.'))) return true;
  }
  return false;
}

}  // namespace ddtscope::reporters
