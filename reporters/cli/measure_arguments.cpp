#include "reporters/cli/measure_arguments.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "reporters/cli/report_arguments.h"
#include "reporters/cli/type_arguments.h"
#include "reporters/cli/verb_arguments.h"
#include "reporters/measure/run_command.h"
#include "reporters/model/job_of_text.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::reporters {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

void MeasureArguments::add_to(CLI::App& verb, std::vector<std::string>& words) {
  verb.add_option("TRACE", words,
                  "the trace's folder or files, then an id (T9), key or name of one type; or a constructor call alone")
      ->option_text("... [TYPE]")
      ->required();
  verb.add_option("--mpi", mpi, "whose compiler to take (default: the trace's library's)")
      ->check(CLI::IsMember(mpi_library_texts()));
  compiler_ = verb.add_option("--compiler", compiler,
                              "the command that compiles and links C for MPI (default: MPICC, or mpicc of the library)")
                  ->type_name("COMMAND");
  launcher_ = verb.add_option("--launcher", launcher,
                              "what starts a process, such as 'srun -n 1', where a program cannot run by itself")
                  ->type_name("COMMAND");
  verb.add_option("--count", count, "copies of a type that are packed at once (default: 1 MiB of data)")
      ->type_name("N");
  verb.add_option("--timeout", seconds, "seconds that a compilation, or a run, may take (120)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400));
  verb.add_flag("--keep", keeps, "keep the figures with the trace: `ddtscope check` tells them then");
}

Command MeasureArguments::command(ReportOptions report) const {
  MeasureOptions options;
  const std::string last = report.traces.back().string();
  // A trace's folder may have any name.
  if (!is_file(last) && (report.traces.size() > 1 || is_type_text(last))) {
    options.type = last;
    report.traces.pop_back();
  }
  if (compiler_->count() != 0 && words_of_command(compiler).empty())
    return usage("--compiler needs a command, such as mpicc.");
  if (launcher_->count() != 0 && words_of_command(launcher).empty()) {
    return usage("--launcher needs a command, such as 'srun -n 1'.");
  }
  options.report = std::move(report);
  options.mpi = mpi_library_of_text(mpi);
  options.rule = bounds_rule_of_text(mpi).value_or(BoundsRule::standard);
  options.compiler = compiler;
  options.launcher = launcher;
  options.seconds = seconds;
  options.keeps = keeps;
  if (keeps && options.report.traces.empty()) return usage("--keep keeps the figures with a trace, but none is given.");
  if (count.empty()) return options;
  options.count = number_of_text<std::int64_t>(count);
  if (!options.count || *options.count < 1 || *options.count > INT32_MAX) {
    return usage("--count takes a number of copies from 1 to 2147483647, but \"" + count + "\" is none.");
  }
  return options;
}

Asked declare_measure(CLI::App& verb) {
  struct Words {
    ReportArguments report;
    MeasureArguments measure;
  };
  const auto words = std::make_shared<Words>();
  words->report.add_to(verb);
  words->measure.add_to(verb, words->report.paths);
  return [words] { return words->measure.command(words->report.options()); };
}

}  // namespace ddtscope::reporters
