// The accessors of the 1995 proposal: each type as blocks of older types, in its conventions.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "decoder/c_api/context.h"
#include "decoder/layout/layout.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

/// What MPI_Type_elements gives. Arrays hold what the combiner speaks of, and no more than was asked for.
struct Elements {
  int combiner = DDTSCOPE_BASIC;
  std::int64_t count = 1;
  std::vector<std::int64_t> blocklengths;
  std::vector<std::int64_t> displacements;
  std::vector<DefinitionId> types;
};

Status too_large(const char* what) { return {DDTSCOPE_ERR_VALUE_TOO_LARGE, std::string(what) + " does not fit"}; }

/// Arrays have bounds of their own, and copies of the oldtype at several distances: the layout's nodes tell them
/// all, and are put into constructor calls of 1995.
class ArrayParts {
 public:
  ArrayParts(ddtscope_context& context, const Layouts& layouts, DefinitionId oldtype)
      : context_(context), layouts_(layouts), oldtype_(oldtype) {
    known_[layouts.root(oldtype).value] = oldtype;
  }

  /// A type with the node's typemap.
  Status type_of(LayoutId root, DefinitionId& type) {
    std::vector<LayoutId> open = {root};
    while (!open.empty()) {
      const LayoutId top = open.back();
      bool complete = true;
      for (const LayoutId child : children_of(layouts_[top])) {
        if (known_.contains(child.value)) continue;
        open.push_back(child);
        complete = false;
      }
      if (!complete) continue;
      open.pop_back();
      if (known_.contains(top.value)) continue;
      if (Status status = make(layouts_[top], known_[top.value]); status.failed()) return status;
    }
    type = known_[root.value];
    return {};
  }

 private:
  std::vector<LayoutId> children_of(const LayoutNode& node) const {
    std::vector<LayoutId> children;
    if (node.kind == LayoutKind::repeat) children.push_back(node.child);
    if (node.kind == LayoutKind::parts) {
      for (std::size_t i = 0; i < node.part_count; ++i) children.push_back(node.part(i).child);
    }
    return children;
  }

  Status make(const LayoutNode& node, DefinitionId& type) {
    if (node.kind == LayoutKind::repeat) return repeat(node, type);
    if (node.kind == LayoutKind::parts) return parts(node, type);
    ConstructorCall nothing;
    nothing.combiner = Combiner::contiguous;
    nothing.datatypes = {&oldtype_, 1};
    return context_.intern(nothing, type);
  }

  Status repeat(const LayoutNode& node, DefinitionId& type) {
    const std::optional<std::int64_t> count = node.count.to_int64();
    const std::optional<std::int64_t> stride = node.stride.to_int64();
    if (!count || !stride) return too_large("a stride");
    ConstructorCall call;
    call.combiner = Combiner::hvector;
    call.form = *count > std::numeric_limits<std::int32_t>::max() ? Form::large_counts : Form::int_counts;
    call.scalars = {*count, 1, *stride, 0};
    const DefinitionId child = known_.at(node.child.value);
    call.datatypes = {&child, 1};
    return context_.intern(call, type);
  }

  Status parts(const LayoutNode& node, DefinitionId& type) {
    std::vector<std::int64_t> displacements;
    std::vector<DefinitionId> types;
    for (std::size_t i = 0; i < node.part_count; ++i) {
      const LayoutPart part = node.part(i);
      const std::optional<std::int64_t> displacement = part.displacement.to_int64();
      if (!displacement) return too_large("a displacement");
      displacements.push_back(*displacement);
      types.push_back(known_.at(part.child.value));
    }
    if (types.size() == 1 && displacements[0] == 0) {
      type = types[0];
      return {};
    }
    const std::vector<std::int32_t> blocklengths(types.size(), 1);
    ConstructorCall call;
    call.combiner = Combiner::structure;
    call.scalars[0] = static_cast<std::int64_t>(types.size());
    call.arrays[0] = IntegerArray(std::span<const std::int32_t>(blocklengths));
    call.arrays[1] = IntegerArray(std::span<const std::int64_t>(displacements));
    call.datatypes = types;
    return context_.intern(call, type);
  }

  ddtscope_context& context_;
  const Layouts& layouts_;
  const DefinitionId oldtype_;
  std::unordered_map<std::uint32_t, DefinitionId> known_;  // by layout node
};

/// Where a type with bounds of its own begins and ends.
struct Markers {
  Exact lb, extent;
};

/// A type with bounds of its own, between its markers.
Status resized(ddtscope_context& context, DefinitionId inner, const Markers& markers, Elements& elements) {
  const std::optional<std::int64_t> lower = markers.lb.to_int64();
  const std::optional<std::int64_t> upper = (markers.lb + markers.extent).to_int64();
  if (!lower || !upper) return too_large("a bound");
  elements.blocklengths = {1, 1, 1};
  elements.displacements = {*lower, 0, *upper};
  elements.types = {*context.predefined("MPI_LB"), inner, *context.predefined("MPI_UB")};
  return {};
}

std::vector<std::int64_t> first_values(const IntegerArray& array, std::int64_t most) {
  std::vector<std::int64_t> values(std::min(array.length, static_cast<std::size_t>(most)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = array[i];
  return values;
}

/// The elements that an array's type chooses, with the bounds of the whole array.
Status elements_of_array(ddtscope_context& context, DefinitionId id, Elements& elements) {
  ddtscope_context::View* view = nullptr;
  if (Status status = context.view(DDTSCOPE_RULE_STANDARD, view); status.failed()) return status;
  const Layouts& layouts = view->layouts;
  const Bounds& bounds = layouts.computed(id);
  DefinitionId inner;
  ArrayParts array(context, layouts, context.store()[id].call.datatypes[0]);
  if (Status status = array.type_of(layouts.root(id), inner); status.failed()) return status;
  return resized(context, inner, {bounds.lb, bounds.extent}, elements);
}

/// A value and its index, where the standard's layout puts it.
Status elements_of_pair(ddtscope_context& context, DefinitionId id, Elements& elements) {
  elements.combiner = DDTSCOPE_STRUCT;
  elements.count = 2;
  ddtscope_context::View* view = nullptr;
  if (Status status = context.view(DDTSCOPE_RULE_STANDARD, view); status.failed()) return status;
  const Layouts& layouts = view->layouts;
  const std::optional<std::int64_t> index = layouts[layouts.root(id)].part(1).displacement.to_int64();
  if (!index) return too_large("the index's displacement");
  const ConstructorCall& call = context.store()[id].call;
  elements.blocklengths = {1, 1};
  elements.displacements = {0, *index};
  elements.types = {call.datatypes[0], call.datatypes[1]};
  return {};
}

/// Looks at `most` elements only.
Status elements_of(ddtscope_context& context, DefinitionId id, std::int64_t most, Elements& elements) {
  const ConstructorCall& call = context.store()[id].call;
  const auto& s = call.scalars;
  const auto& a = call.arrays;
  if (!call.datatypes.empty()) elements.types = {call.datatypes[0]};
  switch (call.combiner) {
    case Combiner::named:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
      elements.types = {id};
      return {};
    case Combiner::dup:
      elements.combiner = DDTSCOPE_CONTIG;
      elements.blocklengths = {1};
      return {};
    case Combiner::contiguous:
      elements.combiner = DDTSCOPE_CONTIG;
      elements.blocklengths = {s[0]};
      return {};
    case Combiner::vector:
    case Combiner::hvector:
      elements.combiner = call.combiner == Combiner::vector ? DDTSCOPE_VECTOR : DDTSCOPE_HVECTOR;
      elements.count = s[0];
      elements.blocklengths = {s[1]};
      elements.displacements = {s[2]};
      return {};
    case Combiner::indexed:
    case Combiner::hindexed:
      elements.combiner = call.combiner == Combiner::indexed ? DDTSCOPE_INDEXED : DDTSCOPE_HINDEXED;
      elements.count = s[0];
      elements.blocklengths = first_values(a[0], most);
      elements.displacements = first_values(a[1], most);
      return {};
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      elements.combiner = call.combiner == Combiner::indexed_block ? DDTSCOPE_INDEXED : DDTSCOPE_HINDEXED;
      elements.count = s[0];
      elements.displacements = first_values(a[0], most);
      elements.blocklengths.assign(elements.displacements.size(), s[1]);
      return {};
    case Combiner::structure:
      elements.combiner = DDTSCOPE_STRUCT;
      elements.count = s[0];
      elements.blocklengths = first_values(a[0], most);
      elements.displacements = first_values(a[1], most);
      elements.types.assign(call.datatypes.begin(),
                            call.datatypes.begin() + static_cast<std::ptrdiff_t>(elements.blocklengths.size()));
      return {};
    case Combiner::resized:
      elements.combiner = DDTSCOPE_RESIZED;
      elements.count = 3;
      return most == 0 ? Status() : resized(context, call.datatypes[0], {Exact(s[0]), Exact(s[1])}, elements);
    case Combiner::subarray:
    case Combiner::darray:
      elements.combiner = DDTSCOPE_RESIZED;
      elements.count = 3;
      return most == 0 ? Status() : elements_of_array(context, id, elements);
    case Combiner::value_index:
      return elements_of_pair(context, id, elements);
  }
  return {};
}

template <class Value, class Convert>
void put(const std::vector<Value>& values, std::int64_t room, auto* array, Convert convert) {
  const std::size_t number = std::min(values.size(), static_cast<std::size_t>(room));
  for (std::size_t i = 0; i < number; ++i) array[i] = convert(values[i]);
}

}  // namespace

int ddtscope_type_count(ddtscope_context* context, ddtscope_datatype datatype, int64_t* count) {
  return call(__func__, context, [&](ddtscope_context& c) {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    if (Status status = require(count, "count"); status.failed()) return status;
    Elements elements;
    if (Status status = elements_of(c, id, 0, elements); status.failed()) return status;
    *count = elements.count;
    return Status();
  });
}

int ddtscope_type_elements(ddtscope_context* context, ddtscope_datatype datatype, int64_t* count, int* combiner,
                           int64_t array_of_blocklengths[], int64_t array_of_displacements[],
                           ddtscope_datatype array_of_types[]) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    if (Status status = require(count, "count"); status.failed()) return status;
    if (Status status = require(combiner, "combiner"); status.failed()) return status;
    const std::int64_t room = *count;
    if (room < 0) return {DDTSCOPE_ERR_COUNT, "*count (" + std::to_string(room) + ") is negative"};
    if (room > 0 && (!array_of_blocklengths || !array_of_displacements || !array_of_types)) {
      return {DDTSCOPE_ERR_ARG, "an array is NULL"};
    }
    Elements elements;
    if (Status status = elements_of(c, id, room, elements); status.failed()) return status;
    const auto as_it_is = [](std::int64_t value) { return value; };
    put(elements.blocklengths, room, array_of_blocklengths, as_it_is);
    put(elements.displacements, room, array_of_displacements, as_it_is);
    put(elements.types, room, array_of_types, [&](DefinitionId type) { return c.handle(type); });
    *count = std::min(room, elements.count);
    *combiner = elements.combiner;
    return {};
  });
}
