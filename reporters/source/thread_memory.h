// The memory that each thread has of a module, as far as the file itself says what lies in it.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddtscope::reporters {

/// What debugging information says of a thread's variable.
struct ThreadVariable {
  Dwarf_Addr begin = 0, end = 0;       // bytes behind the beginning of the thread's memory of the module
  std::string_view name, linked_name;  // the source's, and the linker's where the information has that; else empty
  bool is_part_of_common = false;      // Fortran's: the symbol is the block's
};

/// Linkers leave 0 as the place of variables that they drop (--gc-sections), and their debugging information stays.
class ThreadMemory {
 public:
  explicit ThreadMemory(Dwfl_Module* module);
  /// False where the variable reaches beyond the memory, or the symbol table says that another one lies where it would.
  bool may_hold(const ThreadVariable& variable) const;

 private:
  std::optional<Dwarf_Addr> bytes_;        // none where the file does not say
  std::vector<std::string> at_beginning_;  // symbols of what lies there; empty where the file has none
};

/// Whether a symbol may be the linker's name for a variable, as C, C++ and Fortran compilers make them: `x`, `x.0` and
/// `f.x` of a function's, `__m_MOD_x` of a module's, `_ZL1x`.
bool may_be_symbol_of(std::string_view symbol, std::string_view variable);

}  // namespace ddtscope::reporters
