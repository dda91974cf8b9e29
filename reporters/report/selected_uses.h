// Uses of datatypes that a report is to tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reporters/model/file_traffic.h"
#include "reporters/model/job.h"
#include "reporters/model/traffic.h"
#include "reporters/model/window_uses.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// In which order uses of types are told, or of what they are sums.
enum class UsesBy : std::uint8_t { bytes, calls, type, site, pair, communicator, window, file };
/// Sums of messages, by who sends them to whom, and not of uses.
constexpr bool is_of_messages(UsesBy by) { return by == UsesBy::pair || by == UsesBy::communicator; }

/// What is told only where messages are recorded: one-sided calls, too.
constexpr bool is_recorded_with_messages(UsesBy by) { return is_of_messages(by) || by == UsesBy::window; }

struct UsesQuery {
  UsesBy by = UsesBy::bytes;
  /// Empty, or a pattern with * ? and [...] of the type's id or of a name of it, of the function called, of the
  /// argument, or of what stands in the call site (SitePattern).
  std::string filter = {};
  /// Of windows: which epoch is drawn, counted from 1; else the first one with a conflict, or with any access.
  std::optional<std::uint64_t> epoch = {};
};

/// In the job's order, most bytes first, or by `calls` most calls first. Sums are not made.
std::vector<const TypeUse*> selected_uses(const Job& job, const UsesQuery& query, Symbols& symbols);
/// The messages that are asked for, in sums, of which `by` says what: most bytes first.
std::vector<Traffic> selected_traffic(const Job& job, const UsesQuery& query, Symbols& symbols);
/// The files that are asked for, by their names or by the calls that opened them, with all that was done with them; of
/// others what was accessed in them, and how they were viewed, as far as that is asked for.
std::vector<FileTraffic> selected_files(const Job& job, const UsesQuery& query, Symbols& symbols);
/// The windows in which one-sided calls that are asked for were: most bytes first.
std::vector<WindowUses> selected_windows(const Job& job, const UsesQuery& query, Symbols& symbols);

}  // namespace ddtscope::reporters
