// A type that findings are looked for in, and the words that they are written in. Only the findings' own sources use
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "decoder/base/grouped.h"
#include "decoder/findings/finding_memory.h"
#include "decoder/findings/findings.h"

namespace ddtscope::findings {

struct Draft {
  Severity severity;
  std::string message;
  std::string advice;
};
using MaybeDraft = std::optional<Draft>;

struct Subject {
  Subject(const FindingSources& from, DefinitionId type);

  const FindingSources& sources;
  const Layouts& layouts;
  const DefinitionStore& store;
  FindingMemory& memory;
  DefinitionId id;
  const ConstructorCall& call;
  LayoutId root;
  const LayoutFacts& facts;
  Exact lb, extent, ub;  // in use

  bool is(Combiner combiner) const { return call.combiner == combiner; }
  bool has_parameter(std::string_view name) const { return parameter_slot(call.combiner, name) >= 0; }
  /// Its bounds are a step on the way to another type.
  bool is_resized() const { return memory.is_resized(sources, id); }
  /// A struct's own; 1 for the oldtype of others.
  std::int64_t blocklength_of_member(std::size_t i) const { return member_lengths_ ? (*member_lengths_)[i] : 1; }

  /// All entries stand at multiples of their alignments.
  bool is_aligned(DefinitionId type) const { return memory.alignment_masks(layouts, layouts.root(type)).aligned(); }

  bool is_named(DefinitionId type) const { return store[type].call.combiner == Combiner::named; }
  std::string name_of(DefinitionId type) const;
  std::string text_of_entry(const TypemapEntry& entry) const;  // "MPI_INT at byte 8"

 private:
  const IntegerArray* member_lengths_;
};

/// Whether an oldtype of which there is a copy has the property: then it is the oldtype's matter.
template <class Has>
bool some_oldtype(const Subject& s, Has has) {
  DefinitionId before;
  for (std::size_t i = 0; i < s.call.datatypes.size(); ++i) {
    const DefinitionId oldtype = s.call.datatypes[i];
    if (oldtype == before || s.blocklength_of_member(i) <= 0) continue;
    if (has(oldtype)) return true;
    before = oldtype;
  }
  return false;
}

std::string bytes(Exact value);  // "1 byte", "8 bytes"

/// Of the C struct with such members: up to the next multiple of the alignment, unless it is packed.
Exact padded(const Subject& s, Exact length);

/// The bounds that a type should have, the same whatever is found about it. The standard's, where copies at them stand
/// apart and no struct is cut short; else those of the C object that the displacements suggest: from 0, or where the
/// data begins if that is before, to a multiple of the alignment unless it is packed.
struct SuggestedBounds {
  Exact lb, extent;
};
SuggestedBounds suggested_bounds(const Subject& s);
/// The one call that findings advise: "MPI_Type_create_resized(T9, 0, 40)", of the oldtype where the type is resized
/// already. Empty where a number does not fit MPI_Aint, so that there is nothing to call.
std::optional<std::string> advised_resize(const Subject& s);

/// The member of a struct whose explicit bounds became the struct's, as a sentence after a blank; empty where there is
/// none.
std::string origin_of_bounds(const Subject& s);

/// The name of the value that no call of MPI answers with: what they tell is the lower bound and the extent (MPI-4.1
/// 5.1.8).
constexpr std::string_view no_call_tells = "true upper bound";
/// The first value of a type, with its name, that does not fit MPI_Count; of those that calls tell, where there is one.
std::optional<std::pair<std::string_view, Exact>> beyond_count(const Subject& s, DefinitionId type);

/// Whether the data stands where only addresses can be.
bool is_address(Exact displacement);
bool is_absolute(const Subject& s);

/// A struct with members on both sides of the buffer's address is made of separate variables, counted from one of
/// them: nobody has an array of those.
bool is_of_variables(const Subject& s, DefinitionId type);

/// A draft about bounds: a note where the program resizes the type.
Draft about_bounds(const Subject& s, Draft draft);

}  // namespace ddtscope::findings
