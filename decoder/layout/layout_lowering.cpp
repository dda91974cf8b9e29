// Lowers every combiner to the three kinds of layout nodes: the one place where a layout depends on
// which constructor was called.
#include <algorithm>
#include <array>

#include "decoder/definition/array_order.h"
#include "decoder/definition/even_values.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

class Lowering {
 public:
  explicit Lowering(Layouts& layouts) : layouts_(layouts), store_(layouts.store_) {}

  LayoutId lower(const Definition& definition) {
    const ConstructorCall& call = definition.call;
    const auto& s = call.scalars;
    const auto& a = call.arrays;
    const DefinitionId oldtype = call.datatypes.empty() ? DefinitionId{} : call.datatypes[0];
    switch (call.combiner) {
      case Combiner::named:
        return predefined(definition.predefined);
      case Combiner::dup:
        return layouts_.root(oldtype);
      case Combiner::contiguous:
        return repeat(s[0], layouts_.extent(oldtype), layouts_.root(oldtype));
      case Combiner::vector:
        return vector(s[0], s[1], Exact(s[2]) * layouts_.extent(oldtype), oldtype);
      case Combiner::hvector:
        return vector(s[0], s[1], s[2], oldtype);
      case Combiner::indexed:
        return blocks({a[0], 1}, a[1], layouts_.extent(oldtype), oldtype);
      case Combiner::hindexed:
        return blocks({a[0], 1}, a[1], 1, oldtype);
      case Combiner::indexed_block:
        return blocks({{}, s[1]}, a[0], layouts_.extent(oldtype), oldtype);
      case Combiner::hindexed_block:
        return blocks({{}, s[1]}, a[0], 1, oldtype);
      case Combiner::structure:
        return structure(a[0], a[1], call.datatypes);
      case Combiner::subarray:
        return subarray(call, oldtype);
      case Combiner::darray:
        return darray(call, oldtype);
      case Combiner::f90_real:
      case Combiner::f90_complex:
      case Combiner::f90_integer: {
        // Its size is known where the plugin or the reader has put it into the table.
        const std::optional<PredefinedId> type = store_.predefined().find(f90_name(call));
        return type ? basic(*type) : empty();
      }
      case Combiner::resized: {
        LayoutNode node;
        node.kind = LayoutKind::repeat;
        node.count = 1;
        node.child = layouts_.root(oldtype);
        return layouts_.add_marked_node(node, s[0], Exact(s[0]) + Exact(s[1]));
      }
      case Combiner::value_index:
        return value_and_index(call.datatypes);
    }
    return empty();
  }

  /// The extent in use of a type without observed bounds: a predefined type has the library's own.
  static void set_bounds_in_use(const Definition& definition, const PredefinedTable& table, Layouts::Type& type) {
    type.lb = type.computed.lb;
    type.extent = type.computed.extent;
    if (definition.call.combiner == Combiner::named) {
      type.lb = 0;
      type.extent = table[definition.predefined].extent;
    }
  }

 private:
  LayoutId empty() { return layouts_.add_node({}); }

  LayoutId basic(PredefinedId type) {
    auto& nodes = layouts_.basic_nodes_;
    if (nodes.size() <= type.value) nodes.resize(type.value + 1);
    if (!nodes[type.value].valid()) {
      LayoutNode node;
      node.kind = LayoutKind::basic;
      node.basic = type;
      const LayoutId own = layouts_.own_;
      nodes[type.value] = layouts_.add_node(node);
      layouts_.own_ = own;  // it serves all definitions
    }
    return nodes[type.value];
  }

  LayoutId predefined(PredefinedId id) {
    const PredefinedType& type = store_.predefined()[id];
    switch (type.kind) {
      case PredefinedKind::basic:
        break;
      case PredefinedKind::pair: {
        const std::optional<PredefinedId> first = store_.predefined().find(type.first);
        const std::optional<PredefinedId> second = store_.predefined().find(type.second);
        if (!first || !second) break;
        return sequence({0, type.second_displacement}, {basic(*first), basic(*second)});
      }
      case PredefinedKind::lb_marker:
      case PredefinedKind::ub_marker: {
        const LayoutId node = empty();
        LayoutFacts& facts = layouts_.nodes_[node.value].facts;
        (type.kind == PredefinedKind::lb_marker ? facts.lb_marker : facts.ub_marker) = Exact(0);
        return node;
      }
    }
    return basic(id);
  }

  LayoutId repeat(Exact count, Exact stride, LayoutId child) {
    if (count <= Exact(0)) return empty();
    if (count == Exact(1)) return child;
    LayoutNode node;
    node.kind = LayoutKind::repeat;
    node.count = count;
    node.stride = stride;
    node.child = child;
    return layouts_.add_node(node);
  }

  LayoutId vector(std::int64_t count, std::int64_t blocklength, Exact stride, DefinitionId oldtype) {
    if (count <= 0 || blocklength <= 0) return empty();
    return repeat(count, stride, repeat(blocklength, layouts_.extent(oldtype), layouts_.root(oldtype)));
  }

  /// One for each block, or where there are none the same for all.
  struct Blocklengths {
    const IntegerArray& each;
    std::int64_t all;
  };

  LayoutId blocks(const Blocklengths& lengths, const IntegerArray& displacements, Exact unit, DefinitionId oldtype) {
    const auto& [blocklengths, blocklength] = lengths;
    const std::size_t count = displacements.length;
    if (count == 0 || (blocklengths.length == 0 && blocklength <= 0)) return empty();
    const bool even = even_values(displacements, 0, count, EvenStep::any) == count &&
                      (blocklengths.length == 0 || even_values(blocklengths, 0, count, EvenStep::none) == count);
    if (even) {  // a vector in disguise: all that follows is then independent of the count
      const Exact first = Exact(displacements[0]) * unit;
      const Exact stride = count > 1 ? Exact(displacements[1]) * unit - first : Exact(0);
      const std::int64_t each = blocklengths.length == 0 ? blocklength : blocklengths[0];
      if (each <= 0) return empty();
      const LayoutId copies = repeat(each, layouts_.extent(oldtype), layouts_.root(oldtype));
      return shifted(repeat(Exact(static_cast<std::int64_t>(count)), stride, copies), first);
    }
    LayoutNode node;
    node.kind = LayoutKind::parts;
    node.part_count = displacements.length;
    node.blocklengths = blocklengths;
    node.blocklength = blocklength;
    node.displacements = displacements;
    node.displacement_unit = unit;
    node.child = layouts_.root(oldtype);
    node.child_extent = layouts_.extent(oldtype);
    leave_out_empty_blocks(node);
    return layouts_.add_node(node);
  }

  /// Where most blocks have length 0, as in a type with one for each rank, those that read the node would pass them by
  /// again in each copy: the others are copied together.
  void leave_out_empty_blocks(LayoutNode& node) {
    constexpr std::size_t few_blocks = 16;
    if (node.blocklengths.length < few_blocks) return;
    std::size_t number = 0;
    for (std::size_t i = 0; i < node.part_count; ++i) number += node.blocklengths[i] > 0 ? 1 : 0;
    if (number == 0 || number > node.part_count / 4) return;
    std::vector<std::int64_t> blocklengths, displacements;
    blocklengths.reserve(number);
    displacements.reserve(number);
    for (std::size_t i = 0; i < node.part_count; ++i) {
      if (node.blocklengths[i] <= 0) continue;
      blocklengths.push_back(node.blocklengths[i]);
      displacements.push_back(node.displacements[i]);
    }
    auto& owned = layouts_.arrays_.integers;
    node.part_count = number;
    node.blocklengths = IntegerArray(std::span<const std::int64_t>(owned.emplace_back(std::move(blocklengths))));
    node.displacements = IntegerArray(std::span<const std::int64_t>(owned.emplace_back(std::move(displacements))));
  }

  LayoutId structure(const IntegerArray& blocklengths, const IntegerArray& displacements,
                     std::span<const DefinitionId> oldtypes) {
    if (oldtypes.empty()) return empty();
    if (std::all_of(oldtypes.begin(), oldtypes.end(), [&](DefinitionId id) { return id == oldtypes[0]; })) {
      return blocks({blocklengths, 1}, displacements, 1, oldtypes[0]);
    }
    std::vector<LayoutId>& children = layouts_.arrays_.children.emplace_back();
    std::vector<Exact>& extents = layouts_.arrays_.extents.emplace_back();
    children.reserve(oldtypes.size());
    extents.reserve(oldtypes.size());
    for (const DefinitionId oldtype : oldtypes) {
      children.push_back(layouts_.root(oldtype));
      extents.push_back(layouts_.extent(oldtype));
    }
    LayoutNode node;
    node.kind = LayoutKind::parts;
    node.part_count = oldtypes.size();
    node.blocklengths = blocklengths;
    node.displacements = displacements;
    node.children = children;
    node.child_extents = extents;
    return layouts_.add_node(node);
  }

  /// One copy of each child, at displacements * unit.
  LayoutId sequence(std::vector<std::int64_t> displacements, std::vector<LayoutId> children, Exact unit = 1) {
    LayoutNode node;
    node.kind = LayoutKind::parts;
    node.part_count = children.size();
    node.displacement_unit = unit;
    node.displacements =
        IntegerArray(std::span<const std::int64_t>(layouts_.arrays_.integers.emplace_back(std::move(displacements))));
    node.children = layouts_.arrays_.children.emplace_back(std::move(children));
    return layouts_.add_node(node);
  }

  static LayoutNode one_part(LayoutId child, Exact offset) {
    LayoutNode node;
    node.kind = LayoutKind::parts;
    node.part_count = 1;
    node.displacements = IntegerArray(std::span<const std::int64_t>(one));
    node.displacement_unit = offset;
    node.child = child;
    return node;
  }

  LayoutId shifted(LayoutId child, Exact offset) {
    return offset == Exact(0) ? child : layouts_.add_node(one_part(child, offset));
  }

  /// One child at `offset`, with explicit bounds: what an array of which a part is taken looks like.
  LayoutId part_of_array(LayoutId child, Exact offset, Exact array_extent) {
    return layouts_.add_marked_node(one_part(child, offset), 0, array_extent);
  }

  // MPI-4.1 5.1.3, equations 5.2 to 5.4.
  LayoutId subarray(const ConstructorCall& call, DefinitionId oldtype) {
    const std::size_t ndims = call.arrays[0].length;
    LayoutId child = layouts_.root(oldtype);
    Exact extent = layouts_.extent(oldtype);
    Exact offset = 0;
    for (std::size_t i = 0; i < ndims; ++i) {
      const std::size_t d = dimension_from_fastest(i, ndims, call.scalars[1], store_.constants());
      child = repeat(call.arrays[1][d], extent, child);
      offset += Exact(call.arrays[2][d]) * extent;
      extent = extent * Exact(call.arrays[0][d]);
    }
    return part_of_array(child, offset, extent);
  }

  // MPI-4.1 5.1.4: every distribution is a cyclic one with its own block size.
  LayoutId darray(const ConstructorCall& call, DefinitionId oldtype) {
    LayoutId child = layouts_.root(oldtype);
    Exact extent = layouts_.extent(oldtype);
    Exact offset = 0;
    for (const DistributedDimension& d : distributed_dimensions(call, store_.constants())) {
      child = owned_part({d.size, block_of(d), d.processes, d.coordinate}, extent, child, offset);
      extent = extent * Exact(d.size);
    }
    return part_of_array(child, offset, extent);
  }

  struct Dimension {
    std::int64_t size, block, processes, coordinate;
  };

  static std::int64_t block_of(const DistributedDimension& d) {
    switch (d.kind) {
      case DistributedDimension::Kind::none:
        // One block, also where the program did not set the number of processes to 1, as it should: the first has it.
        return std::max<std::int64_t>(d.size, 1);
      case DistributedDimension::Kind::cyclic:
        return d.argument.value_or(1);
      case DistributedDimension::Kind::block:
        break;
    }
    return d.argument.value_or(d.size / d.processes + (d.size % d.processes != 0));
  }

  /// The elements of one dimension that belong to `coordinate`; where they begin is added to `offset`.
  LayoutId owned_part(const Dimension& d, Exact extent, LayoutId child, Exact& offset) {
    if (d.size <= 0 || d.block <= 0) return empty();
    const std::int64_t whole_blocks = d.size / d.block;
    const std::int64_t remainder = d.size % d.block;
    const std::int64_t mine = whole_blocks > d.coordinate ? (whole_blocks - d.coordinate - 1) / d.processes + 1 : 0;
    const bool last_is_mine = remainder != 0 && whole_blocks % d.processes == d.coordinate;
    const Exact first = Exact(d.coordinate) * Exact(d.block);
    const Exact step = Exact(d.processes) * Exact(d.block);
    const LayoutId whole = mine == 0 ? LayoutId{} : repeat(mine, step * extent, repeat(d.block, extent, child));
    if (mine == 0 && !last_is_mine) return empty();
    offset += first * extent;
    if (!last_is_mine) return whole;
    const LayoutId partial = repeat(remainder, extent, child);
    if (mine == 0) return partial;
    // The short block follows the whole ones in this process's own sequence of blocks.
    const std::int64_t partial_at = (whole_blocks - d.coordinate) * d.block;
    return sequence({0, partial_at}, {whole, partial}, extent);
  }

  /// A value and its index as a C struct has them (MPI-4.1 6.9.4).
  LayoutId value_and_index(std::span<const DefinitionId> types) {
    const LayoutFacts& value = layouts_.facts(types[0]);
    const LayoutFacts& index = layouts_.facts(types[1]);
    const std::int64_t alignment = index.alignment;
    const std::int64_t end = value.true_ub.to_int64().value_or(0);
    const std::int64_t at = (end + alignment - 1) / alignment * alignment;
    return sequence({0, at}, {layouts_.root(types[0]), layouts_.root(types[1])});
  }

  static constexpr std::array<std::int64_t, 1> one = {1};

  Layouts& layouts_;
  const DefinitionStore& store_;
};

Layouts::Layouts(const DefinitionStore& store) : store_(store) {}

Layouts::Layouts(const DefinitionStore& store, const ObservedSource& observed) : store_(store), source_(&observed) {}

void Layouts::add(DefinitionId id) {
  const Definition& definition = store_[id];
  own_ = {};
  arrays_ = {};
  Type type;
  type.root = Lowering(*this).lower(definition);
  type.own = own_;
  if (!arrays_.empty()) type.arrays = std::make_unique<OwnedArrays>(std::move(arrays_));
  type.computed = standard_bounds(nodes_[type.root.value].facts);
  Lowering::set_bounds_in_use(definition, store_.predefined(), type);
  bytes_ += sizeof(Type) + (type.arrays ? type.arrays->bytes() : 0);
  if (places_.size() <= id.value) places_.resize(id.value + 1, no_place);
  if (free_types_.empty()) {
    places_[id.value] = static_cast<std::uint32_t>(types_.size());
    types_.push_back(std::move(type));
  } else {
    places_[id.value] = free_types_.back();
    free_types_.pop_back();
    types_[places_[id.value]] = std::move(type);
  }
}

}  // namespace ddtscope
