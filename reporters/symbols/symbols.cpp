#include "reporters/symbols/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "reporters/symbols/module_file.h"

namespace ddtscope::reporters {
namespace {

std::string demangled(const char* name) {
  if (std::strncmp(name, "_Z", 2) != 0) {
    return name;
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

/// The functions around an address: the innermost one inlined there, which the line is in, to the one that was
/// compiled.
std::vector<std::string> functions_in_dwarf(Dwarf_Die* unit, Dwarf_Addr address) {
  std::vector<std::string> functions;
  // dwarf_getscopes follows an inlined function into its definition's scopes; those of the code around the
  // address are what dwarf_getscopes_die gives for the innermost one.
  Dwarf_Die* innermost = nullptr;
  if (dwarf_getscopes(unit, address, &innermost) <= 0) {
    return functions;
  }
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&innermost[0], &scopes);
  std::free(innermost);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine && tag != DW_TAG_entry_point) {
      continue;
    }
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &attribute));
    if (name == nullptr) {
      name = dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_name, &attribute));
    }
    if (name != nullptr) {
      functions.push_back(demangled(name));
    }
    if (tag != DW_TAG_inlined_subroutine) {
      break;
    }
  }
  std::free(scopes);
  return functions;
}

/// Whose functions are at the bottom of every stack. Distributions compress its debugging information: to inflate it
/// for a line that nobody asks for takes more than all else that a small program has.
bool is_c_library(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  constexpr std::string_view starts[] = {"libc.so", "libc-2.", "libpthread.so", "libpthread-2."};
  return std::any_of(std::begin(starts), std::end(starts), [&](auto start) { return name.starts_with(start); });
}

}  // namespace

class Symbols::Module {
 public:
  Module(const std::string& path, const std::optional<std::string>& build_id)
      : file_(path, build_id), is_c_library_(is_c_library(path)) {}

  SourceLocation resolve(std::uint64_t offset) {
    SourceLocation location;
    if (!file_.is_open()) {
      location.why_unresolved = file_.problem();
      return location;
    }
    const Dwarf_Addr address = offset + file_.bias();
    if (is_c_library_) {
      location.function = function_in_symbol_table(address);
      if (location.function) {
        location.why_unresolved = "lines of the C library are not looked up";
        return location;
      }
    }
    if (const Unit unit = unit_of(address); unit.die != nullptr) {
      std::vector<std::string> functions = functions_in_dwarf(unit.die, address - unit.bias);
      if (!functions.empty()) {
        location.function = std::move(functions.front());
        functions.erase(functions.begin());
        location.inlined_into = std::move(functions);
      }
      if (Dwarf_Line* line = dwarf_getsrc_die(unit.die, address - unit.bias)) {
        if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) {
          location.file = file;
          if (int number = 0; dwarf_lineno(line, &number) == 0 && number > 0) {
            location.line = number;
          }
        }
      }
    }
    if (!location.function) {
      location.function = function_in_symbol_table(address);
    }
    if (!location.function && !location.file) {
      location.why_unresolved = "the file has no symbols for this address";
    } else if (!location.file) {
      location.why_unresolved = "the file has no debugging information for this address";
    }
    return location;
  }

 private:
  /// A compilation unit; addresses in it are less than the module's by the bias.
  struct Unit {
    Dwarf_Die* die = nullptr;
    Dwarf_Addr bias = 0;
  };
  struct RangeOfUnit {
    Dwarf_Addr begin, end;  // the module's
    Unit unit;
  };

  Unit unit_of(Dwarf_Addr address) {
    Unit unit;
    unit.die = dwfl_module_addrdie(file_.module(), address, &unit.bias);
    if (unit.die != nullptr) {
      return unit;
    }
    // Clang, and the compilers made from it, write no table of addresses (.debug_aranges): the units' own ranges tell.
    if (!ranges_) {
      read_ranges();
    }
    auto after = std::upper_bound(ranges_->begin(), ranges_->end(), address,
                                  [](Dwarf_Addr wanted, const RangeOfUnit& range) { return wanted < range.begin; });
    if (after == ranges_->begin() || address >= (--after)->end) {
      return {};
    }
    return after->unit;
  }

  void read_ranges() {
    ranges_.emplace();
    Unit unit;
    while ((unit.die = dwfl_module_nextcu(file_.module(), unit.die, &unit.bias)) != nullptr) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (std::ptrdiff_t next = 0; (next = dwarf_ranges(unit.die, next, &base, &begin, &end)) > 0;) {
        ranges_->push_back({begin + unit.bias, end + unit.bias, unit});
      }
    }
    std::sort(ranges_->begin(), ranges_->end(),
              [](const RangeOfUnit& a, const RangeOfUnit& b) { return a.begin < b.begin; });
  }

  std::optional<std::string> function_in_symbol_table(Dwarf_Addr address) const {
    GElf_Off into = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(file_.module(), address, &into, &symbol, nullptr, nullptr, nullptr);
    // The nearest symbol of a stripped file may belong to a function far before.
    if (name == nullptr || *name == '\0' || (symbol.st_size != 0 && into >= symbol.st_size)) {
      return std::nullopt;
    }
    if (symbol.st_size == 0 && GELF_ST_TYPE(symbol.st_info) != STT_FUNC) {
      return std::nullopt;
    }
    std::string text = name;
    text = text.substr(0, text.find('@'));  // symbol versions
    return demangled(text.c_str());
  }

  ModuleFile file_;
  bool is_c_library_;
  std::optional<std::vector<RangeOfUnit>> ranges_;  // read where they are needed
};

struct Symbols::Cache {
  struct Entry {
    std::unique_ptr<Module> module;
    std::unordered_map<std::uint64_t, SourceLocation> locations;
  };
  using Key = std::tuple<std::string, std::optional<std::string>, std::optional<std::string>>;
  std::mutex in_use;
  std::map<Key, Entry> modules;
  Entry& entry_of(const ModuleRecord& module) { return modules[{module.path, module.build_id, module.function}]; }
};

Symbols::Symbols() : cache_(std::make_unique<Cache>()) {}
Symbols::~Symbols() = default;

namespace {

/// A line of a function that an interpreter runs.
SourceLocation line_of_function(const ModuleRecord& module, std::uint64_t line) {
  SourceLocation location;
  location.function = module.function;
  location.file = module.path;
  if (line > 0 && line <= INT_MAX) location.line = static_cast<int>(line);
  return location;
}

}  // namespace

void Symbols::add_known(const ModuleRecord& module, std::uint64_t offset, SourceLocation location) {
  const std::lock_guard lock(cache_->in_use);
  cache_->entry_of(module).locations.insert_or_assign(offset, std::move(location));
}

const SourceLocation& Symbols::resolve(const ModuleRecord& module, std::uint64_t offset) {
  const std::lock_guard lock(cache_->in_use);
  Cache::Entry& entry = cache_->entry_of(module);
  const auto known = entry.locations.find(offset);
  if (known != entry.locations.end()) {
    return known->second;
  }
  if (module.function) {
    return entry.locations.emplace(offset, line_of_function(module, offset)).first->second;
  }
  if (!entry.module) {
    entry.module = std::make_unique<Module>(module.path, module.build_id);
  }
  return entry.locations.emplace(offset, entry.module->resolve(offset)).first->second;
}

}  // namespace ddtscope::reporters
