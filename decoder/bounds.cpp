// The three rules side by side.
#include "decoder/bounds.h"

namespace ddtscope {
namespace {

std::unique_ptr<LibraryRule> make_rule(const DefinitionStore& store, BoundsRule rule) {
  switch (rule) {
    case BoundsRule::standard:
      break;
    case BoundsRule::openmpi:
      return make_openmpi_rule(store);
    case BoundsRule::mpich:
      return make_mpich_rule(store);
  }
  return nullptr;
}

/// The `_x` calls give a lower bound and an extent: the upper bound is their sum, which may take more than 64 bits.
Bounds with_upper_bounds(Bounds bounds) {
  bounds.ub = bounds.lb + bounds.extent;
  bounds.true_ub = bounds.true_lb + bounds.true_extent;
  return bounds;
}

}  // namespace

ObservedBounds as_answered(const Bounds& bounds) {
  return {bounds.size.to_int64(), bounds.lb.to_int64(), bounds.extent.to_int64(), bounds.true_lb.to_int64(),
          bounds.true_extent.to_int64()};
}

std::string_view text_of(BoundsRule rule) {
  switch (rule) {
    case BoundsRule::standard:
      return "standard";
    case BoundsRule::openmpi:
      return "openmpi";
    case BoundsRule::mpich:
      return "mpich";
  }
  return "";
}

std::string_view modelled_version(BoundsRule rule) {
  switch (rule) {
    case BoundsRule::standard:
      return "MPI-4.1";
    case BoundsRule::openmpi:
      return "Open MPI 4.1.4";
    case BoundsRule::mpich:
      return "MPICH 4.0.2";
  }
  return "";
}

std::optional<BoundsRule> bounds_rule_of_text(std::string_view text) {
  for (const BoundsRule rule : bounds_rules) {
    if (text_of(rule) == text) return rule;
  }
  return std::nullopt;
}

RuleLayouts::RuleLayouts(const DefinitionStore& store, BoundsRule rule)
    : store_(store), rule_(rule), layouts_(store), library_(make_rule(store, rule)) {}

RuleLayouts::~RuleLayouts() = default;

const Bounds& RuleLayouts::bounds(DefinitionId id) {
  if (!library_) return layouts(id).computed(id);
  reach_bounds(id);
  return bounds_[id.value];
}

const Layouts& RuleLayouts::layouts(DefinitionId id) {
  reach_layouts(id);
  return layouts_;
}

void RuleLayouts::reach_bounds(DefinitionId id) {
  while (bounds_.size() <= id.value) {
    const DefinitionId next{static_cast<std::uint32_t>(bounds_.size())};
    bounds_.push_back(with_upper_bounds(library_->add(next)));
  }
}

void RuleLayouts::reach_layouts(DefinitionId id) {
  if (library_) reach_bounds(id);
  while (layouts_.size() <= id.value) {
    const DefinitionId next{static_cast<std::uint32_t>(layouts_.size())};
    layouts_.add(next);
    // What is made of the type is laid out with the bounds that the library itself would answer.
    const bool is_derived = store_[next].call.combiner != Combiner::named;
    if (library_ && is_derived) layouts_.observe(next, as_answered(bounds_[next.value]));
  }
}

bool AllRules::agree_on_oldtypes(DefinitionId id) {
  return oldtypes_agree_(store_, id, [&](DefinitionId oldtype) {
    const Bounds& bounds = standard.bounds(oldtype);
    const auto agrees = [&](const Bounds& other) { return other.lb == bounds.lb && other.extent == bounds.extent; };
    return agrees(openmpi.bounds(oldtype)) && agrees(mpich.bounds(oldtype));
  });
}

}  // namespace ddtscope
