// What changed from one job to another: types are joined by where they are made and by what they are in memory, never
// by their numbers, which mean nothing from run to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "reporters/model/job_findings.h"
#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

/// Amounts that neither fit nor are known are no difference.
inline bool is_same_amount(Exact before, Exact after) {
  return before.fits() == after.fits() && (!before.fits() || before == after);
}

/// The lives of one definition that were made in one place.
struct MadeThere {
  TypeNumber type;
  std::optional<FrameIndex> site;  // one of those that read the same
  Counters counters;
  std::int64_t live = 0;
  std::uint64_t made() const { return counters.created + counters.adopted; }
};

enum class ChangeKind : std::uint8_t {
  arguments,     // the same constructor in the same place, with other arguments
  construction,  // another call in the same place, the same bytes in the same order
  moved,         // what was joined is made in another place; with one side: in one place more, or less
  added,         // nothing in the old job is like it
  removed,       // nothing in the new job is like it
  count,         // made more or less often
};
std::string_view text_of(ChangeKind kind);  // "arguments"

/// What is new or gone has one side, in the job or in the place.
struct Change {
  ChangeKind kind;
  std::optional<MadeThere> before, after;
};

/// Lives that were left at the end, where that is not as before.
struct LeakChange {
  std::optional<MadeThere> before, after;
  bool is_new() const { return after && after->live > (before ? before->live : 0); }
};

/// A finding that only one of the jobs has: about what was joined, or about a call in one place. Its type, texts and
/// sites are of that job.
struct FindingChange {
  enum class Side : std::uint8_t { added, gone };

  JobFinding finding;
  Side side = Side::added;
  bool is_new() const { return side == Side::added; }
};

/// How many definitions of each job found a counterpart, and by what.
struct Joined {
  std::uint64_t same = 0;       // the same call
  std::uint64_t by_site = 0;    // by where they are made
  std::uint64_t by_layout = 0;  // by what they are in memory
  std::uint64_t only_old = 0, only_new = 0;
};

/// What one argument of one function did with a type in one place.
struct UsedThere {
  DefinitionId type;  // a predefined one, too
  std::string_view called;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<FrameIndex> site;  // one of those that read the same
  std::uint64_t calls = 0, elements = 0;
  Exact bytes = Exact(0);
};

/// Uses of which there are more or less than before, or with other amounts.
struct UseChange {
  std::optional<UsedThere> before, after;
  bool has_other_bytes() const;
  bool has_other_calls() const;
};

struct JobDiff {
  Joined joined;
  std::vector<Change> changes;   // by kind, then as the new job has them
  bool is_made_as_often = true;  // what was joined, in all places together
  std::vector<LeakChange> leaks;
  std::vector<FindingChange> findings;  // the new ones first, the worst first within each
  bool compares_uses = false;           // both traces say all that was done with types
  std::vector<UseChange> uses;          // most bytes first
  bool is_same() const { return changes.empty() && leaks.empty() && findings.empty() && uses.empty(); }
};

struct DiffInput {
  const ReportContext& before;
  const ReportContext& after;
};

JobDiff diff_of(const DiffInput& input);

/// What `--fail-on` can name.
enum class FailOn : std::uint8_t { new_leak, new_error, new_warning, count, bytes };
std::vector<std::string> fail_on_texts();
std::optional<FailOn> fail_on_of_text(std::string_view text);  // "new-leak"
bool has(const JobDiff& diff, FailOn what);

}  // namespace ddtscope::reporters
