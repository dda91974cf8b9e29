// Bounds under a named rule: what the standard's text says of a definition, and what each library makes
// of it, its bugs included. Only the definition is asked, never a library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "decoder/definition.h"
#include "decoder/layout.h"
#include "decoder/oldtypes_agree.h"

namespace ddtscope {

/// Whose arithmetic: MPI-4.1 by its text, Open MPI 4.1.4, MPICH 4.0.2 (both as on 64-bit Linux).
enum class BoundsRule : std::uint8_t { standard, openmpi, mpich };
inline constexpr BoundsRule bounds_rules[] = {BoundsRule::standard, BoundsRule::openmpi, BoundsRule::mpich};
std::string_view text_of(BoundsRule rule);           // "standard", "openmpi", "mpich"
std::string_view modelled_version(BoundsRule rule);  // "MPI-4.1", "Open MPI 4.1.4", "MPICH 4.0.2"
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
std::unique_ptr<LibraryRule> make_openmpi_rule(const DefinitionStore& store);
std::unique_ptr<LibraryRule> make_mpich_rule(const DefinitionStore& store);

/// All definitions of a store under one rule, from the leaves up with that rule's own extents; definitions
/// are looked at when they are first asked for, in order of ids. Not synchronised.
class RuleLayouts {
 public:
  RuleLayouts(const DefinitionStore& store, BoundsRule rule);
  ~RuleLayouts();

  BoundsRule rule() const { return rule_; }
  /// The seven bounds. For the standard they are exact in 128 bits; for a library a value that it calls
  /// MPI_UNDEFINED does not fit.
  const Bounds& bounds(DefinitionId id);
  /// The layouts with this rule's extents, where the library's job would put the entries, up to `id`.
  const Layouts& layouts(DefinitionId id);

 private:
  void reach_bounds(DefinitionId id);
  void reach_layouts(DefinitionId id);

  const DefinitionStore& store_;
  BoundsRule rule_;
  Layouts layouts_;
  std::unique_ptr<LibraryRule> library_;  // empty for the standard
  StableVector<Bounds> bounds_;           // by the library
};

/// A definition under all rules.
class AllRules {
 public:
  explicit AllRules(const DefinitionStore& store)
      : standard(store, BoundsRule::standard),
        openmpi(store, BoundsRule::openmpi),
        mpich(store, BoundsRule::mpich),
        store_(store) {}
  RuleLayouts standard, openmpi, mpich;

  /// Whether the rules give the same bounds to all that the definition is made of: then they put its entries at the
  /// same places, and their layouts need not be compared.
  bool agree_on_oldtypes(DefinitionId id);

  RuleLayouts& operator[](BoundsRule rule) {
    switch (rule) {
      case BoundsRule::openmpi:
        return openmpi;
      case BoundsRule::mpich:
        return mpich;
      case BoundsRule::standard:
        break;
    }
    return standard;
  }

 private:
  const DefinitionStore& store_;
  OldtypesAgree oldtypes_agree_;
};

}  // namespace ddtscope
