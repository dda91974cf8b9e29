// Where the library and ddtscope differ, and what the program left behind.
#include <algorithm>

#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope {

void report_check(std::ostream& out, const ReportContext& context) {
  const Job& job = context.job;
  const auto verified = static_cast<std::size_t>(
      std::count_if(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.verify; }));
  for (const JobDifference& difference : job.differences) {
    out << context.style(Role::warning, text_of(difference.type) + " " + printable(difference.subject))
        << ": ddtscope says " << printable(difference.computed) << ", the library " << printable(difference.library)
        << "  " << call_of(job, difference.type)
        << (difference.ranks.empty() ? "" : " (" + words_of(difference.ranks) + ")") << "\n";
  }
  if (!job.differences.empty()) {
    out << counted(static_cast<std::uint64_t>(job.differences.size()), "difference", "differences")
        << " between ddtscope and the library\n";
  } else if (verified == job.ranks.size()) {
    out << "No differences between ddtscope and the library in "
        << counted(static_cast<std::uint64_t>(job.types.size()), "definition", "definitions") << ".\n";
  } else if (verified == 0) {
    out << "Nothing was verified: record with `ddtscope exec --verify` (DDTSCOPE_VERIFY=1) to compare with the "
           "library.\n";
  } else {
    out << "No differences on the ranks that verified; " << job.ranks.size() - verified << " of " << job.ranks.size()
        << " did not.\n";
  }
  if (!job.complete()) {
    out << "The trace is " << completeness(job) << ".\n";
  }
  report_left_behind(out, context);
}

}  // namespace ddtscope
