// The layout of a datatype: its typemap as nested strided repetitions, and everything that is computed
// from it without expanding it. All combiners are lowered to three kinds of node in one place
// (layout_lowering.cpp); every question afterwards is answered over these three kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "decoder/base/exact.h"
#include "decoder/base/stable_vector.h"
#include "decoder/definition/definition.h"
#include "decoder/definition/observed.h"

namespace ddtscope {

struct LayoutId {
  std::uint32_t value = UINT32_MAX;
  constexpr bool valid() const { return value != UINT32_MAX; }
  friend constexpr auto operator<=>(LayoutId, LayoutId) = default;
};

/// What is known of a layout node, computed from its children's facts. Bytes. Where entries is 0 the
/// true bounds, sizes and blocks are 0.
struct LayoutFacts {
  Exact entries;  // length of the typemap
  Exact size;     // sum of the entries' sizes
  Exact blocks;   // entry k+1 joins k exactly when disp(k+1) = disp(k) + size(k)
  Exact true_lb, true_ub;
  Exact signature_runs;  // number of runs of equal basic types, merged
  PredefinedId first_type, last_type;
  Exact first_displacement;        // of the first entry
  Exact last_end;                  // displacement + size of the last entry
  std::int64_t alignment = 1;      // largest of the entries' basic types; 1 if empty
  std::optional<Exact> lb_marker;  // lowest explicit lower-bound marker (MPI-4.1 5.1.7)
  std::optional<Exact> ub_marker;  // highest explicit upper-bound marker
  /// Nested strides and sorted parts prove that no byte is touched twice; false where they do not say.
  bool disjoint = true;

  Exact true_extent() const { return true_ub - true_lb; }
  bool empty() const { return entries == Exact(0); }
  /// All entries have the same basic type.
  bool uniform() const { return signature_runs == Exact(1); }
};

/// One entry of a typemap.
struct TypemapEntry {
  PredefinedId type;
  Exact displacement;
};

enum class LayoutKind : std::uint8_t {
  basic,   // one entry at displacement 0
  empty,   // none
  repeat,  // `count` copies of `child`, copy k at k * stride
  parts,   // a sequence of parts: part i is blocklength(i) copies of child(i), the first one at
           // displacement(i), one every extent(i); blocks of length 0 may be left out
};

struct LayoutPart {
  Exact displacement;
  std::int64_t blocklength = 0;
  Exact extent;  // distance of the copies
  LayoutId child;
};

/// A node. Parts are seen through the argument arrays of the definition, not copied.
struct LayoutNode {
  LayoutKind kind = LayoutKind::empty;
  PredefinedId basic;  // basic
  LayoutId next_own;   // the next node of the same definition, or the next free one
  // repeat
  Exact count, stride;
  LayoutId child;  // repeat; parts with one child for all
  // parts
  std::size_t part_count = 0;
  IntegerArray blocklengths;  // one for all where its length is 0
  std::int64_t blocklength = 1;
  IntegerArray displacements;
  Exact displacement_unit = 1;           // bytes per displacement
  Exact child_extent;                    // with one child for all
  std::span<const LayoutId> children;    // per part, where not empty
  std::span<const Exact> child_extents;  // per part, where not empty
  LayoutFacts facts;

  std::int64_t blocklength_of(std::size_t i) const { return blocklengths.length == 0 ? blocklength : blocklengths[i]; }
  const Exact& extent_of(std::size_t i) const { return child_extents.empty() ? child_extent : child_extents[i]; }
  LayoutId child_of(std::size_t i) const { return children.empty() ? child : children[i]; }
  LayoutPart part(std::size_t i) const {
    return LayoutPart{Exact(displacements[i]) * displacement_unit, blocklength_of(i), extent_of(i), child_of(i)};
  }
};

/// Bounds of a type as the standard defines them. Bytes; a value that does not fit 128 bits says so.
struct Bounds {
  Exact size, lb, ub, extent, true_lb, true_ub, true_extent;
};

/// What a library reports as the seven bounds; MPI_UNDEFINED does not fit, nor does what is made of it.
Bounds as_bounds(const ObservedBounds& observed);

/// Bounds of a typemap with its markers and rounding by the standard's text (MPI-4.1 5.1.7, 5.1.8):
/// explicit markers win; without an upper marker the extent is rounded up to the alignment.
Bounds standard_bounds(const LayoutFacts& facts);

/// Layouts of the definitions of one store. `add` must be called for each definition, oldtypes first. A type is laid
/// out with its oldtypes' extents: the observed ones where they are given (those are the addresses that the job uses),
/// else the computed ones.
class Layouts {
 public:
  explicit Layouts(const DefinitionStore& store);
  /// In place of add() and observe(): lays a definition out, with what the source knows of it, only when something is
  /// asked for that needs it, so that a store may hold many definitions of which few are looked at. No definition may
  /// be evicted. What only reads the layouts then changes them: they belong to one thread, but there may be several
  /// of one source.
  Layouts(const DefinitionStore& store, const ObservedSource& observed);

  /// Lays out the definition `id`, which has no layout: a new one, or one that took the id of a definition that was
  /// forgotten.
  void add(DefinitionId id);
  /// Gives back what the layout of `id` takes. No layout of a type made of it may be there. The ids of its nodes are
  /// given again: what was remembered about them is void.
  void forget(DefinitionId id);
  /// Says which bounds the running library reports for a definition already added: types made of it
  /// are laid out with them. Must come before any of those is added.
  void observe(DefinitionId id, const ObservedBounds& observed);
  /// Only with a source, between two definitions that are looked at: gives back all layouts where they take more than
  /// so many bytes, and more than twice what the first one needed that was laid out after the last time; true then,
  /// and what was remembered about ids of nodes is void.
  bool make_room(std::size_t limit_bytes);

  const DefinitionStore& store() const { return store_; }
  LayoutId root(DefinitionId id) const { return type(id).root; }
  const LayoutNode& operator[](LayoutId id) const { return nodes_[id.value]; }
  const LayoutFacts& facts(DefinitionId id) const { return nodes_[root(id).value].facts; }
  /// By the standard's rules over the oldtypes' extents in use.
  const Bounds& computed(DefinitionId id) const { return type(id).computed; }
  /// Where `observe` was called, or the source knows.
  std::optional<ObservedBounds> observed(DefinitionId id) const {
    return source_ != nullptr ? source_->observed(id) : type(id).observed;
  }
  /// The extent and lower bound in use: observed if known, else computed.
  Exact extent(DefinitionId id) const { return type(id).extent; }
  Exact lb(DefinitionId id) const { return type(id).lb; }
  /// Whether the definition was added, or something was asked for that needs its layout.
  bool is_laid_out(DefinitionId id) const { return id.value < places_.size() && places_[id.value] != no_place; }
  /// One more than the largest id that has been added, or that the store has where there is a source.
  std::size_t size() const { return source_ != nullptr ? store_.size() : places_.size(); }
  /// What the layouts take, nodes and arrays.
  std::size_t bytes() const { return bytes_; }

 private:
  friend class Lowering;
  /// Arrays of one definition's nodes that no argument array provides.
  struct OwnedArrays {
    std::vector<std::vector<std::int64_t>> integers;
    std::vector<std::vector<LayoutId>> children;
    std::vector<std::vector<Exact>> extents;
    bool empty() const { return integers.empty() && children.empty() && extents.empty(); }
    std::size_t bytes() const;
  };
  struct Type {
    LayoutId root;
    LayoutId own;  // a chain of the nodes that are its alone
    std::unique_ptr<OwnedArrays> arrays;
    Bounds computed;
    std::optional<ObservedBounds> observed;
    Exact lb, extent;
  };
  const Type& type(DefinitionId id) const {
    if (source_ != nullptr && !is_laid_out(id)) const_cast<Layouts*>(this)->lay_out(id);
    return types_[places_[id.value]];
  }
  static void use_bounds(Type& type, const ObservedBounds& observed);
  /// A definition of which the source knows, and those that it is made of.
  void lay_out(DefinitionId id);
  LayoutId add_node(const LayoutNode& node);
  /// The same, with explicit markers in place of those that come from the children.
  LayoutId add_marked_node(const LayoutNode& node, Exact lb_marker, Exact ub_marker);

  const DefinitionStore& store_;
  StableVector<LayoutNode> nodes_;
  LayoutId free_node_;  // a chain
  StableVector<Type> types_;
  std::vector<std::uint32_t> free_types_;
  static constexpr std::uint32_t no_place = UINT32_MAX;
  std::vector<std::uint32_t> places_;  // in types_, by definition
  std::vector<LayoutId> basic_nodes_;  // by PredefinedId
  LayoutId own_;                       // of the definition that is being added
  OwnedArrays arrays_;                 // the same
  std::size_t bytes_ = 0;
  const ObservedSource* source_ = nullptr;
  std::optional<std::size_t> bytes_of_first_;  // after room was made
};

/// Facts of one node from its children's.
LayoutFacts facts_of(const Layouts& layouts, const LayoutNode& node);

}  // namespace ddtscope
