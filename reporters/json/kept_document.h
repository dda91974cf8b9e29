// Documents of JSON that stay beside a trace: what they say of themselves, and a list.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "reporters/json/json.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// A kind of such documents.
struct KeptDocument {
  const char* file;    // its name in the trace's folder
  const char* format;  // its member of this name
  int version;         // the newest that is read, and the one that is written
  const char* list;    // the member that has its items
  const char* what;    // "file of symbols": what another file is none of
  const char* advice;  // the end of a sentence on one that cannot be read: what to do about it
};

/// Calls `take` with each item. Where the file cannot be read, or `take` throws, what to do about it, as a sentence; no
/// file is no damage.
std::optional<std::string> read_kept_document(const std::filesystem::path& folder, const KeptDocument& kind,
                                              const std::function<void(const Json& item)>& take);

/// Writes it anew. Where that does not succeed, why; the file is as it was before.
std::optional<TraceProblem> write_kept_document(const std::filesystem::path& folder, const KeptDocument& kind,
                                                const Job& job, std::span<const Json> items);

}  // namespace ddtscope::reporters
