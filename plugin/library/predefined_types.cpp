// The predefined datatypes of the running library, with their sizes and parts.
#include "plugin/library/predefined_types.h"

#include <algorithm>

#include "plugin/library/library.h"

namespace ddtscope::plugin {

std::vector<PredefinedHandle> predefined_types(LibraryQueries& queries) {
  std::vector<PredefinedHandle> result;
  const auto size_of = [&](std::string_view name) -> std::int64_t {
    const std::optional<MPI_Datatype> handle = predefined_handle(name);
    return handle ? queries.bounds(bits_of(*handle)).size.value_or(0) : 0;
  };
  for (const std::string_view name : predefined_handle_names()) {
    const std::optional<MPI_Datatype> handle = predefined_handle(name);
    if (!handle) continue;
    const ObservedBounds bounds = queries.bounds(bits_of(*handle));
    PredefinedType type = described_predefined(name, bounds.size.value_or(0), bounds.extent.value_or(0), size_of);
    const bool marker = type.kind == PredefinedKind::lb_marker || type.kind == PredefinedKind::ub_marker;
    if (type.size == 0 && !marker) continue;  // exported, but the machine has no such type
    result.push_back({bits_of(*handle), std::move(type)});
  }
  // Pairs are laid out from their parts, which must come first.
  std::stable_sort(result.begin(), result.end(), [](const PredefinedHandle& a, const PredefinedHandle& b) {
    return (a.type.kind == PredefinedKind::pair) < (b.type.kind == PredefinedKind::pair);
  });
  return result;
}

}  // namespace ddtscope::plugin
