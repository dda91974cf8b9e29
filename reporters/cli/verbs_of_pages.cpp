// Verbs that write pages for a browser: report, and diff, which prints as well.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <vector>

#include "reporters/cli/job_of_verb.h"
#include "reporters/html/diff_page.h"
#include "reporters/html/report.h"
#include "reporters/json/whole_file.h"

namespace ddtscope::reporters {
namespace {

/// A page takes the place of an older one when it is whole; what is no file of its own, a device or a link, is written
/// into. `write` fills the stream. Gives `status` where that was possible.
template <class Write>
int write_page(const std::filesystem::path& path, Write write, int status) {
  const auto cannot_be = [&](const std::error_code& error) {
    complain(path.string() + ": cannot be written (" + error.message() + "); give another file with -o.");
    return exit_usage;
  };
  std::error_code error;
  const auto there = std::filesystem::symlink_status(path, error).type();
  const bool is_file = there == std::filesystem::file_type::regular || there == std::filesystem::file_type::not_found;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access((is_file ? folder : path).c_str(), W_OK) != 0) return cannot_be({errno, std::generic_category()});
  std::ofstream into;
  if (!is_file) {
    into.open(path, std::ios::binary);
    if (!into) return cannot_be({errno, std::generic_category()});
  }
  std::ostringstream page;  // what is worked out may take long, or not end
  write(page);
  if (is_file) {
    error = write_whole_file(path, [&](std::ostream& out) { out << page.view(); });
  } else {
    into << page.view();
    into.close();
    error = into ? std::error_code() : std::make_error_code(std::errc::io_error);
  }
  if (!error) return status;
  complain(path.string() + ": could not be written (" + error.message() + "); is the disk full?");
  return exit_unreadable;
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
