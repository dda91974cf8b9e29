// The bounds that MPICH reports, its bugs included, from release 4.0.2 to 5.0.2 (with its datatype engine yaksa, as
// Debian builds it).
//
// The engine keeps bounds, size and alignment of a type and never looks at entries again: what a constructor
// makes follows from these alone. Hence the differences from the standard (bounds.md has examples): explicit
// markers are bounds like others; blocks of length 0 reach one copy backwards instead of being none; an empty
// member of a struct counts, at its displacement; only a struct of different types is rounded up to the
// alignment; a size that wraps to 0 makes the type an empty one.
//
// Whether types are different the engine tells by their objects. Predefined types of one family and size share
// one, and a constructor that would change nothing gives its oldtype's, so a type here says which object it has.
// Equal calls make different objects in the library but one definition here: a struct of two such handles is
// predicted as if one handle stood there twice.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/base/stable_vector.h"
#include "decoder/base/wrapping.h"
#include "decoder/bounds/bounds.h"
#include "decoder/definition/array_order.h"

namespace ddtscope {
namespace {

/// Which object of the engine a type is. Its own come first; those that it makes are numbered.
enum class EngineObject : std::uint64_t {
  empty,  // one for all empty types
  int8,
  int16,
  int32,
  int64,
  wide_char,
  real32,
  real64,
  long_double,
  complex32,
  complex64,
  complex_long_double,
  bytes16,
  bytes32,
  float_int,
  double_int,
  long_int,
  int_int,
  short_int,
  long_double_int,
  first_made,
};

struct EngineType {
  EngineObject object = EngineObject::empty;
  Wrapping size, lb, ub, true_lb, true_ub;
  Wrapping alignment = 1;

  Wrapping extent() const { return ub - lb; }
};

/// The engine's own object for a predefined type; none for those of other libraries. Since 5.0 nearly all basic types
/// are told by their size, even integers of 16 bytes, which are long doubles then.
std::optional<EngineObject> object_of(const PredefinedType& type, BoundsModel model) {
  using enum EngineObject;
  using Objects = std::initializer_list<std::pair<std::int64_t, EngineObject>>;
  static constexpr std::pair<std::string_view, EngineObject> before_5_0[] = {
      {"MPIX_C_FLOAT16", empty},  // unknown to the engine
      {"MPI_REAL16", bytes16},    // arrays of bytes to the engine, without an alignment
      {"MPI_COMPLEX32", bytes32},
      {"MPI_WCHAR", wide_char},
  };
  static constexpr std::pair<std::string_view, EngineObject> by_name[] = {
      {"MPI_LB", empty},
      {"MPI_UB", empty},
      {"MPI_2REAL", complex32},
      {"MPI_2DOUBLE_PRECISION", complex64},
      {"MPI_2INT", int_int},
      {"MPI_2INTEGER", int_int},
      {"MPI_FLOAT_INT", float_int},
      {"MPI_DOUBLE_INT", double_int},
      {"MPI_LONG_INT", long_int},
      {"MPI_SHORT_INT", short_int},
      {"MPI_LONG_DOUBLE_INT", long_double_int},
  };
  for (const auto& [name, object] : by_name) {
    if (name == type.name) return object;
  }
  if (model == BoundsModel::mpich_4_0) {
    for (const auto& [name, object] : before_5_0) {
      if (name == type.name) return object;
    }
  }
  if (type.kind != PredefinedKind::basic) return std::nullopt;
  const auto is_a = [&](std::string_view word) { return type.name.find(word) != std::string::npos; };
  const auto by_size = [&](Objects family) -> std::optional<EngineObject> {
    for (const auto& [size, object] : family) {
      if (size == type.size) return object;
    }
    return std::nullopt;
  };
  if (model != BoundsModel::mpich_4_0) {
    if (type.size == 2) return int16;
    if (type.size == 4 && is_a("COMPLEX")) return int32;
  }
  if (is_a("COMPLEX")) return by_size({{8, complex32}, {16, complex64}, {32, complex_long_double}});
  if (is_a("REAL") || is_a("DOUBLE") || is_a("FLOAT")) return by_size({{4, real32}, {8, real64}, {16, long_double}});
  if (type.size == 16 && model != BoundsModel::mpich_4_0) return long_double;
  return by_size({{1, int8}, {2, int16}, {4, int32}, {8, int64}});
}

/// The displacements of the lowest and of the highest of some copies of a type.
struct Copies {
  Wrapping lowest, highest;
};

/// `count` copies, one every `step`. No copy stands one step before the first: the library does not ask.
Copies copies_of(Wrapping count, Wrapping step) {
  const Wrapping last = (count - 1) * step;
  return step > 0 ? Copies{0, last} : Copies{last, 0};
}

/// `blocklength` copies of a type, the first one at a displacement in bytes.
struct Block {
  const EngineType& type;
  Wrapping blocklength, displacement;
};

/// Blocks of one type; displacements count in `unit` bytes.
struct UniformBlocks {
  const EngineType& type;
  const IntegerArray& blocklengths;
  const IntegerArray& displacements;
  Wrapping unit;

  std::size_t size() const { return displacements.length; }
  Block operator[](std::size_t i) const { return {type, blocklengths[i], displacements[i] * unit}; }
};

/// Least and greatest bounds over blocks.
class Hull {
 public:
  void add(const Block& block) {
    const Copies copies = copies_of(block.blocklength, block.type.extent());
    const Wrapping low = block.displacement + copies.lowest;
    const Wrapping high = block.displacement + copies.highest;
    const EngineType& type = block.type;
    if (is_empty_) {
      lb_ = type.lb + low;
      ub_ = type.ub + high;
      true_lb_ = type.true_lb + low;
      true_ub_ = type.true_ub + high;
      is_empty_ = false;
      return;
    }
    lb_ = std::min(lb_, type.lb + low);
    ub_ = std::max(ub_, type.ub + high);
    true_lb_ = std::min(true_lb_, type.true_lb + low);
    true_ub_ = std::max(true_ub_, type.true_ub + high);
  }
  void give_to(EngineType& type) const {
    type.lb = lb_;
    type.ub = ub_;
    type.true_lb = true_lb_;
    type.true_ub = true_ub_;
  }

 private:
  bool is_empty_ = true;
  Wrapping lb_, ub_, true_lb_, true_ub_;
};

/// The arguments of darray in one dimension.
struct Distribution {
  Wrapping size, block, processes, coordinate;
};

class MpichRule : public LibraryRule {
 public:
  MpichRule(const DefinitionStore& store, BoundsModel model) : store_(store), model_(model) {}

  Bounds add(DefinitionId id) override {
    types_.push_back(make(store_[id]));
    const EngineType type = reported(id);
    Bounds bounds;
    bounds.size = type.size.value();
    bounds.lb = type.lb.value();
    bounds.extent = type.extent().value();
    bounds.ub = bounds.lb + bounds.extent;
    bounds.true_lb = type.true_lb.value();
    bounds.true_extent = (type.true_ub - type.true_lb).value();
    bounds.true_ub = bounds.true_lb + bounds.true_extent;
    return bounds;
  }

 private:
  /// What the library says of a type: that is the engine's, but for predefined types that the engine does not know.
  EngineType reported(DefinitionId id) const {
    EngineType type = types_[id.value];
    const PredefinedId named = store_[id].predefined;
    if (named.valid() && type.object == EngineObject::empty) {
      type.size = type.ub = type.true_ub = store_.predefined()[named].size;
    }
    return type;
  }

  EngineType make(const Definition& definition) {
    const ConstructorCall& call = definition.call;
    const auto& s = call.scalars;
    const auto& a = call.arrays;
    const auto oldtype = [&]() -> const EngineType& { return types_[call.datatypes[0].value]; };
    switch (call.combiner) {
      case Combiner::named:
        return predefined(store_.predefined()[definition.predefined]);
      case Combiner::f90_real:
      case Combiner::f90_complex:
      case Combiner::f90_integer: {
        const std::optional<PredefinedId> basic = store_.predefined().find(f90_name(call));
        return basic ? predefined(store_.predefined()[*basic]) : EngineType{};
      }
      case Combiner::dup:
        return oldtype();
      case Combiner::contiguous:
        return contiguous(s[0], oldtype());
      case Combiner::vector:
        return hvector(s[0], s[1], s[2] * oldtype().extent(), oldtype());
      case Combiner::hvector:
        return hvector(s[0], s[1], s[2], oldtype());
      case Combiner::indexed:
        return joined(UniformBlocks{oldtype(), a[0], a[1], oldtype().extent()});
      case Combiner::hindexed:
        return joined(UniformBlocks{oldtype(), a[0], a[1], 1});
      case Combiner::indexed_block:
        return blocks_of(s[1], a[0], oldtype().extent(), oldtype());
      case Combiner::hindexed_block:
        return blocks_of(s[1], a[0], 1, oldtype());
      case Combiner::structure:
        return structure(a[0], a[1], call.datatypes);
      case Combiner::subarray:
        return subarray(call, oldtype());
      case Combiner::darray:
        return darray(call, oldtype());
      case Combiner::resized:
        return resized(s[0], s[1], oldtype());
      case Combiner::value_index:
        return value_index(oldtype(), types_[call.datatypes[1].value]);
    }
    return {};
  }

  EngineType predefined(const PredefinedType& type) {
    const std::optional<EngineObject> own = object_of(type, model_);
    if (own == EngineObject::empty) return {};
    EngineType result;
    result.object = own ? *own : new_object();
    result.size = result.ub = result.true_ub = type.size;
    const bool is_bytes = own == EngineObject::bytes16 || own == EngineObject::bytes32;
    if (!is_bytes) result.alignment = std::max<std::int64_t>(type.alignment, 1);
    if (own == EngineObject::int32) result.alignment = type.size;  // not that of a complex number's parts
    if (type.kind == PredefinedKind::pair) {
      const std::optional<PredefinedId> second = store_.predefined().find(type.second);
      result.ub = type.extent;
      if (second) result.true_ub = type.second_displacement + store_.predefined()[*second].size;
    }
    return result;
  }

  EngineObject new_object() { return EngineObject{next_object_++}; }

  EngineType copied(Wrapping count, Copies copies, const EngineType& type) {
    EngineType result = type;
    result.object = new_object();
    result.size = type.size * count;
    result.lb += copies.lowest;
    result.true_lb += copies.lowest;
    result.ub += copies.highest;
    result.true_ub += copies.highest;
    return result;
  }

  EngineType contiguous(Wrapping count, const EngineType& type) { return hvector(count, 1, type.extent(), type); }

  EngineType hvector(Wrapping count, Wrapping blocklength, Wrapping stride, const EngineType& type) {
    if (count * type.size == 0) return {};
    const Copies block = copies_of(blocklength, type.extent());
    if (count == 1) return blocklength == 1 ? type : copied(blocklength, block, type);
    const Copies blocks = copies_of(count, stride);
    return copied(count * blocklength, {blocks.lowest + block.lowest, blocks.highest + block.highest}, type);
  }

  EngineType blocks_of(Wrapping blocklength, const IntegerArray& displacements, Wrapping unit, const EngineType& type) {
    const auto at = [&](std::size_t i) { return displacements[i] * unit; };
    return equal_blocks(displacements.length, blocklength, at, type);
  }

  /// `count` blocks of one length; `at(i)` is where the i-th one stands, in bytes.
  template <class At>
  EngineType equal_blocks(std::size_t count, Wrapping blocklength, At at, const EngineType& type) {
    const Wrapping blocks = static_cast<std::int64_t>(count);
    if (blocks * type.size == 0) return {};
    Wrapping least = at(0);
    Wrapping greatest = least;
    bool is_even = least == 0;
    for (std::size_t i = 1; i < count; ++i) {
      is_even = is_even && at(i) - at(i - 1) == at(1);
      least = std::min(least, at(i));
      greatest = std::max(greatest, at(i));
    }
    // To the engine this is a vector, whose bounds differ where displacements have wrapped.
    if (is_even) return hvector(blocks, blocklength, count > 1 ? at(1) : 0, type);
    const Copies block = copies_of(blocklength, type.extent());
    return copied(blocks * blocklength, {least + block.lowest, greatest + block.highest}, type);
  }

  /// Blocks that may differ in length, and in type.
  template <class Blocks>
  EngineType joined(const Blocks& blocks) {
    Wrapping size = 0;
    bool has_one_type = true;
    bool has_one_length = true;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block block = blocks[i];
      size += block.type.size * block.blocklength;
      has_one_type = has_one_type && block.type.object == blocks[0].type.object;
      has_one_length = has_one_length && block.blocklength == blocks[0].blocklength;
    }
    if (size == 0) return {};
    if (has_one_type && has_one_length) {
      const auto at = [&](std::size_t i) { return blocks[i].displacement; };
      return equal_blocks(blocks.size(), blocks[0].blocklength, at, blocks[0].type);
    }
    EngineType result;
    result.object = new_object();
    result.size = size;
    Hull hull;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block block = blocks[i];
      if (block.blocklength == 0) continue;
      hull.add(block);
      result.alignment = std::max(result.alignment, block.type.alignment);
    }
    hull.give_to(result);
    if (has_one_type) return result;
    // A remainder has the extent's sign, so a negative extent grows by more than an alignment.
    const Wrapping over = result.extent() % result.alignment;
    if (over != 0) result.ub += result.alignment - over;
    return result;
  }

  /// Markers are taken out, the last one of each kind holds, and the rest is resized.
  EngineType structure(const IntegerArray& blocklengths, const IntegerArray& displacements,
                       std::span<const DefinitionId> oldtypes) {
    std::vector<Block> members;
    members.reserve(oldtypes.size());
    std::optional<Wrapping> lb, ub;
    for (std::size_t i = 0; i < oldtypes.size(); ++i) {
      const PredefinedId named = store_[oldtypes[i]].predefined;
      const PredefinedKind kind = named.valid() ? store_.predefined()[named].kind : PredefinedKind::basic;
      if (kind == PredefinedKind::lb_marker) {
        lb = displacements[i];
      } else if (kind == PredefinedKind::ub_marker) {
        ub = displacements[i];
      } else {
        members.push_back({types_[oldtypes[i].value], blocklengths[i], displacements[i]});
      }
    }
    const EngineType result = joined(members);
    if (!lb && !ub) return result;
    const Wrapping new_lb = lb.value_or(result.lb);
    return resized(new_lb, ub.value_or(result.ub) - new_lb, result);
  }

  EngineType resized(Wrapping lb, Wrapping extent, const EngineType& type) {
    if (lb == type.lb && extent == type.extent()) return type;
    EngineType result = type;
    result.object = new_object();
    result.lb = lb;
    result.ub = lb + extent;
    return result;
  }

  EngineType part_of_array(const EngineType& part, Wrapping displacement, Wrapping array_extent) {
    const auto at = [&](std::size_t) { return displacement; };
    return resized(0, array_extent, equal_blocks(1, 1, at, part));
  }

  EngineType subarray(const ConstructorCall& call, const EngineType& oldtype) {
    const Wrapping extent = reported(call.datatypes[0]).extent();
    const IntegerArray& sizes = call.arrays[0];
    const IntegerArray& subsizes = call.arrays[1];
    const IntegerArray& starts = call.arrays[2];
    const std::size_t ndims = sizes.length;
    const auto dimension = [&](std::size_t i) {
      return dimension_from_fastest(i, ndims, call.scalars[1], store_.constants());
    };
    EngineType part;
    Wrapping elements = 1;
    Wrapping displacement = 0;
    for (std::size_t i = 0; i < ndims; ++i) {
      const std::size_t d = dimension(i);
      if (ndims == 1) {
        part = contiguous(subsizes[d], oldtype);
      } else if (i == 1) {  // the two fastest dimensions are one vector
        part = hvector(subsizes[d], subsizes[dimension(0)], elements * extent, oldtype);
      } else if (i > 1) {
        part = hvector(subsizes[d], 1, elements * extent, part);
      }
      displacement += starts[d] * elements;
      elements *= sizes[d];
    }
    return part_of_array(part, displacement * extent, elements * extent);
  }

  EngineType darray(const ConstructorCall& call, const EngineType& oldtype) {
    using Kind = DistributedDimension::Kind;
    const Wrapping extent = reported(call.datatypes[0]).extent();
    EngineType part = oldtype;
    Wrapping elements = 1;
    Wrapping displacement = 0;
    bool is_fastest = true;
    for (const DistributedDimension& d : distributed_dimensions(call, store_.constants())) {
      const Wrapping step = elements * extent;
      Distribution distribution = {d.size, d.argument.value_or(1), d.processes, d.coordinate};
      if (d.kind == Kind::cyclic) {
        part = cyclic_part(distribution, step, part);
        const Wrapping start = distribution.coordinate * distribution.block;
        if (is_fastest) {
          part = part_of_array(part, start * step, distribution.size * step);
        } else if (start < distribution.size) {
          displacement += start * elements;
        }
      } else {
        if (!d.argument || d.kind == Kind::none) {
          distribution.block = (distribution.size + distribution.processes - 1) / distribution.processes;
        }
        const Wrapping start = distribution.coordinate * distribution.block;
        const Wrapping mine = std::max(Wrapping(0), std::min(distribution.block, distribution.size - start));
        part = hvector(mine, 1, step, part);
        if (mine != 0) displacement += start * elements;
      }
      part = resized(0, distribution.size * step, part);  // blocks of the next dimension are whole rows apart
      elements *= d.size;
      is_fastest = false;
    }
    return part_of_array(part, displacement * extent, elements * extent);
  }

  /// The blocks of one dimension that belong to a process, the first one at 0. A short last block is put after
  /// the whole ones by a struct, to which the whole ones belong even if there are none.
  EngineType cyclic_part(const Distribution& d, Wrapping step, const EngineType& part) {
    if (d.block <= 0) return {};
    const Wrapping rest = d.size - d.coordinate * d.block;
    Wrapping mine = 0;
    if (rest > 0) {
      const Wrapping round = d.processes * d.block;
      mine = rest / round * d.block + std::min(rest % round, d.block);
    }
    const Wrapping whole = mine / d.block;
    const Wrapping remainder = mine % d.block;
    const Wrapping stride = d.processes * d.block * step;
    const EngineType blocks = hvector(whole, d.block, stride, part);
    if (remainder == 0) return blocks;
    return joined(std::vector<Block>{{blocks, 1, 0}, {part, remainder, whole * stride}});
  }

  /// The library has no such constructor: as the struct that takes its place.
  EngineType value_index(const EngineType& value, const EngineType& index) {
    const Wrapping over = value.true_ub % index.alignment;
    const Wrapping at = over == 0 ? value.true_ub : value.true_ub + index.alignment - over;
    return joined(std::vector<Block>{{value, 1, 0}, {index, 1, at}});
  }

  const DefinitionStore& store_;
  BoundsModel model_;
  StableVector<EngineType> types_;
  std::uint64_t next_object_ = static_cast<std::uint64_t>(EngineObject::first_made);
};

}  // namespace

std::unique_ptr<LibraryRule> make_mpich_rule(const DefinitionStore& store, BoundsModel model) {
  return std::make_unique<MpichRule>(store, model);
}

}  // namespace ddtscope
