// `ddtscope check --sarif`: findings as SARIF 2.1.0 (OASIS), which code hosts and editors show at the lines they are
// about.
#pragma once

#include "reporters/json/json_format.h"

namespace ddtscope::reporters {

/// JSON as the command prints it, but for check.
class SarifFormat final : public JsonFormat {
 public:
  std::string_view name() const override { return "sarif"; }
  void check(std::ostream& out, const ReportContext& context, JobFindings& findings) const override;
};

}  // namespace ddtscope::reporters
