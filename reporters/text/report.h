// The reports that the command prints for people.
#pragma once

#include <optional>
#include <ostream>

#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"
#include "reporters/text/picture.h"
#include "reporters/text/style.h"

namespace ddtscope {

struct ReportContext {
  const Job& job;
  Analysis& analysis;
  Symbols& symbols;
  Style style;
};

void report_summary(std::ostream& out, const ReportContext& context);
void report_types(std::ostream& out, const ReportContext& context);
/// Types that are the same in memory together, the groups with most types first.
void report_layout_groups(std::ostream& out, const ReportContext& context);

struct ShowOptions {
  TypeNumber type;
  std::optional<View> view = {};
  std::optional<std::size_t> typemap_entries = {};  // with --typemap
  std::optional<std::int64_t> count = {};           // with --count: the memory that so many copies need
  bool with_bnf = false;                            // with --bnf
};
void report_show(std::ostream& out, const ReportContext& context, const ShowOptions& options);

void report_check(std::ostream& out, const ReportContext& context);

/// One kind of finding, or a line for each of them.
void report_explanation(std::ostream& out, const Style& style, const FindingKind& kind);
void report_finding_kinds(std::ostream& out, const Style& style);

/// "complete: all 4 ranks ended in MPI_Finalize", or which did not and how.
std::string completeness(const Job& job);
/// Lines for never freed, never committed, unrecorded; nothing where there is none.
void report_left_behind(std::ostream& out, const ReportContext& context);

}  // namespace ddtscope
