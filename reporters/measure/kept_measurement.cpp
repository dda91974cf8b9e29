#include "reporters/measure/kept_measurement.h"

#include <algorithm>

namespace ddtscope::reporters {

const KeptMeasurement* measured_for(const ReportContext& context, const JobFinding& finding) {
  const FindingId id = id_of(*finding.kind);
  const bool is_about_costs = id == FindingId::small_blocks || id == FindingId::simpler_type;
  if (!is_about_costs || !finding.type || context.measured == nullptr) return nullptr;
  const TypeNumber number = context.job.number_of(*finding.type);
  const auto found = std::find_if(context.measured->begin(), context.measured->end(),
                                  [&](const KeptMeasurement& kept) { return kept.type.type == number; });
  return number.valid() && found != context.measured->end() ? &*found : nullptr;
}

}  // namespace ddtscope::reporters
