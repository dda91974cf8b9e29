// What pointers point to, by the types of the objects that they lie in; and how a declaration is written.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reporters/source/code_units.h"
#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

/// The records that some unit defines. Compilers declare a class in units that do not need more of it.
class RecordDefinitions {
 public:
  explicit RecordDefinitions(const CodeUnits& units) : units_(units) {}

  /// The type without names and qualifiers before it, defined where it is a record that some unit defines; false where
  /// there is none (void).
  bool plain_type(Dwarf_Die type, Dwarf_Die* plain);

 private:
  void read();

  const CodeUnits& units_;
  bool is_read_ = false;
  std::map<std::string, std::vector<Dwarf_Die>> by_name_;
};

/// A pointer within an object.
struct PointerWithin {
  std::optional<Dwarf_Die> target;  // the type that it points to; none for void
  std::string path;                 // which member it is, "" or ".data"
};

/// The pointer, reference, or address in a descriptor of Fortran's, that lies so many bytes behind the beginning of an
/// object of the type.
std::optional<PointerWithin> pointer_at(RecordDefinitions& records, Dwarf_Die type, std::int64_t offset);

/// "double", "struct particle", "double *".
std::string spelled(Dwarf_Die type, SourceLanguage language);
/// "double x[8]", "real(kind=8) x(8,10)", "double *p".
std::string declared(const std::string& name, Dwarf_Die type, SourceLanguage language);

}  // namespace ddtscope::reporters
