// Descends while there is one child for all copies.
#include "decoder/coverage/nest.h"

#include <algorithm>

#include "decoder/definition/even_values.h"

namespace ddtscope {
namespace {

bool has_equal_blocklengths(const LayoutNode& node) {
  return node.blocklengths.length == 0 ||
         even_values(node.blocklengths, 0, node.part_count, EvenStep::none) == node.part_count;
}

std::optional<NestList> list_of(const LayoutNode& node) {
  const std::optional<std::int64_t> unit = node.displacement_unit.to_int64();
  const std::optional<std::int64_t> extent = node.child_extent.to_int64();
  if (!unit || !extent) return std::nullopt;
  const bool is_even = has_equal_blocklengths(node);
  NestList list;
  list.extent = *extent;
  list.parts.reserve(node.part_count);
  for (std::size_t i = 0; i < node.part_count; ++i) {
    const std::int64_t blocklength = node.blocklengths.length == 0 ? node.blocklength : node.blocklengths[i];
    if (blocklength <= 0) continue;
    std::int64_t first = 0, steps = 0, last = 0;
    if (__builtin_mul_overflow(node.displacements[i], *unit, &first) ||
        (!is_even && __builtin_mul_overflow(blocklength - 1, *extent, &steps)) ||
        __builtin_add_overflow(first, steps, &last)) {
      return std::nullopt;
    }
    list.has_loops = list.has_loops || (!is_even && blocklength > 1);
    list.parts.push_back(Interval{std::min(first, last), std::max(first, last)});
  }
  if (list.parts.empty()) return std::nullopt;
  sort_by_begin(list.parts);
  return list;
}

}  // namespace

Nest nest_of(const Layouts& layouts, LayoutId root, std::size_t& work) {
  Nest nest;
  nest.inner = root;
  const auto add_loop = [&](Exact count, Exact stride) {
    if (count > Exact(1)) nest.loops.push_back(NestLoop{count, stride});
  };
  while (true) {
    const LayoutNode& node = layouts[nest.inner];
    const std::size_t steps = 1 + node.part_count / nest_arguments_per_step;
    if (node.facts.empty() || node.facts.blocks == Exact(1) || work < steps) return nest;
    work -= steps;
    if (node.kind == LayoutKind::repeat) {
      add_loop(node.count, node.stride);
      nest.inner = node.child;
      continue;
    }
    if (node.kind != LayoutKind::parts || !node.children.empty()) return nest;
    std::optional<NestList> list = list_of(node);
    if (!list) return nest;
    if (has_equal_blocklengths(node)) add_loop(node.part(0).blocklength, node.child_extent);
    if (list->parts.size() > 1 || list->has_loops) nest.lists.push_back(*std::move(list));
    std::size_t first = 0;
    while (node.part(first).blocklength <= 0) ++first;
    nest.at += node.part(first).displacement;
    nest.inner = node.child;
  }
}

}  // namespace ddtscope
