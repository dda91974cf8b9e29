// The findings about what was done with types, for findings_of_job().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reporters/model/job_findings.h"

namespace ddtscope::reporters {

/// What a finding takes over: type, argument, ranks, count and place; of two arguments the other one, too.
JobFinding finding_about(const CallFinding& found);
JobFinding finding_about(const TypeUse& use);
/// A sentence that says how often, behind a blank; none of what was once. Of a process that was killed not all are
/// known.
std::string repetition(const Job& job, std::uint64_t count);
/// It was on these ranks, too; so was its second party, which is the same process.
void join_ranks(JobFinding& finding, const RankRanges& more);

/// What the processes found wrong with their calls, before the library got them.
std::vector<JobFinding> findings_of_calls(const Job& job);
/// Of pairs of arguments that they saw those that are wrong together.
std::vector<JobFinding> findings_of_pairs(const Job& job);
/// And whose types do not fit each other.
std::vector<JobFinding> findings_of_mismatches(const Job& job);
/// File views that the standard forbids.
std::vector<JobFinding> findings_of_views(const Job& job);
/// What the comparison of both sides of messages tells.
std::vector<JobFinding> findings_of_messages(const Job& job, const MessageComparison& comparison);
/// What one-sided calls reach beyond their targets' windows; and what of them could not be judged, in sentences.
DrawnFindings findings_of_windows(const Job& job);
/// One-sided calls of one epoch that touch the same bytes; and what of them could not be judged, in sentences.
DrawnFindings findings_of_epochs(const Job& job);
/// What the counted uses tell.
std::vector<JobFinding> findings_of_uses(const Job& job);

}  // namespace ddtscope::reporters
