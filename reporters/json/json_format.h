// All that the command answers, as JSON.
#pragma once

#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

class JsonFormat : public ReportFormat {
 public:
  std::string_view name() const override { return "json"; }
  void summary(std::ostream& out, const ReportContext& context) const override;
  void types(std::ostream& out, const ReportContext& context, TypesOrder order) const override;
  void layout_groups(std::ostream& out, const ReportContext& context) const override;
  void uses(std::ostream& out, const ReportContext& context, const UsesQuery& query) const override;
  void check(std::ostream& out, const ReportContext& context, JobFindings& findings) const override;
  void show(std::ostream& out, const ReportContext& context, const ShowOptions& options) const override;
  void explanation(std::ostream& out, const FindingKind& kind) const override;
  void finding_kinds(std::ostream& out) const override;
  void match(std::ostream& out, const TypeMatch& match) const override;
  void pending(std::ostream& out, const ReportContext& context, const WaitingRanks& waiting) const override;
  void measurement(std::ostream& out, const Job& job, const Measurement& measurement) const override;
  void diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) const override;
};

}  // namespace ddtscope::reporters
