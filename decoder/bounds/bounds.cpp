// The models side by side.
#include "decoder/bounds/bounds.h"

#include <algorithm>
#include <utility>

namespace ddtscope {
namespace {

std::unique_ptr<LibraryRule> make_rule(const DefinitionStore& store, BoundsModel model) {
  switch (rule_of(model)) {
    case BoundsRule::standard:
      break;
    case BoundsRule::openmpi:
      return make_openmpi_rule(store, model);
    case BoundsRule::mpich:
      return make_mpich_rule(store, model);
  }
  return nullptr;
}

bool place_alike(const Bounds& a, const Bounds& b) { return a.lb == b.lb && a.extent == b.extent; }

template <std::size_t... I>
std::array<RuleLayouts, sizeof...(I)> make_models(const DefinitionStore& store, std::index_sequence<I...>) {
  return {RuleLayouts(store, bounds_models[I])...};
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

std::optional<BoundsRule> bounds_rule_of_text(std::string_view text) {
  for (const BoundsRule rule : bounds_rules) {
    if (text_of(rule) == text) return rule;
  }
  return std::nullopt;
}

/// What a library answers: bounds in order of ids, up to what was asked for. By the standard there is no answer but the
/// layout's.
class RuleLayouts::Answers : public ObservedSource {
 public:
  Answers(const DefinitionStore& store, BoundsModel model) : store_(store), rule_(make_rule(store, model)) {}

  bool has_rule() const { return rule_ != nullptr; }
  const Bounds& bounds(DefinitionId id) const {
    while (bounds_.size() <= id.value) {
      bounds_.push_back(with_upper_bounds(rule_->add(DefinitionId{static_cast<std::uint32_t>(bounds_.size())})));
    }
    return bounds_[id.value];
  }
  /// What is made of a type is laid out with the bounds that the library itself would answer.
  std::optional<ObservedBounds> observed(DefinitionId id) const override {
    if (!has_rule() || store_[id].call.combiner == Combiner::named) return std::nullopt;
    return as_answered(bounds(id));
  }

 private:
  const DefinitionStore& store_;
  const std::unique_ptr<LibraryRule> rule_;  // empty for the standard
  mutable StableVector<Bounds> bounds_;
};

RuleLayouts::RuleLayouts(const DefinitionStore& store, BoundsModel model)
    : answers_(std::make_unique<Answers>(store, model)), layouts_(store, *answers_) {}

RuleLayouts::~RuleLayouts() = default;

const Bounds& RuleLayouts::bounds(DefinitionId id) {
  return answers_->has_rule() ? answers_->bounds(id) : layouts_.computed(id);
}

AllRules::AllRules(const DefinitionStore& store, const ChosenReleases& releases)
    : store_(store),
      releases_(releases),
      models_(make_models(store, std::make_index_sequence<std::size(bounds_models)>())) {}

bool AllRules::agree_on_oldtypes(DefinitionId id) {
  return oldtypes_agree_(store_, id, [&](DefinitionId oldtype) {
    const Bounds& bounds = (*this)[BoundsModel::standard].bounds(oldtype);
    return std::all_of(std::begin(bounds_models), std::end(bounds_models),
                       [&](BoundsModel model) { return place_alike((*this)[model].bounds(oldtype), bounds); });
  });
}

bool AllRules::places_as_before(BoundsModel model, DefinitionId id) {
  const auto i = static_cast<std::size_t>(model);
  if (i == 0 || rule_of(model) != rule_of(bounds_models[i - 1])) return false;
  return agree_with_model_before_[i](store_, id, [&](DefinitionId oldtype) {
    return place_alike(models_[i].bounds(oldtype), models_[i - 1].bounds(oldtype));
  });
}

}  // namespace ddtscope
