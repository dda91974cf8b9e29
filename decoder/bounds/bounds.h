// Bounds under a named rule: what the standard's text says of a definition, and what each library makes
// of it, its bugs included. Only the definition is asked, never a library.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "decoder/bounds/library_versions.h"
#include "decoder/definition/definition.h"
#include "decoder/definition/oldtypes_agree.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

std::optional<BoundsRule> bounds_rule_of_text(std::string_view text);

/// The bounds as the `_x` calls answer them: what does not fit MPI_Count is MPI_UNDEFINED.
ObservedBounds as_answered(const Bounds& bounds);

/// The values that the calls answer, by name.
struct NamedBound {
  std::string_view name;
  std::optional<std::int64_t> ObservedBounds::*value;
  bool is_true_bound;  // tells what is touched; copies are placed by the others
};
inline constexpr NamedBound named_bounds[] = {{"size", &ObservedBounds::size, false},
                                              {"lower bound", &ObservedBounds::lb, false},
                                              {"extent", &ObservedBounds::extent, false},
                                              {"true lower bound", &ObservedBounds::true_lb, true},
                                              {"true extent", &ObservedBounds::true_extent, true}};

/// One library's model: bounds of definitions in order of their ids, each from what the model keeps of its
/// oldtypes. A value that the library's `_x` calls answer with MPI_UNDEFINED does not fit.
class LibraryRule {
 public:
  virtual ~LibraryRule() = default;
  /// `id` must be the next one; its oldtypes have been added.
  virtual Bounds add(DefinitionId id) = 0;
};
/// The model must be one of the library's.
std::unique_ptr<LibraryRule> make_openmpi_rule(const DefinitionStore& store, BoundsModel model);
std::unique_ptr<LibraryRule> make_mpich_rule(const DefinitionStore& store, BoundsModel model);

/// The definitions of a store under one model, from the leaves up with that model's own extents; they are looked at
/// when they are first asked for. Not synchronised.
class RuleLayouts {
 public:
  RuleLayouts(const DefinitionStore& store, BoundsModel model);
  ~RuleLayouts();

  /// The seven bounds. For the standard they are exact in 128 bits; for a library a value that it calls
  /// MPI_UNDEFINED does not fit.
  const Bounds& bounds(DefinitionId id);
  /// The layouts with this model's extents, where the library's job would put the entries.
  const Layouts& layouts() const { return layouts_; }

 private:
  class Answers;

  std::unique_ptr<Answers> answers_;
  Layouts layouts_;
};

/// A definition under all models.
class AllRules {
 public:
  explicit AllRules(const DefinitionStore& store, const ChosenReleases& releases = {});

  RuleLayouts& operator[](BoundsModel model) { return models_[static_cast<std::size_t>(model)]; }
  /// As the chosen release has it.
  RuleLayouts& operator[](BoundsRule rule) { return (*this)[releases_[rule].model]; }
  const ChosenReleases& releases() const { return releases_; }
  void choose(const ModelledRelease& release) { releases_.choose(release); }

  /// Whether the models give the same bounds to all that the definition is made of: then they put its entries at the
  /// same places, and their layouts need not be compared.
  bool agree_on_oldtypes(DefinitionId id);
  /// Whether a model of a library puts the entries where the same library's model before it does.
  bool places_as_before(BoundsModel model, DefinitionId id);

 private:
  const DefinitionStore& store_;
  ChosenReleases releases_;
  std::array<RuleLayouts, std::size(bounds_models)> models_;
  OldtypesAgree oldtypes_agree_;
  std::array<OldtypesAgree, std::size(bounds_models)> agree_with_model_before_;
};

}  // namespace ddtscope
