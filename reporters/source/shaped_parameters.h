// Fortran's assumed-shape arguments as gfortran has them: behind the descriptor that it is given, a procedure keeps the
// address of the elements in a variable of its own, which has no name. Optimised code often has that one alone.
#pragma once

#include <elfutils/libdw.h>

#include <map>
#include <set>

#include "reporters/source/code_units.h"

namespace ddtscope::reporters {

/// The one of which a DIE is an instance; itself where it is none.
Dwarf_Die origin_of(Dwarf_Die die);

class ShapedParameters {
 public:
  /// Those of the procedures around an address of code.
  void add(const CodeScopes& scopes);
  /// The argument whose elements a variable without a name points to; nullptr for all others.
  const Dwarf_Die* parameter_of(Dwarf_Die variable) const;

 private:
  void add_procedure(Dwarf_Die procedure);

  std::set<void*> known_;                  // procedures
  std::map<void*, Dwarf_Die> parameters_;  // by the variables
};

}  // namespace ddtscope::reporters
