// DDTSCOPE_VERIFY: compares ddtscope's decoding of a new definition with the library's own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decoder/layout/layout.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// The definition of a handle that is live or predefined; empty for one that the library just made.
using KnownHandles = std::function<std::optional<DefinitionId>(HandleBits)>;

/// What the library says of a type.
struct LibraryAnswers {
  std::optional<DecodedType> decoded;
  std::string problem;                            // where it is not
  std::vector<std::optional<Envelope>> children;  // of each of its datatypes
};
LibraryAnswers ask_library(HandleBits handle, LibraryQueries& library);
/// Releases the derived handles among the answers.
void give_back(const LibraryAnswers& answers, LibraryQueries& library);

/// Envelope, contents, size, extent and true extent of the definition `id` as both sides see them. Empty where they
/// agree. Nothing is asked of the library; its observed bounds stand in the layouts.
std::vector<DifferenceRecord> differences(const Layouts& layouts, DefinitionId id, const LibraryAnswers& answers,
                                          const KnownHandles& known);

}  // namespace ddtscope::plugin
