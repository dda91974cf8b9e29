// The normal form of a definition: a simpler constructor call with the same typemap in the same order and
// the same bounds. Small named rewrites, run to a fixed point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/constructor_code.h"
#include "decoder/layout.h"

namespace ddtscope {

/// A simpler equal definition.
struct Simpler {
  /// "MPI_Type_contiguous(6, MPI_INT)"; an oldtype that is no definition of the original store stands in
  /// place as a call of its own.
  std::string call;
  std::vector<std::string_view> rewrites;  // names of those that led here, in order, each once
};

/// Simplifies definitions of one store in a store of its own, which holds what the rewrites make. A rewrite is
/// taken only where typemap, bounds and true bounds stay the same under the standard's rule and under both
/// libraries' rules. Not synchronised.
class Simplifier {
 public:
  /// `layouts` has the extents in use.
  Simplifier(const DefinitionStore& store, const Layouts& layouts);
  ~Simplifier();

  /// Empty where no rewrite applies to the definition's own call: a child that has a simpler form is the
  /// child's matter.
  std::optional<Simpler> simpler(DefinitionId id, const NameOldtype& name_oldtype);

  /// The names of all rewrites, in the order in which they are tried.
  static std::vector<std::string_view> rewrites();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ddtscope
