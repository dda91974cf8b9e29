#include "plugin/pending/type_shapes.h"

namespace ddtscope::plugin {

TypeShape shape_of(const TypeInUse& type, const ObservedBounds& bounds) {
  TypeShape shape;
  shape.number = type.number;
  shape.predefined = type.predefined;
  if (!bounds.size || !bounds.true_lb || !bounds.true_extent || !bounds.extent) return shape;
  if (__builtin_add_overflow(*bounds.true_lb, *bounds.true_extent, &shape.true_ub)) return shape;
  shape.true_lb = *bounds.true_lb;
  shape.extent = *bounds.extent;
  shape.kind = *bounds.size == 0 ? TypeShape::Extent::empty : TypeShape::Extent::bounded;
  shape.is_solid = !type.number.valid() && *bounds.size == *bounds.true_extent && shape.extent == *bounds.size;
  return shape;
}

const TypeShape* TypeShapes::find_again(TypeKey key) {
  const auto found = all_.find(key);
  if (found == all_.end()) return nullptr;
  recent_[place_of(key)] = found->second;
  return &found->second;
}

void TypeShapes::learn(const TypeShape& shape) {
  if (all_.size() >= most) all_.clear();  // those in use are asked for again
  all_.insert_or_assign(shape.key, shape);
}

}  // namespace ddtscope::plugin
