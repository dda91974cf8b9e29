// `ddtscope report`: a job as one page that needs no network, no other file, and no script to be read.
#pragma once

#include <ostream>

#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

void write_html_report(std::ostream& out, const ReportContext& context);

}  // namespace ddtscope::reporters
