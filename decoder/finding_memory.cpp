// Keeps answers about types that findings ask for more than once.
#include "decoder/finding_memory.h"

namespace ddtscope {

std::shared_ptr<FindingMemory> make_finding_memory() { return std::make_shared<FindingMemory>(); }

bool FindingMemory::is_resized(const DefinitionStore& store, DefinitionId id) {
  // Each definition is looked at once, however the store has grown.
  for (; definitions_seen_ < store.size(); ++definitions_seen_) {
    const ConstructorCall& call = store[DefinitionId{static_cast<std::uint32_t>(definitions_seen_)}].call;
    if (call.combiner != Combiner::resized) continue;
    const std::size_t oldtype = call.datatypes[0].value;
    if (resized_.size() <= oldtype) resized_.resize(oldtype + 1);
    resized_[oldtype] = true;
  }
  return id.value < resized_.size() && resized_[id.value];
}

Overlap FindingMemory::entries_overlap(const Layouts& layouts, DefinitionId id) {
  const LayoutId root = layouts.root(id);
  const auto [found, is_new] = entries_overlap_.try_emplace(root.value);
  if (is_new) found->second = overlap_within(layouts, root);
  return found->second;
}

Overlap FindingMemory::copies_overlap(const Layouts& layouts, DefinitionId id) {
  const auto [found, is_new] = copies_overlap_.try_emplace(id.value);
  if (is_new) found->second = overlap_of_copies(layouts, layouts.root(id), layouts.extent(id));
  return found->second;
}

const Portability& FindingMemory::portability(const FindingSources& sources, DefinitionId id) {
  const auto found = portability_.find(id.value);
  if (found != portability_.end()) return found->second;
  return portability_.emplace(id.value, compare_rules(sources, id)).first->second;
}

bool FindingMemory::moves_entries(AllRules& rules, DefinitionId id) {
  if (rules.agree_on_oldtypes(id)) return false;
  const std::optional<Fingerprint> by_standard = layout_fingerprint(rules, BoundsRule::standard, id);
  return by_standard != layout_fingerprint(rules, BoundsRule::openmpi, id) ||
         by_standard != layout_fingerprint(rules, BoundsRule::mpich, id);
}

std::optional<Fingerprint> FindingMemory::layout_fingerprint(AllRules& rules, BoundsRule rule, DefinitionId id) {
  const Layouts& layouts = rules[rule].layouts(id);
  std::unique_ptr<Fingerprints>& fingerprints = fingerprints_[static_cast<std::size_t>(rule)];
  if (!fingerprints) fingerprints = std::make_unique<Fingerprints>(layouts);
  return fingerprints->layout(layouts.root(id));
}

}  // namespace ddtscope
