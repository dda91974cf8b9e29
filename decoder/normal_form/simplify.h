// The normal form of a definition: a simpler constructor call with the same typemap in the same order and
// the same bounds. Small named rewrites, run to a fixed point.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/layout/layout.h"
#include "decoder/notation/constructor_code.h"

namespace ddtscope {

/// A simpler equal definition.
struct Simpler {
  /// "MPI_Type_contiguous(6, MPI_INT)", or the name of a predefined type.
  std::string call;
  std::vector<std::string_view> rewrites;  // names of those that led here, in order, each once
};

/// Simplifies definitions of one store in a store of its own, which holds what the rewrites make. A rewrite is
/// taken only where typemap, bounds and true bounds stay the same under the standard's rule and in all
/// modelled releases of the libraries, and where what is left is simpler: fewer constructors, or else fewer arguments,
/// or else a simpler constructor. Not synchronised.
class Simplifier {
 public:
  /// What a SubStore of another store cannot tell of a definition: whether some type that is not in it
  /// would not be the same if made of the simpler one.
  using IsHeldElsewhere = std::function<bool(DefinitionId id)>;

  /// `layouts` has the extents in use; definitions that it does not have yet are not looked at.
  Simplifier(const DefinitionStore& store, const Layouts& layouts, IsHeldElsewhere is_held_elsewhere = {});
  ~Simplifier();

  /// A call with fewer constructors or fewer arguments. Empty where there is none, where only an oldtype has a
  /// simpler form (that is the oldtype's matter), and where some other definition of the store is made of this one
  /// and would not be the same if made of the simpler one: explicit bounds that change nothing in a type itself may
  /// well do so in a struct around it. A large-count call is given only in place of one.
  std::optional<Simpler> simpler(DefinitionId id, const NameOldtype& name_oldtype);

  /// Whether some definition of the store is made of this one and would not be the same if made of a simpler one.
  bool is_held(DefinitionId id);

  /// What rewriting ends with, oldtypes included: a definition of `normal_forms()`, which has the predefined types of
  /// the store and those definitions that the normal forms are made of.
  DefinitionId normal_form(DefinitionId id);
  const DefinitionStore& normal_forms() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ddtscope
