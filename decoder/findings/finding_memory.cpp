// Keeps answers about types that findings ask for more than once.
#include "decoder/findings/finding_memory.h"

#include <algorithm>
#include <iterator>

#include "decoder/base/wrapping.h"

namespace ddtscope {

std::shared_ptr<FindingMemory> make_finding_memory() { return std::make_shared<FindingMemory>(); }

bool FindingMemory::is_resized(const FindingSources& sources, DefinitionId id) {
  if (sources.is_resized) return sources.is_resized(id);
  const DefinitionStore& store = sources.layouts.store();
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

OverlapOfCopies& FindingMemory::overlap_of_copies(const Layouts& layouts, DefinitionId id) {
  const auto [found, is_new] = copies_overlap_.try_emplace(id.value);
  if (is_new) found->second = find_overlap_of_copies(layouts, layouts.root(id), layouts.extent(id));
  return found->second;
}

FirstOverlap FindingMemory::first_overlapping_copy(const Layouts& layouts, DefinitionId id) {
  std::optional<FirstOverlap>& first = overlap_of_copies(layouts, id).first;
  if (!first) first = ddtscope::first_overlapping_copy(layouts, layouts.root(id), layouts.extent(id));
  return *first;
}

const Portability& FindingMemory::portability(const FindingSources& sources, DefinitionId id) {
  const auto found = portability_.find(id.value);
  if (found != portability_.end()) return found->second;
  return portability_.emplace(id.value, compare_rules(sources, id)).first->second;
}

bool has_mistaken_stride(const FindingSources& sources, DefinitionId id) {
  const ConstructorCall& call = sources.layouts.store()[id].call;
  const bool in_elements = call.combiner == Combiner::vector;
  if ((!in_elements && call.combiner != Combiner::hvector) || sources.layouts.facts(id).empty()) return false;
  const Wrapping unit = sources.rules[BoundsRule::openmpi].bounds(call.datatypes[0]).extent.to_int64().value_or(0);
  const Wrapping blocklength = call.scalar("blocklength");
  const Wrapping stride = Wrapping(call.scalar("stride")) * (in_elements ? unit : 1);
  // Blocks that adjoin are found out before, and are one run.
  const bool adjoin = in_elements ? blocklength == call.scalar("stride") : stride == blocklength * unit;
  return call.scalar("count") > 1 && stride == -1 && !adjoin;
}

bool FindingMemory::contains_mistaken_stride(const FindingSources& sources, DefinitionId id) {
  std::vector<bool>& known = contains_mistaken_stride_;
  while (known.size() <= id.value) {
    const DefinitionId next{static_cast<std::uint32_t>(known.size())};
    const ConstructorCall& call = sources.layouts.store()[next].call;
    bool contains = has_mistaken_stride(sources, next);
    for (std::size_t i = 0; i < call.datatypes.size() && !contains; ++i) {
      const bool is_there = call.combiner != Combiner::structure || call.array("array_of_blocklengths")[i] > 0;
      contains = is_there && known[call.datatypes[i].value];
    }
    known.push_back(contains && !sources.layouts.facts(next).empty());
  }
  return known[id.value];
}

bool FindingMemory::moves_entries(const FindingSources& sources, DefinitionId id) {
  if (contains_mistaken_stride(sources, id)) return true;
  AllRules& rules = sources.rules;
  if (rules.agree_on_oldtypes(id)) return false;
  const std::optional<Fingerprint> by_standard = layout_fingerprint(rules, BoundsModel::standard, id);
  return std::any_of(std::begin(bounds_models), std::end(bounds_models), [&](BoundsModel model) {
    return model != BoundsModel::standard && !rules.places_as_before(model, id) &&
           layout_fingerprint(rules, model, id) != by_standard;
  });
}

std::optional<Fingerprint> FindingMemory::layout_fingerprint(AllRules& rules, BoundsModel model, DefinitionId id) {
  const Layouts& layouts = rules[model].layouts();
  std::unique_ptr<Fingerprints>& fingerprints = fingerprints_[static_cast<std::size_t>(model)];
  if (!fingerprints) fingerprints = std::make_unique<Fingerprints>(layouts);
  return fingerprints->layout(layouts.root(id));
}

}  // namespace ddtscope
