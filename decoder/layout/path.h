// Which constructor put an entry where it is: the way from a type down to one of its entries.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decoder/layout/layout_index.h"

namespace ddtscope {

/// One constructor on the way: the entry belongs to copy `element` of the oldtype in block `block`.
/// Combiners without blocks (CONTIGUOUS, SUBARRAY, DARRAY, RESIZED, DUP) have block 0, and `element` counts
/// the oldtype's copies in typemap order. For STRUCT `block` is the member.
struct PathStep {
  DefinitionId definition;
  Exact block;
  Exact element;
};

/// The way to entry `entry` (0 <= entry < entries) of the typemap of `id`: from `id` itself down to the
/// predefined type, which has no step of its own (for a pair type the last step is the pair, `block` its part).
/// Empty where there is no such entry. O(depth * log(arguments)) after a first look at each definition on the way,
/// which `index` keeps; where most blocks have length 0, the arguments are looked through.
std::vector<PathStep> path_to_entry(LayoutIndex& index, DefinitionId id, Exact entry);
/// The same with an index of its own.
std::vector<PathStep> path_to_entry(const Layouts& layouts, DefinitionId id, Exact entry);

/// How a derived oldtype is to be named ("T3").
using NameOfDefinition = std::function<std::string(DefinitionId)>;
/// "T9 block 2, element 0 > T3 member 1 > MPI_INT". The element is left out where a block has only one; a type that
/// adds nothing but bounds or a name (RESIZED, DUP) is only named; the parts of a pair or of VALUE_INDEX are "part 0"
/// and "part 1". Empty for an empty path.
std::string text_of_path(const DefinitionStore& store, const std::vector<PathStep>& path,
                         const NameOfDefinition& name_of);

}  // namespace ddtscope
