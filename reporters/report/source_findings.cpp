#include "reporters/report/source_findings.h"

#include "reporters/buffers/findings_of_buffers.h"

namespace ddtscope::reporters {

DrawnFindings source_findings(const ReportContext& context) {
  return context.kept_sources != nullptr ? *context.kept_sources : findings_of_sources(context.job);
}

}  // namespace ddtscope::reporters
