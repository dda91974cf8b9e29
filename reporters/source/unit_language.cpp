#include "reporters/source/unit_language.h"

#include <dwarf.h>

#include "reporters/source/type_reader.h"

namespace ddtscope::reporters {

SourceLanguage language_of_unit(Dwarf_Die* unit) {
  switch (number_attribute(unit, DW_AT_language).value_or(0)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
      return SourceLanguage::c;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
      return SourceLanguage::cxx;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
      return SourceLanguage::fortran;
    default:
      return SourceLanguage::other;
  }
}

bool is_record(int tag) { return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type; }

}  // namespace ddtscope::reporters
