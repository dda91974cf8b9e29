// Verbs that write pages for a browser: report, and diff, which prints as well.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <vector>

#include "reporters/cli/job_of_verb.h"
#include "reporters/html/diff_page.h"
#include "reporters/html/report.h"

namespace ddtscope::reporters {
namespace {

/// A page that is written whole, or not at all: `write` fills the stream. Gives `status` where that was possible.
template <class Write>
int write_page(const std::filesystem::path& path, Write write, int status) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) {
    complain(path.string() + ": cannot be written (" + std::strerror(errno) + "); give another file with -o.");
    return exit_usage;
  }
  write(out);
  out.close();
  if (!out) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    complain(path.string() + ": could not be written; is the disk full?");
    return exit_unreadable;
  }
  return status;
}

}  // namespace

int run_report(const PageOptions& options) {
  return with_job(options.traces, [&](const ReportContext& context) {
    return write_page(
        options.file, [&](std::ostream& out) { write_html_report(out, context); }, exit_fine);
  });
}

int run_diff(const DiffOptions& options) {
  return with_job(std::vector{options.before}, [&](const ReportContext& before) {
    return with_job(std::vector{options.after}, [&](const ReportContext& after) {
      const DiffInput input{before, after};
      const JobDiff diff = diff_of(input);
      const bool asks_for_bytes =
          std::find(options.fail_on.begin(), options.fail_on.end(), FailOn::bytes) != options.fail_on.end();
      if (asks_for_bytes && !diff.compares_uses) {
        complain("these traces do not say how many bytes were used: nothing fails on bytes.");
      }
      const bool fails = options.fail_on.empty() ? !diff.is_same()
                                                 : std::any_of(options.fail_on.begin(), options.fail_on.end(),
                                                               [&](FailOn what) { return has(diff, what); });
      const int status = fails ? exit_findings : exit_fine;
      if (options.page.empty()) {
        options.format->diff(std::cout, input, diff);
        return status;
      }
      return write_page(
          options.page, [&](std::ostream& out) { write_html_diff(out, input, diff); }, status);
    });
  });
}

}  // namespace ddtscope::reporters
