// DDTSCOPE_VERIFY: compares ddtscope's decoding of a new definition with the library's own.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "decoder/layout/layout.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// The definition of a handle that is live or predefined; empty for one that the library just made.
using KnownHandles = std::function<std::optional<DefinitionId>(HandleBits)>;

/// Envelope, contents, size, extent and true extent of the definition `id`, whose type is `handle`, as
/// both sides see them. Empty where they agree. Derived handles that the library returns are released.
std::vector<trace::Difference> verify(const Layouts& layouts, DefinitionId id, HandleBits handle,
                                      LibraryQueries& library, const KnownHandles& known);

}  // namespace ddtscope::plugin
