// The bounds that Open MPI reports, its bugs included, from release 4.1.4 to 6.0.0rc2.
//
// Its datatype engine knows one way to put things together: a run of equal types is added to what is there, and size,
// bounds, markers and alignment are brought up to date at once. Every constructor is a few such additions; what sets
// the answers apart from the standard's is that each of them rounds the extent, that a stride of -1 stands for the
// type's own extent, that nothing keeps bounds of 0 where "no bounds yet" would be inside out, and that all values
// wrap. Releases differ in what they count in an int.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "decoder/base/wrapping.h"
#include "decoder/bounds/bounds.h"
#include "decoder/definition/array_order.h"

namespace ddtscope {
namespace {

/// How copies or elements are counted.
enum class Counting { in_64_bits, in_int };

/// What is left of a value.
Wrapping counted(Wrapping value, Counting counting) {
  if (counting == Counting::in_64_bits) return value;
  return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(value.value()))};
}

/// Counts of 64 bits are unsigned where they are divided. `b` must be positive.
Wrapping quotient(Wrapping a, Wrapping b, Counting counting) {
  if (counting == Counting::in_int) return a / b;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a.value()) / static_cast<std::uint64_t>(b.value()));
}

/// In what the releases differ.
struct Habits {
  Counting struct_blocks;    // copies in blocks of a struct that follow each other
  Counting hvector_copies;   // of an hvector whose blocks adjoin
  Counting darray_elements;  // and processes
};

Habits habits_of(BoundsModel model) {
  if (model == BoundsModel::openmpi_4_1) return {Counting::in_int, Counting::in_int, Counting::in_int};
  if (model == BoundsModel::openmpi_5_0) return {Counting::in_64_bits, Counting::in_int, Counting::in_int};
  return {Counting::in_64_bits, Counting::in_64_bits, Counting::in_64_bits};
}

/// What the engine keeps of a type. It begins with bounds turned inside out, which nothing without data puts right.
struct Engine {
  Wrapping size;
  Wrapping lb = std::numeric_limits<std::int64_t>::max();
  Wrapping ub = std::numeric_limits<std::int64_t>::min();
  Wrapping true_lb = std::numeric_limits<std::int64_t>::max();
  Wrapping true_ub = std::numeric_limits<std::int64_t>::min();
  std::int64_t alignment = 1;
  bool has_lb_marker = false;
  bool has_ub_marker = false;

  Wrapping extent() const { return ub - lb; }
  bool empty() const { return size == 0; }
};

/// The type that stands for nothing at all, of which an empty constructor call makes a copy.
Engine nothing() {
  Engine type;
  type.lb = type.ub = type.true_lb = type.true_ub = 0;
  return type;
}

/// `count` copies of a type, the first one at `displacement`, one every `stride` bytes.
struct Run {
  Wrapping count;
  Wrapping displacement;
  Wrapping stride;
};

void add(Engine& type, const Engine& added, const Run& run) {
  if (run.count == 0) return;
  // The engine's own word for "the type's extent" cannot be told from a stride that the program asked for.
  const Wrapping stride = run.stride == -1 ? added.extent() : run.stride;

  const Wrapping last = run.displacement + stride * (run.count - 1);
  Wrapping lb = std::min(run.displacement, last) + added.lb;
  Wrapping ub = std::max(run.displacement, last) + added.ub;
  const Wrapping one_true_end = lb - (added.lb - added.true_lb);
  const Wrapping other_true_end = ub - (added.ub - added.true_ub);

  // One side's marker wins over the other side's bound; two of a kind compete.
  if (type.has_lb_marker == added.has_lb_marker) {
    lb = std::min(type.lb, lb);
  } else if (type.has_lb_marker) {
    lb = type.lb;
  }
  if (type.has_ub_marker == added.has_ub_marker) {
    ub = std::max(type.ub, ub);
  } else if (type.has_ub_marker) {
    ub = type.ub;
  }
  type.lb = lb;
  type.ub = ub;
  type.has_lb_marker |= added.has_lb_marker;
  type.has_ub_marker |= added.has_ub_marker;
  type.alignment = std::max(type.alignment, added.alignment);
  if (!type.has_ub_marker) {
    // The remainder has the extent's sign, so that a negative extent is rounded up by too much.
    const Wrapping over = type.extent() % type.alignment;
    if (over != 0) type.ub = type.ub + type.alignment - over;
  }

  if (added.empty()) return;
  type.size += run.count * added.size;
  const auto [true_lb, true_ub] = std::minmax(one_true_end, other_true_end);
  // A size that has wrapped to 0 is taken for no data yet.
  type.true_lb = type.empty() ? true_lb : std::min(type.true_lb, true_lb);
  type.true_ub = type.empty() ? true_ub : std::max(type.true_ub, true_ub);
}

void resize(Engine& type, Wrapping lb, Wrapping extent) {
  type.lb = lb;
  type.ub = lb + extent;
  type.has_lb_marker = true;
  type.has_ub_marker = true;
}

/// Blocks of `blocklength` copies, one every `stride` bytes.
struct Strided {
  Wrapping count, blocklength, stride;
};

Engine strided(const Strided& blocks, const Engine& oldtype) {
  Engine type;
  if (blocks.blocklength == 1) {
    add(type, oldtype, {blocks.count, 0, blocks.stride});
  } else {
    Engine block;
    add(block, oldtype, {blocks.blocklength, 0, oldtype.extent()});
    add(type, block, {blocks.count, 0, blocks.stride});
  }
  return type;
}

Engine run_of_copies(Wrapping copies, const Engine& oldtype) {
  Engine type;
  add(type, oldtype, {copies, 0, oldtype.extent()});
  return type;
}

Engine contiguous(Wrapping count, const Engine& oldtype) {
  return count == 0 || oldtype.empty() ? nothing() : run_of_copies(count, oldtype);
}

/// MPI_Type_vector compares the stride with the blocklength in elements, and counts copies in 64 bits.
Engine vector(Wrapping count, Wrapping blocklength, Wrapping stride, const Engine& oldtype) {
  if (count == 0 || blocklength == 0) return nothing();
  if (stride == blocklength || count <= 1) return run_of_copies(count * blocklength, oldtype);
  return strided({count, blocklength, stride * oldtype.extent()}, oldtype);
}

/// MPI_Type_create_hvector compares them in bytes.
Engine hvector(const Strided& blocks, const Engine& oldtype, Counting counting) {
  const auto& [count, blocklength, stride] = blocks;
  if (count == 0 || blocklength == 0) return nothing();
  if (stride == blocklength * oldtype.extent() || count <= 1) {
    return run_of_copies(counted(count * blocklength, counting), oldtype);
  }
  return strided(blocks, oldtype);
}

/// What displacements count.
enum class Unit { elements, bytes };

/// Blocks that follow each other, of one type and each beginning where the one before ends, are added as one.
class Blocks {
 public:
  Blocks(Unit unit, Counting counting) : unit_(unit), counting_(counting) {}

  void add_block(const Engine& oldtype, Wrapping blocklength, Wrapping displacement) {
    if (pending_ == &oldtype && displacement == end_) {
      length_ = counted(length_ + blocklength, counting_);
    } else {
      if (pending_ == nullptr && blocklength == 0) return;  // empty blocks at the beginning are passed over
      flush();
      pending_ = &oldtype;
      displacement_ = displacement;
      length_ = blocklength;
    }
    // Displacements in elements are compared as such: their bytes may not fit.
    end_ = displacement_ + (unit_ == Unit::bytes ? length_ * oldtype.extent() : length_);
  }

  Engine finish() {
    if (pending_ == nullptr) return nothing();
    flush();
    return type_;
  }

 private:
  void flush() {
    if (pending_ == nullptr) return;
    const Wrapping extent = pending_->extent();
    add(type_, *pending_, {length_, unit_ == Unit::bytes ? displacement_ : displacement_ * extent, extent});
  }

  Unit unit_;
  Counting counting_;
  Engine type_;
  const Engine* pending_ = nullptr;
  Wrapping displacement_, length_, end_;
};

/// An array of which `part` is taken has its bounds said, whatever the part's are.
Engine part_of_array(const Engine& part, Wrapping displacement, Wrapping extent) {
  Engine type;
  add(type, part, {1, displacement, part.extent()});
  resize(type, 0, extent);
  return type;
}

/// One dimension of a distributed array.
struct Dimension {
  Wrapping size, argument, processes, coordinate;
  Wrapping stride;  // of its elements, in bytes
  Habits habits;

  Wrapping extent() const { return stride * size; }
  Wrapping counted(Wrapping elements) const { return ddtscope::counted(elements, habits.darray_elements); }
};

/// What a process owns of a dimension, and the element where that begins; 0 where it owns nothing.
struct Owned {
  Engine type;
  Wrapping first;
};

enum class Position { fastest, slower };

Owned block_distributed(const Dimension& d, Position position, const Engine& oldtype) {
  const Wrapping first = d.counted(d.argument * d.coordinate);
  const Wrapping mine = std::max(std::min(d.argument, d.counted(d.size - first)), Wrapping(0));
  Engine type = position == Position::fastest ? contiguous(mine, oldtype)
                                              : hvector({mine, 1, d.stride}, oldtype, d.habits.hvector_copies);
  resize(type, 0, d.extent());
  return {type, mine == 0 ? 0 : first};
}

Owned cyclically_distributed(const Dimension& d, const Engine& oldtype) {
  const Wrapping first = d.counted(d.coordinate * d.argument);
  const Wrapping round = d.counted(d.processes * d.argument);
  Wrapping mine = 0;
  if (first < d.size && round > 0) {  // the library would divide by a round that has wrapped to 0
    const Wrapping rest = d.counted(d.size - first);
    mine = d.counted(rest / round * d.argument) + std::min(rest % round, d.argument);
  }
  const Wrapping block = std::max(d.argument, Wrapping(1));
  const Wrapping whole = mine / block;
  const Wrapping partial = mine % block;
  const Wrapping stride = round * d.stride;
  Engine type = hvector({whole, d.argument, stride}, oldtype, d.habits.hvector_copies);
  if (partial != 0) {
    Engine both;
    add(both, type, {1, 0, type.extent()});
    add(both, oldtype, {partial, whole * stride, oldtype.extent()});
    type = both;
  }
  resize(type, 0, d.extent());
  return {type, mine == 0 ? 0 : first};
}

class OpenMpiRule : public LibraryRule {
 public:
  OpenMpiRule(const DefinitionStore& store, BoundsModel model) : store_(store), habits_(habits_of(model)) {}

  Bounds add(DefinitionId id) override {
    types_.push_back(made(store_[id]));
    const Engine& type = types_.back();
    Bounds bounds;
    // The size is unsigned; MPI_Type_size_x says MPI_UNDEFINED where an MPI_Count cannot hold it. Bounds are never said
    // to be undefined.
    bounds.size = type.size < 0 ? Exact::unfit() : Exact(type.size.value());
    bounds.lb = type.lb.value();
    bounds.extent = type.extent().value();
    bounds.ub = bounds.lb + bounds.extent;  // no call answers with an upper bound
    bounds.true_lb = type.true_lb.value();
    bounds.true_extent = (type.true_ub - type.true_lb).value();
    bounds.true_ub = bounds.true_lb + bounds.true_extent;
    return bounds;
  }

 private:
  const Engine& of(DefinitionId id) const { return types_[id.value]; }

  Engine made(const Definition& definition) const {
    const ConstructorCall& call = definition.call;
    const auto& s = call.scalars;
    const auto& a = call.arrays;
    const auto old = [&]() -> const Engine& { return of(call.datatypes[0]); };
    switch (call.combiner) {
      case Combiner::named:
        return predefined(store_.predefined()[definition.predefined]);
      case Combiner::f90_real:
      case Combiner::f90_complex:
      case Combiner::f90_integer: {
        const std::optional<PredefinedId> type = store_.predefined().find(f90_name(call));
        return type ? predefined(store_.predefined()[*type]) : nothing();
      }
      case Combiner::dup:
        return old();
      case Combiner::contiguous:
        return contiguous(s[0], old());
      case Combiner::vector:
        return vector(s[0], s[1], s[2], old());
      case Combiner::hvector:
        return hvector({s[0], s[1], s[2]}, old(), habits_.hvector_copies);
      // With lengths of their own the blocks of an empty type are nothing; with one length for all they are something.
      case Combiner::indexed:
        return old().empty() ? nothing() : indexed({a[1], Unit::elements, &a[0], 0}, old());
      case Combiner::hindexed:
        return old().empty() ? nothing() : indexed({a[1], Unit::bytes, &a[0], 0}, old());
      case Combiner::indexed_block:
        return indexed({a[0], Unit::elements, nullptr, s[1]}, old());
      case Combiner::hindexed_block:
        return indexed({a[0], Unit::bytes, nullptr, s[1]}, old());
      case Combiner::structure:
        return structure(call);
      case Combiner::subarray:
        return subarray(call, old());
      case Combiner::darray:
        return darray(call, old());
      case Combiner::resized: {
        Engine type = old();
        resize(type, s[0], s[1]);
        return type;
      }
      case Combiner::value_index:
        return value_and_index(old(), of(call.datatypes[1]));
    }
    return nothing();
  }

  Engine predefined(const PredefinedType& type) const {
    Engine engine;
    engine.size = type.size;
    engine.lb = 0;
    engine.ub = type.extent;
    engine.true_lb = 0;
    engine.true_ub = type.size;
    engine.alignment = std::max<std::int64_t>(type.alignment, 1);
    if (type.kind == PredefinedKind::pair) {
      const std::optional<PredefinedId> second = store_.predefined().find(type.second);
      if (second) engine.true_ub = type.second_displacement + store_.predefined()[*second].size;
    }
    engine.has_lb_marker = type.kind == PredefinedKind::lb_marker;
    engine.has_ub_marker = type.kind == PredefinedKind::ub_marker;
    return engine;
  }

  struct Placed {
    const IntegerArray& displacements;
    Unit unit;
    const IntegerArray* blocklengths;  // one for all where it is null
    std::int64_t blocklength;
  };

  static Engine indexed(const Placed& placed, const Engine& oldtype) {
    Blocks blocks(placed.unit, Counting::in_64_bits);
    for (std::size_t i = 0; i < placed.displacements.length; ++i) {
      const std::int64_t blocklength = placed.blocklengths != nullptr ? (*placed.blocklengths)[i] : placed.blocklength;
      if (blocklength != 0) blocks.add_block(oldtype, blocklength, placed.displacements[i]);
    }
    return blocks.finish();
  }

  Engine structure(const ConstructorCall& call) const {
    Blocks blocks(Unit::bytes, habits_.struct_blocks);
    for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
      blocks.add_block(of(call.datatypes[i]), call.arrays[0][i], call.arrays[1][i]);
    }
    return blocks.finish();
  }

  /// The library has no such constructor; it would make this of the struct.
  static Engine value_and_index(const Engine& value, const Engine& index) {
    const Wrapping over = value.true_ub % index.alignment;
    Engine type;
    ddtscope::add(type, value, {1, 0, value.extent()});
    ddtscope::add(type, index, {1, value.true_ub + (over == 0 ? 0 : index.alignment - over), index.extent()});
    return type;
  }

  Engine subarray(const ConstructorCall& call, const Engine& oldtype) const {
    const IntegerArray& sizes = call.arrays[0];
    const IntegerArray& subsizes = call.arrays[1];
    const IntegerArray& starts = call.arrays[2];
    const std::size_t ndims = sizes.length;
    const Wrapping extent = oldtype.extent();
    Engine part = oldtype;
    Wrapping elements = 1;  // of the dimensions done so far
    Wrapping start = 0;
    for (std::size_t i = 0; i < ndims; ++i) {
      const std::size_t d = dimension_from_fastest(i, ndims, call.scalars[1], store_.constants());
      if (i == 0 && ndims > 1) {
        // The two fastest dimensions are one vector.
        const std::size_t next = dimension_from_fastest(1, ndims, call.scalars[1], store_.constants());
        part = vector(subsizes[next], subsizes[d], sizes[d], oldtype);
      } else if (i == 0) {
        part = contiguous(subsizes[d], oldtype);
      } else if (i > 1) {
        part = hvector({subsizes[d], 1, elements * extent}, part, habits_.hvector_copies);
      }
      start += elements * starts[d];
      elements *= sizes[d];
    }
    return part_of_array(part, start * extent, elements * extent);
  }

  Engine darray(const ConstructorCall& call, const Engine& oldtype) const {
    using Kind = DistributedDimension::Kind;
    Engine type = oldtype;
    Wrapping stride = oldtype.extent();
    Wrapping start = 0;
    Position position = Position::fastest;
    for (const DistributedDimension& dimension : distributed_dimensions(call, store_.constants())) {
      const bool is_cyclic = dimension.kind == Kind::cyclic;
      Dimension d = {dimension.size, dimension.argument.value_or(1), dimension.processes, dimension.coordinate, stride,
                     habits_};
      if (!is_cyclic && (!dimension.argument || dimension.kind == Kind::none)) {
        d.argument = quotient(d.counted(d.size + d.processes - 1), d.processes, habits_.darray_elements);
      }
      const Owned owned = is_cyclic ? cyclically_distributed(d, type) : block_distributed(d, position, type);
      type = owned.type;
      start += owned.first * stride;
      stride = d.extent();
      position = Position::slower;
    }
    return part_of_array(type, start, stride);
  }

  const DefinitionStore& store_;
  Habits habits_;
  std::vector<Engine> types_;  // by DefinitionId
};

}  // namespace

std::unique_ptr<LibraryRule> make_openmpi_rule(const DefinitionStore& store, BoundsModel model) {
  return std::make_unique<OpenMpiRule>(store, model);
}

}  // namespace ddtscope
