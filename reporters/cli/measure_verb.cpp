#include "reporters/cli/measure_verb.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>
#include <variant>

#include "reporters/cli/job_of_verb.h"
#include "reporters/json/kept_measurements.h"
#include "reporters/measure/measure.h"
#include "reporters/measure/run_command.h"
#include "reporters/measure/subject.h"
#include "reporters/resolve/symbols_file.h"
#include "reporters/text/style.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

/// A command, or a sentence that says why there is none.
using FoundCommand = std::variant<std::vector<std::string>, std::string>;

/// As the user gave it, by its path.
FoundCommand command_given(const std::string& text, std::string_view what) {
  std::vector<std::string> words = words_of_command(text);
  if (words.empty()) return std::string(what) + " needs a command.";
  const auto found = find_program(words.front());
  if (const auto* problem = std::get_if<LaunchProblem>(&found)) return std::string(what) + ": " + problem->sentence;
  return words;
}

/// The names under which a library's compiler is installed, the telling one first.
std::vector<std::string> compilers_of(std::optional<MpiLibrary> library) {
  if (!library) return {"mpicc", "mpicc.openmpi", "mpicc.mpich"};
  switch (*library) {
    case MpiLibrary::openmpi:
      return {"mpicc.openmpi", "mpicc"};
    case MpiLibrary::mpich:
      return {"mpicc.mpich", "mpicc"};
    case MpiLibrary::mpi_abi:
      break;
  }
  return {"mpicc_abi", "mpicc"};
}

FoundCommand compiler_for(const MeasureOptions& options, const Job& job) {
  if (!options.compiler.empty()) return command_given(options.compiler, "--compiler");
  const char* of_environment = std::getenv("MPICC");
  if (!options.mpi && of_environment != nullptr && *of_environment != '\0') {
    return command_given(of_environment, "MPICC");
  }
  const std::optional<MpiLibrary> library = options.mpi ? options.mpi : mpi_library_of_text(job.header().abi());
  std::string names;
  for (const std::string& name : compilers_of(library)) {
    if (std::holds_alternative<std::filesystem::path>(find_program(name))) return std::vector{name};
    names += (names.empty() ? "" : ", ") + name;
  }
  return "there is no compiler for programs of " + std::string(library ? text_of(*library) : "MPI") + " in PATH (" +
         names + "); install one, load its module, or name one with --compiler.";
}

/// What a program said before it failed, for a terminal.
std::string excerpt_of(const std::string& lines) {
  std::string excerpt;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    excerpt += "  " + printable(lines.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return excerpt;
}

bool has_wrong_data(const MeasuredType& type) {
  return std::any_of(type.forms.begin(), type.forms.end(),
                     [](const MeasuredForm& form) { return !form.wrong_data.empty(); });
}

/// Tells what failed. The status: what was not measured counts for more than wrong data.
int status_of(const MeasureOptions& options, const Job& job, const Measurement& measurement) {
  int status = exit_fine;
  for (const MeasuredType& type : measurement.types) {
    if (has_wrong_data(type)) status = std::max(status, exit_findings);
    if (!type.has_failed) continue;
    complain(id_and_name(job, type.type) + " was not measured" + (type.plain ? " to the end: " : ": ") + type.why_not,
             excerpt_of(type.last_lines));
    status = exit_unreadable;
  }
  const bool is_one_asked_for = !options.type.empty() && measurement.types.size() == 1;
  if (status != exit_fine || !is_one_asked_for || measurement.types.front().plain) return status;
  const MeasuredType& type = measurement.types.front();
  const std::string why = type.why_not.empty() && !type.forms.empty() ? type.forms.front().why_not : type.why_not;
  complain(id_and_name(job, type.type) + " cannot be measured: " + why);
  return exit_usage;
}

}  // namespace

int measure(const MeasureOptions& options, const Job& job, const std::vector<TypeNumber>& types) {
  MeasureSettings settings;
  settings.copies = options.count;
  settings.limit = std::chrono::seconds(options.seconds);
  FoundCommand compiler = compiler_for(options, job);
  FoundCommand launcher = std::vector<std::string>();
  if (!options.launcher.empty()) launcher = command_given(options.launcher, "--launcher");
  for (const FoundCommand* command : {&compiler, &launcher}) {
    if (const auto* problem = std::get_if<std::string>(command)) {
      complain(*problem);
      return exit_usage;
    }
  }
  settings.compiler = std::get<0>(std::move(compiler));
  settings.launcher = std::get<0>(std::move(launcher));
  const MeasureResult result = measure_types(job, types, settings);
  const Measurement& measurement = result.measurement;
  int status = status_of(options, job, measurement);
  if (!result.problem.empty()) {
    complain(result.problem);
    status = std::max(status, result.has_failed ? exit_unreadable : exit_usage);
  }
  const bool is_any_measured = std::any_of(measurement.types.begin(), measurement.types.end(),
                                           [](const MeasuredType& type) { return type.plain.has_value(); });
  const bool is_refused = status == exit_usage || status == exit_unreadable;
  if (is_any_measured || !is_refused) options.report.format->measurement(std::cout, job, measurement);
  if (!options.keeps || !is_any_measured) return status;
  const auto problem = keep_measurement(folder_of_trace(options.report.traces), job, measurement);
  return problem ? std::max(status, refuse(*problem)) : status;
}

int run_measure(const MeasureOptions& options, const MeasureTypes& how) {
  if (options.type.empty()) {
    return with_job(options.report.traces, [&](const ReportContext& context) {
      return how(options, context.job, types_worth_measuring(context.job));
    });
  }
  return with_type(options.report.traces, {options.type, options.rule},
                   [&](const ReportContext& context, TypeNumber type) { return how(options, context.job, {type}); });
}

}  // namespace ddtscope::reporters
