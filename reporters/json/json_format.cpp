#include "reporters/json/json_format.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reporters/json/diff_json.h"
#include "reporters/json/job_json.h"
#include "reporters/json/match_json.h"
#include "reporters/json/measure_json.h"
#include "reporters/json/pending_json.h"
#include "reporters/json/type_json.h"
#include "reporters/json/type_text.h"
#include "reporters/json/uses_json.h"
#include "reporters/model/ordered_parallel_for.h"
#include "reporters/report/source_findings.h"

namespace ddtscope::reporters {
namespace {

/// Types as an array.
void write_types(std::ostream& out, const ReportContext& context, std::span<const TypeNumber> all) {
  struct Lane {
    TypeTexts types;
    JsonText text;
  };
  const TypeTexts types(context.job, context.symbols);
  JsonText text;
  text.begin_list();
  std::vector<Lane> in_lanes(lanes, Lane{types, text.behind_an_element()});
  in_lanes[0].text = std::move(text);
  const auto write = [&](std::size_t lane, Analysis& analysis, std::span<const TypeNumber> window) {
    Lane& own = in_lanes[lane];
    if (window.data() != all.data()) own.text.forget();
    for (const TypeNumber type : window) own.types.write(own.text, type, analysis);
    return std::string(own.text.text());
  };
  context.analysis.in_windows(all, write, [&](const std::string& piece) { out << piece; });
  JsonText& last = in_lanes[0].text;
  if (!all.empty()) last.forget();
  last.end_list();
  last.end_document(out);
}

}  // namespace

void JsonFormat::summary(std::ostream& out, const ReportContext& context) const { write_summary_json(out, context); }

void JsonFormat::types(std::ostream& out, const ReportContext& context, TypesOrder order) const {
  write_types(out, context, ordered_types(context.job, order));
}

void JsonFormat::layout_groups(std::ostream& out, const ReportContext& context) const {
  write_layout_groups_json(out, context.job);
}

void JsonFormat::check(std::ostream& out, const ReportContext& context, JobFindings& findings) const {
  write_check_json(out, context, findings);
}

void JsonFormat::show(std::ostream& out, const ReportContext& context, const ShowOptions& options) const {
  Json object = type_json(context.job, options.type, context.analysis, context.symbols);
  if (options.typemap_entries) {
    add_typemap(object, context.job, options.type, *options.typemap_entries);
  }
  if (options.count) {
    add_span(object, context.job, options.type, *options.count);
  }
  if (options.array) {
    const std::int64_t count = options.count.value_or(1);
    const auto coverage = coverage_of_array(context.job, options.type, *options.array, count);
    if (const auto* found = std::get_if<ArrayCoverage>(&coverage)) add_array(object, *found, count);
  }
  if (options.source) add_source(object, *options.source);
  for (const JobFinding& finding : source_findings_of(context, options.type)) {
    object["source_findings"].push_back(finding_of_job_json(context, finding));
  }
  if (options.with_bnf) {
    object["bnf"] = bnf_of(context.job, options.type);
  }
  write_json(out, object);
}

void JsonFormat::uses(std::ostream& out, const ReportContext& context, const UsesQuery& query) const {
  write_uses_json(out, context, query);
}

void JsonFormat::explanation(std::ostream& out, const FindingKind& kind) const {
  write_json(out, explanation_json(kind));
}

void JsonFormat::finding_kinds(std::ostream& out) const { write_json(out, finding_kinds_json()); }

void JsonFormat::pending(std::ostream& out, const ReportContext& context, const WaitingRanks& waiting) const {
  write_json(out, pending_json(context, waiting));
}

void JsonFormat::match(std::ostream& out, const TypeMatch& match) const { write_json(out, match_json(match)); }

void JsonFormat::measurement(std::ostream& out, const Job& job, const Measurement& measurement) const {
  write_json(out, measurement_json(job, measurement));
}

void JsonFormat::diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) const {
  write_diff_json(out, input, diff);
}

}  // namespace ddtscope::reporters
