// Which language a unit of debugging information was compiled from.
#pragma once

#include <elfutils/libdw.h>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

SourceLanguage language_of_unit(Dwarf_Die* unit);

/// Structs, classes and unions.
bool is_record(int tag);

}  // namespace ddtscope::reporters
