#include "reporters/text/report.h"

namespace ddtscope::reporters {

void TextFormat::summary(std::ostream& out, const ReportContext& context) const {
  report_summary(out, {context, style_});
}

void TextFormat::types(std::ostream& out, const ReportContext& context, TypesOrder order) const {
  report_types(out, {context, style_}, order);
}

void TextFormat::layout_groups(std::ostream& out, const ReportContext& context) const {
  report_layout_groups(out, {context, style_});
}

void TextFormat::check(std::ostream& out, const ReportContext& context, JobFindings& findings) const {
  report_check(out, {context, style_}, findings);
}

void TextFormat::uses(std::ostream& out, const ReportContext& context, const UsesQuery& query) const {
  report_uses(out, {context, style_}, query);
}

void TextFormat::show(std::ostream& out, const ReportContext& context, const ShowOptions& options) const {
  report_show(out, {context, style_}, options);
}

void TextFormat::explanation(std::ostream& out, const FindingKind& kind) const {
  report_explanation(out, style_, kind);
}

void TextFormat::finding_kinds(std::ostream& out) const { report_finding_kinds(out, style_); }

void TextFormat::match(std::ostream& out, const TypeMatch& match) const { report_match(out, style_, match); }

void TextFormat::pending(std::ostream& out, const ReportContext& context, const WaitingRanks& waiting) const {
  report_pending(out, {context, style_}, waiting);
}

void TextFormat::measurement(std::ostream& out, const Job& job, const Measurement& measurement) const {
  report_measurement(out, style_, job, measurement);
}

void TextFormat::diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) const {
  report_diff(out, style_, input, diff);
}

}  // namespace ddtscope::reporters
