#include "reporters/source/code_units.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <filesystem>

#include "reporters/source/die_children.h"
#include "reporters/source/type_reader.h"
#include "reporters/source/unit_language.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_blocks = 64;  // around an address, before those within them are not looked at

bool holds_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
         is_record(tag);
}

bool is_block(int tag) {
  return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
         tag == DW_TAG_catch_block;
}

template <class See>
void each_range(Dwarf_Die* die, const See& see) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t next = 0; (next = dwarf_ranges(die, next, &base, &begin, &end)) > 0;) see(begin, end);
}

}  // namespace

CodeUnits::CodeUnits(Dwarf* dwarf) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  Dwarf_Die part;
  std::uint8_t kind = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &kind, &die, &part) == 0) {
    if (kind == DW_UT_type || kind == DW_UT_split_type) continue;
    CodeUnit known;
    known.skeleton = die;
    const bool is_split = kind == DW_UT_skeleton;
    if (is_split && part.addr == nullptr) lack_parts_ = true;
    known.die = is_split && part.addr != nullptr ? part : die;
    known.language = language_of_unit(&known.die);
    each_range(&die, [&](Dwarf_Addr begin, Dwarf_Addr end) { ranges_.push_back({begin, end, units_.size()}); });
    units_.push_back(known);
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

const std::vector<CodeUnits::Function>& CodeUnits::functions_of(std::size_t unit) {
  const auto [found, is_new] = functions_.try_emplace(unit);
  if (is_new) {
    each_below(units_[unit].die, [&, &functions = found->second](const DieOfWalk& at) {
      const int tag = dwarf_tag(&at.die);
      if (tag == DW_TAG_subprogram) {
        each_range(&at.die, [&](Dwarf_Addr begin, Dwarf_Addr end) { functions.push_back({begin, end, at.die}); });
      }
      return holds_functions(tag);
    });
    std::sort(found->second.begin(), found->second.end(),
              [](const Function& a, const Function& b) { return a.begin < b.begin; });
  }
  return found->second;
}

const CodeScopes& CodeUnits::at(Dwarf_Addr pc) {
  const auto [found, is_new] = known_.try_emplace(pc);
  if (!is_new) return found->second;
  // Ranges of units do not lie over each other, but for those of a linker that folds equal functions.
  auto range = std::upper_bound(ranges_.begin(), ranges_.end(), pc,
                                [](Dwarf_Addr wanted, const Range& one) { return wanted < one.begin; });
  if (range == ranges_.begin() || pc >= (--range)->end) return found->second;
  const std::vector<Function>& functions = functions_of(range->unit);
  auto function = std::upper_bound(functions.begin(), functions.end(), pc,
                                   [](Dwarf_Addr wanted, const Function& one) { return wanted < one.begin; });
  if (function == functions.begin() || pc >= (--function)->end) return found->second;
  CodeScopes& scopes = found->second;
  scopes.unit = &units_[range->unit];
  scopes.scopes.push_back(function->die);
  each_below(function->die, [&](const DieOfWalk& at) {
    if (!is_block(dwarf_tag(&at.die)) || dwarf_haspc(&at.die, pc) <= 0) return false;
    scopes.scopes.push_back(at.die);
    // gcc's link-time optimisation writes blocks beside each other that lie within each other.
    return scopes.scopes.size() <= most_blocks;
  });
  std::reverse(scopes.scopes.begin(), scopes.scopes.end());
  return scopes;
}

std::string CodeUnits::file_of(Dwarf_Die* die, const CodeUnit& unit) {
  const auto number = number_attribute(die, DW_AT_decl_file);
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  Dwarf_Die skeleton = unit.skeleton;
  if (!number || *number < 0 || dwarf_getsrcfiles(&skeleton, &files, &count) != 0 ||
      static_cast<std::size_t>(*number) >= count) {
    return {};
  }
  const char* const name = dwarf_filesrc(files, static_cast<std::size_t>(*number), nullptr, nullptr);
  return name == nullptr ? std::string() : std::filesystem::path(name).filename().string();
}

}  // namespace ddtscope::reporters
