// The units of a file's debugging information, and which scopes are around an address of its code.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

/// A unit of compilation; with -gsplit-dwarf what stands in a file of its own.
struct CodeUnit {
  Dwarf_Die die = {};       // whose children are its functions and types
  Dwarf_Die skeleton = {};  // which has its source files and the addresses of its code; mostly the same
  SourceLanguage language = SourceLanguage::other;
};

/// A function or a block of one, and the unit that it stands in.
struct CodeScopes {
  const CodeUnit* unit = nullptr;
  std::vector<Dwarf_Die> scopes;  // innermost first; the last one is the function that was compiled
};

class CodeUnits {
 public:
  explicit CodeUnits(Dwarf* dwarf);

  const std::vector<CodeUnit>& all() const { return units_; }
  /// Whether a unit's contents stand in a file that was not found (.dwo, of -gsplit-dwarf).
  bool lack_parts() const { return lack_parts_; }
  /// No scopes where no function is known there.
  const CodeScopes& at(Dwarf_Addr pc);
  /// "particle.h"; empty where it is not known.
  static std::string file_of(Dwarf_Die* die, const CodeUnit& unit);

 private:
  struct Range {
    Dwarf_Addr begin, end;
    std::size_t unit;
  };
  struct Function {
    Dwarf_Addr begin, end;
    Dwarf_Die die;
  };
  const std::vector<Function>& functions_of(std::size_t unit);

  std::vector<CodeUnit> units_;
  bool lack_parts_ = false;
  std::vector<Range> ranges_;  // by begin
  std::map<std::size_t, std::vector<Function>> functions_;
  std::map<Dwarf_Addr, CodeScopes> known_;
};

}  // namespace ddtscope::reporters
