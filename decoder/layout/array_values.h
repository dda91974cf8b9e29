// Argument arrays as plain C++ arrays of their own width, for loops that must be fast.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decoder/layout/layout.h"

namespace ddtscope {

/// values(i): the i-th one.
template <class Integer>
struct ArrayValues {
  const Integer* values;
  std::int64_t operator()(std::size_t i) const { return values[i]; }
};

struct OneValue {
  std::int64_t value;
  std::int64_t operator()(std::size_t) const { return value; }
};

/// use(values), with values of the array's width.
template <class Use>
auto with_values(const IntegerArray& array, Use use) {
  if (array.width == 4) return use(ArrayValues<std::int32_t>{static_cast<const std::int32_t*>(array.data)});
  return use(ArrayValues<std::int64_t>{static_cast<const std::int64_t*>(array.data)});
}

/// Of a parts node: use(displacements, blocklengths).
template <class Use>
auto with_parts(const LayoutNode& node, Use use) {
  return with_values(node.displacements, [&](auto displacements) {
    if (node.blocklengths.length == 0) return use(displacements, OneValue{node.blocklength});
    return with_values(node.blocklengths, [&](auto blocklengths) { return use(displacements, blocklengths); });
  });
}

}  // namespace ddtscope
