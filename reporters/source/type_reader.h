// Types out of DWARF.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

/// A DW_AT_... that is text, or nothing.
std::string text_attribute(Dwarf_Die* die, unsigned attribute);
std::optional<std::int64_t> number_attribute(Dwarf_Die* die, unsigned attribute);
/// How many elements a dimension of an array has, from DW_AT_count or the upper bound; none where that is not known, or
/// more than any array has.
std::optional<std::int64_t> length_of_dimension(Dwarf_Die* subrange, std::int64_t lower);
bool has_flag(Dwarf_Die* die, unsigned attribute);
/// The DIE that DW_AT_type names; false where there is none.
bool type_of_die(Dwarf_Die* die, Dwarf_Die* type);

/// Each type of one file of debugging information is made once.
class TypeReader {
 public:
  /// `language` is that of the unit in which the DIE stands.
  SourceTypePtr type_at(Dwarf_Die* die, SourceLanguage language);

 private:
  SourceTypePtr made(Dwarf_Die* die, SourceLanguage language);
  SourceTypePtr built_in(Dwarf_Die* die, SourceLanguage language);
  SourceTypePtr under_name(Dwarf_Die* die, SourceLanguage language);
  SourceTypePtr enumeration(Dwarf_Die* die, SourceLanguage language);
  SourceTypePtr array(Dwarf_Die* die, SourceLanguage language);
  SourceTypePtr string(Dwarf_Die* die);
  SourceTypePtr record(Dwarf_Die* die, SourceLanguage language);
  void add_member(Dwarf_Die* die, SourceLanguage language, SourceRecord& record);
  std::optional<SourceMember> bit_field(Dwarf_Die* die);

  std::map<const void*, SourceTypePtr> made_;
  int depth_ = 0;
};

}  // namespace ddtscope::reporters
