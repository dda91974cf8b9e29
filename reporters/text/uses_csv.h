// Uses of datatypes for spreadsheets and scripts.
#pragma once

#include <ostream>

#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

/// Comma-separated values by RFC 4180, a heading and a line for each use: members of `uses --json`, the type's first
/// name, the blocks of an element, and the call site as text. A text that a spreadsheet would take for a formula begins
/// with an apostrophe.
void write_uses_csv(std::ostream& out, const ReportContext& context, const UsesQuery& query);

}  // namespace ddtscope::reporters
