// `ddtscope diff -o`: what changed from one job to another, as a page.
#pragma once

#include <ostream>

#include "reporters/diff/job_diff.h"

namespace ddtscope::reporters {

void write_html_diff(std::ostream& out, const DiffInput& input, const JobDiff& diff);

}  // namespace ddtscope::reporters
