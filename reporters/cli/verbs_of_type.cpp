// Verbs of one type, or of two: show, code, match.
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "reporters/cli/job_of_verb.h"
#include "reporters/code/struct_code.h"
#include "reporters/report/type_match.h"
#include "reporters/source/records_of_program.h"
#include "reporters/struct_layout/struct_layout.h"

namespace ddtscope::reporters {
namespace {

SourceAnswer source_of(const Job& job, TypeNumber type) {
  SourceAnswer answer;
  if (!is_struct_like(job, type)) {
    answer.why_not.push_back("It is not made by MPI_Type_create_struct, or has too many entries.");
    return answer;
  }
  std::vector<StructLayout> found = struct_layouts(job, {&type, 1}, &answer.why_not);
  if (!found.empty()) answer.layout = std::move(found.front());
  return answer;
}

/// One of two types: of the trace's job, or one that is written down, or a predefined one.
std::variant<MatchParty, int> party_of(const std::shared_ptr<const Job>& job, const WantedType& wanted) {
  const PredefinedName* predefined = find_predefined_name(wanted.text);
  if (is_type_text(wanted.text) || predefined != nullptr) {
    const std::string text = predefined != nullptr ? "MPI_Type_dup(" + wanted.text + ")" : wanted.text;
    auto made = written_type({text, wanted.rule});
    if (const int* status = std::get_if<int>(&made)) return *status;
    JobOfText& of_text = std::get<JobOfText>(made);
    return MatchParty{std::move(of_text.job), of_text.type, 1, predefined != nullptr ? wanted.text : ""};
  }
  if (!job) {
    complain("say the trace of " + wanted.text + ": ddtscope match TRACE TYPE TYPE.");
    return exit_usage;
  }
  const auto found = type_of(*job, wanted);
  if (const int* status = std::get_if<int>(&found)) return *status;
  return MatchParty{job, std::get<TypeNumber>(found), 1, ""};
}

}  // namespace

int run_show(const ShowVerbOptions& options) {
  return with_type(
      options.report.traces, {options.type, options.rule}, [&](const ReportContext& context, TypeNumber type) {
        if (options.array) {
          const auto coverage = coverage_of_array(context.job, type, *options.array, options.count.value_or(1));
          if (const auto* problem = std::get_if<std::string>(&coverage)) {
            complain(*problem);
            return exit_usage;
          }
        }
        std::optional<SourceAnswer> source;
        if (options.with_source) source = source_of(context.job, type);
        options.report.format->show(std::cout, context,
                                    {type, options.view, options.typemap_entries, options.count,
                                     options.syntax == Syntax::bnf, options.array, std::move(source)});
        return exit_fine;
      });
}

int run_code(const CodeVerbOptions& options) {
  if (!options.traces.empty() && find_predefined_name(options.type) != nullptr) {
    complain(options.type + " is a predefined datatype: nothing makes it.");
    return exit_usage;
  }
  return with_type(options.traces, {options.type, options.rule}, [&](const ReportContext& context, TypeNumber type) {
    const auto code = code_of(context.job, {type, options.language, options.extent});
    if (const auto* problem = std::get_if<NoCode>(&code)) {
      complain(problem->sentence);
      return exit_usage;
    }
    std::cout << std::get<std::string>(code);
    return exit_fine;
  });
}

int run_match(const MatchOptions& options) {
  std::shared_ptr<const Job> job;
  if (!options.report.traces.empty()) {
    LoadResult loaded = load(options.report.traces);
    if (const auto* problem = std::get_if<TraceProblem>(&loaded)) return refuse(*problem);
    job = std::move(std::get<std::unique_ptr<Job>>(loaded));
  }
  auto send = party_of(job, {options.send, options.rule});
  if (const int* status = std::get_if<int>(&send)) return *status;
  auto receive = party_of(job, {options.receive, options.rule});
  if (const int* status = std::get_if<int>(&receive)) return *status;
  std::get<MatchParty>(send).count = options.send_count;
  std::get<MatchParty>(receive).count = options.receive_count;
  const TypeMatch match = match_of(std::move(std::get<MatchParty>(send)), std::move(std::get<MatchParty>(receive)));
  options.report.format->match(std::cout, match);
  const bool is_tolerated = match.grade == MatchGrade::same_bytes && options.fail_on == Severity::error;
  return finished(match.grade == MatchGrade::fine || is_tolerated ? exit_fine : exit_findings);
}

int run_struct_code(const StructVerbOptions& options) {
  const auto found = find_record(options.program, options.record);
  if (const auto* problem = std::get_if<NoRecord>(&found)) {
    complain(problem->sentence);
    return problem->fault == NoRecord::Fault::of_program ? exit_unreadable : exit_usage;
  }
  const std::string program = options.program.substr(options.program.rfind('/') + 1);
  const auto code = code_of_struct(std::get<NamedRecord>(found), {program, options.language});
  if (const auto* problem = std::get_if<NoCode>(&code)) {
    complain(problem->sentence);
    return exit_usage;
  }
  std::cout << std::get<std::string>(code);
  return finished(exit_fine);
}

}  // namespace ddtscope::reporters
