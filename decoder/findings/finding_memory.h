// What the findings about one type leave for those about the next: answers about oldtypes are asked again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decoder/coverage/overlap.h"
#include "decoder/findings/findings.h"
#include "decoder/layout/alignment.h"

namespace ddtscope {

/// Answers over one store; the bounds in use must not change after the first question. Not synchronised.
class FindingMemory {
 public:
  /// Whether some RESIZED of the store, or of that of which it is a SubStore, stands on this type.
  bool is_resized(const FindingSources& sources, DefinitionId id);
  Overlap entries_overlap(const Layouts& layouts, DefinitionId id);
  /// At the extent in use.
  Overlap copies_overlap(const Layouts& layouts, DefinitionId id) { return overlap_of_copies(layouts, id).answer; }
  FirstOverlap first_overlapping_copy(const Layouts& layouts, DefinitionId id);
  const AlignmentMasks& alignment_masks(const Layouts& layouts, LayoutId id) { return alignments_.masks(layouts, id); }
  const Portability& portability(const FindingSources& sources, DefinitionId id);
  /// Whether the rules' own extents, or a stride that Open MPI mistakes, place some entry differently.
  bool moves_entries(const FindingSources& sources, DefinitionId id);

 private:
  OverlapOfCopies& overlap_of_copies(const Layouts& layouts, DefinitionId id);
  std::optional<Fingerprint> layout_fingerprint(AllRules& rules, BoundsModel model, DefinitionId id);
  /// Of the type itself, or of an oldtype.
  bool contains_mistaken_stride(const FindingSources& sources, DefinitionId id);

  std::vector<bool> resized_;  // by DefinitionId
  std::size_t definitions_seen_ = 0;
  std::unordered_map<std::uint32_t, Overlap> entries_overlap_;         // by LayoutId
  std::unordered_map<std::uint32_t, OverlapOfCopies> copies_overlap_;  // by DefinitionId
  std::unordered_map<std::uint32_t, Portability> portability_;
  std::vector<bool> contains_mistaken_stride_;  // by DefinitionId
  Alignments alignments_;
  std::unique_ptr<Fingerprints> fingerprints_[std::size(bounds_models)];
};

/// Whether the blocks of the type itself stand a stride of -1 byte apart, which Open MPI takes for the extent of a
/// block. Its rule has the bounds that come of it; the entries under the rule do not follow.
bool has_mistaken_stride(const FindingSources& sources, DefinitionId id);

/// What `portability` keeps.
Portability compare_rules(const FindingSources& sources, DefinitionId id);

}  // namespace ddtscope
