// What is remarkable about a type in itself, and the kinds of what is told of a whole job: stable ids, a severity, a
// sentence of what and one of what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/equality/fingerprint.h"
#include "decoder/layout/layout.h"
#include "decoder/normal_form/simplify.h"
#include "decoder/notation/constructor_code.h"

namespace ddtscope {

/// An error cannot be right; a warning is wrong in the usual use; a note is worth knowing.
enum class Severity : std::uint8_t { note, warning, error };
std::string_view text_of(Severity severity);  // "note", "warning", "error"

/// One kind of finding, for `ddtscope explain`.
struct FindingKind {
  std::string_view id;           // "copies-overlap": stable for ever
  Severity severity;             // the highest that it is given
  Severity least;                // the lowest; the explanation says when it is which
  std::string_view title;        // a few words
  std::string_view explanation;  // paragraphs: what it is, why it hurts, when it is harmless, the standard's section
  std::string_view example;      // C code that shows it, and the mended code
  std::string_view aliases;      // MUST's names for it, with blanks between them
};
std::span<const FindingKind> finding_kinds();
const FindingKind* find_finding_kind(std::string_view id);  // nullptr for an unknown id

/// Of a word such as "warning".
std::optional<Severity> severity_of_text(std::string_view text);

struct Finding {
  const FindingKind* kind;
  Severity severity;
  std::string message;  // what, with this type's numbers
  std::string advice;   // what to do
};

/// Whether a type means the same by the standard and in all modelled releases of the libraries.
struct Portability {
  bool portable = true;
  /// A sentence each: "The extent is 24 by MPI-4.1 and in Open MPI 4.1 to 6.0, 20 in MPICH 4.0 to 5.0."
  std::vector<std::string> reasons;
  bool moves_data = false;     // count > 1, or a type made of it, touches other bytes
  bool moves_entries = false;  // so does even one copy: the typemaps differ
};

/// What the findings about one type leave for those about the next; created by FindingSources.
class FindingMemory;
std::shared_ptr<FindingMemory> make_finding_memory();

/// What the findings are drawn from; all over one store.
struct FindingSources {
  const Layouts& layouts;  // with the extents in use
  AllRules& rules;
  Fingerprints& fingerprints;  // of `layouts`
  Simplifier& simplifier;
  NameOldtype name_oldtype;
  std::optional<BoundsRule> library = {};  // which one gave the observed bounds, where that is known
  std::shared_ptr<FindingMemory> memory = make_finding_memory();
  /// Where the store is a SubStore of another: whether some RESIZED of that stands on the type.
  std::function<bool(DefinitionId id)> is_resized = {};
  /// Where it is known what was done with the types: whether calls used this one, or what is made of it, and all of
  /// them only read the memory that it describes.
  std::function<bool(DefinitionId id)> is_only_read = {};
};

Portability portability_of(const FindingSources& sources, DefinitionId id);

/// Sorted: errors first, then warnings, then notes; the more telling kinds first within each. None for predefined
/// types, and none on a type that has it only because its oldtype has. The bounds of a type that the program resizes
/// are a step on its way: what is wrong with them is a note at most.
std::vector<Finding> findings_of(const FindingSources& sources, DefinitionId id);

}  // namespace ddtscope
