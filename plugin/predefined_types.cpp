// The predefined datatypes of the running library, with their sizes and parts.
#include "plugin/predefined_types.h"

#include <algorithm>

#include "plugin/library.h"

namespace ddtscope::plugin {

std::vector<PredefinedHandle> predefined_types(LibraryQueries& queries) {
  std::vector<PredefinedHandle> result;
  const auto size_of = [&](std::string_view name) -> std::int64_t {
    const std::optional<MPI_Datatype> handle = predefined_handle(name);
    return handle ? queries.bounds(bits_of(*handle)).size.value_or(0) : 0;
  };
  for (const std::string_view name : predefined_handle_names()) {
    const std::optional<MPI_Datatype> handle = predefined_handle(name);
    const PredefinedName* known = find_predefined_name(name);
    if (!handle) continue;
    const ObservedBounds bounds = queries.bounds(bits_of(*handle));
    PredefinedType type;
    type.name = known ? known->canonical : name;  // a library's own types are basic
    type.kind = known ? known->kind : PredefinedKind::basic;
    type.size = bounds.size.value_or(0);
    type.extent = bounds.extent.value_or(0);
    const bool marker = type.kind == PredefinedKind::lb_marker || type.kind == PredefinedKind::ub_marker;
    if (type.size == 0 && !marker) continue;  // exported, but the machine has no such type
    type.alignment = natural_alignment(type.name, type.size);
    if (type.kind == PredefinedKind::pair) {
      type.first = known->first;
      type.second = known->second;
      const std::int64_t first_size = size_of(type.first);
      const std::int64_t second_alignment = natural_alignment(type.second, size_of(type.second));
      type.second_displacement = (first_size + second_alignment - 1) / second_alignment * second_alignment;
      type.alignment = std::max(natural_alignment(type.first, first_size), second_alignment);
    }
    result.push_back({bits_of(*handle), std::move(type)});
  }
  // Pairs are laid out from their parts, which must come first.
  std::stable_sort(result.begin(), result.end(), [](const PredefinedHandle& a, const PredefinedHandle& b) {
    return (a.type.kind == PredefinedKind::pair) < (b.type.kind == PredefinedKind::pair);
  });
  return result;
}

}  // namespace ddtscope::plugin
