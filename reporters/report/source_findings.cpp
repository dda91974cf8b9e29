#include "reporters/report/source_findings.h"

#include <algorithm>
#include <utility>

#include "reporters/buffers/findings_of_buffers.h"

namespace ddtscope::reporters {

DrawnFindings source_findings(const ReportContext& context) {
  return context.kept_sources != nullptr ? *context.kept_sources : findings_of_sources(context.job);
}

std::vector<JobFinding> source_findings_of(const ReportContext& context, TypeNumber type) {
  if (context.job.rule_of_text) return {};
  std::vector<JobFinding> found = source_findings(context).findings;
  const DefinitionId definition = context.job.type(type).definition;
  std::erase_if(found, [&](const JobFinding& one) { return one.type != definition; });
  std::stable_sort(found.begin(), found.end(),
                   [](const JobFinding& a, const JobFinding& b) { return a.severity > b.severity; });
  return found;
}

}  // namespace ddtscope::reporters
