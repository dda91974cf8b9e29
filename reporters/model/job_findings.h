// All findings of a job, about its types and about what was done with them: one vocabulary, one order, one filter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/findings/finding_kinds.h"
#include "decoder/findings/findings.h"
#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/model/message_comparison.h"

namespace ddtscope::reporters {

/// The second party of a finding, such as the receiver of a message.
struct OtherParty {
  std::optional<DefinitionId> type;
  std::string_view called, argument;
  RankRanges ranks;
  std::optional<FrameIndex> site;
};

/// A finding and its place in the job.
struct JobFinding {
  const FindingKind* kind;
  Severity severity;
  std::string message;               // what, with the numbers of this one
  std::string advice;                // what to do
  std::optional<DefinitionId> type;  // made or predefined; empty for calls that had none
  std::string_view called;           // the entry point, text of the job's; empty where it is not known
  std::string_view argument;         // the standard's parameter; empty where it is about no argument
  RankRanges ranks;
  std::uint64_t count = 0;                       // how often; of types, how many lives
  std::vector<std::optional<FrameIndex>> sites;  // the one where most of it was, first; empty: not known
  std::optional<OtherParty> other;

  std::optional<FrameIndex> site() const { return sites.empty() ? std::nullopt : sites.front(); }
};

/// Those that only the whole job tells: of call sites and of calls. Each kind in the order of its weight.
std::vector<JobFinding> findings_of_job(const Job& job, const MessageComparison& messages);

/// Of collective operations.
std::vector<JobFinding> findings_of_collectives(const Job& job, const CollectiveComparison& comparison);

/// Of the buffers that a trace tells, how many are known variables of the program, or lead from known pointers.
struct KnownBuffers {
  std::uint64_t recorded = 0, known = 0;
  /// Of those that are not known, though the program's file has debugging information: in a function's frame, and in
  /// memory that was allocated. Not kept with a trace.
  std::uint64_t unknown_in_frames = 0, unknown_allocated = 0;
};

/// What was found by something besides the trace.
struct DrawnFindings {
  std::vector<JobFinding> findings;
  std::vector<std::string> remarks = {};               // sentences on what could not be looked at
  std::optional<KnownBuffers> buffers = std::nullopt;  // none where they were not recorded
};

/// All that only the whole job tells: of call sites, calls, messages, collective operations and windows.
DrawnFindings findings_of_whole_job(const Job& job, Analysis& analysis);

/// What is to be left out.
struct FindingFilter {
  std::set<FindingId> ignored;
  /// Whether a finding of the kind at the call site is not wanted; empty where all are.
  std::function<bool(const FindingKind& kind, FrameIndex site)> is_suppressed = {};
};

/// The findings that a filter leaves. What they are about types is looked for anew when it is told: only which there
/// are is kept.
class JobFindings {
 public:
  struct LeftOut {
    std::uint64_t ignored = 0, suppressed = 0;
    std::uint64_t all() const { return ignored + suppressed; }
  };
  using See = std::function<void(const JobFinding& finding)>;

  /// A summary looks for what types tell by themselves in at most so many definitions: it must stay quick.
  static constexpr std::size_t summary_limit = 10000;
  enum class AskedTypes : std::uint8_t { all, as_in_summary };

  /// Job and analysis must outlive it.
  JobFindings(const Job& job, Analysis& analysis, FindingFilter filter = {}, DrawnFindings more = {},
              AskedTypes asked = AskedTypes::all);
  /// For a summary.
  static JobFindings of_summary(const Job& job, Analysis& analysis, const DrawnFindings* more) {
    return {job, analysis, {}, more != nullptr ? *more : DrawnFindings{}, AskedTypes::as_in_summary};
  }

  /// Whether what types tell by themselves is here.
  bool has_types() const { return has_types_; }

  const std::vector<std::string>& remarks() const { return remarks_; }
  const std::optional<KnownBuffers>& buffers() const { return buffers_; }

  const FindingCounts& counts() const { return counts_; }
  /// Of one kind with one severity.
  std::uint64_t number_of(Severity severity, FindingId id) const { return numbers_[index_of(severity)][index_of(id)]; }
  const LeftOut& left_out() const { return left_out_; }
  bool any_from(Severity least) const;
  struct Limits {
    std::uint64_t all = UINT64_MAX, of_kind = UINT64_MAX;
  };
  /// Those of one severity: errors and warnings by kind, then by type; of notes first those of the job, then by type.
  /// What is beyond the limits is not looked for.
  void each(Severity severity, const See& see, Limits limits);
  void each(Severity severity, const See& see) { each(severity, see, Limits()); }
  /// Those that only the whole job tells, worst first. What types tell by themselves, Analysis::findings() has.
  const std::vector<JobFinding>& of_job() const { return of_job_; }

 private:
  struct OfType {
    Severity severity;
    FindingId id;
    TypeNumber type;
  };

  static std::size_t index_of(Severity severity) { return static_cast<std::size_t>(severity); }
  static std::size_t index_of(FindingId id) { return static_cast<std::size_t>(id); }
  /// Counts it, or what it is left out for.
  bool is_wanted(const FindingKind& kind, Severity severity, const std::vector<std::optional<FrameIndex>>& sites);
  JobFinding finding_of(const OfType& place);

  const Job& job_;
  Analysis& analysis_;
  FindingFilter filter_;
  bool has_types_;
  FindingCounts counts_;
  std::array<std::array<std::uint64_t, finding_kind_count>, 3> numbers_{};
  LeftOut left_out_;
  std::vector<JobFinding> of_job_;  // sorted
  std::vector<std::string> remarks_;
  std::optional<KnownBuffers> buffers_;
  std::vector<OfType> of_types_;  // sorted
};

}  // namespace ddtscope::reporters
