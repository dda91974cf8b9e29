// What the job did, and whether the trace tells all of it.
#include <set>

#include "decoder/bounds/library_versions.h"
#include "reporters/html/sections.h"
#include "reporters/model/uses.h"
#include "reporters/model/worlds.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t words_limit = 1000;
constexpr std::size_t most_trace_notes = 20;
constexpr std::size_t programs_limit = 5;

void write_fact(std::ostream& out, std::string_view name, std::string_view value) {
  out << "<dt>" << name << "</dt><dd>" << Text{cut_to(printable(value), words_limit)} << "</dd>\n";
}

void write_figure(std::ostream& out, const std::string& value, std::string_view what) {
  out << "<li><b>" << value << "</b> " << what << "</li>\n";
}

/// An incomplete trace says so before all else.
void write_alarm(std::ostream& out, const Job& job) {
  if (job.complete()) return;
  out << "<p class=\"alarm\"><strong>This trace is incomplete.</strong> What follows is what the job did up to there: "
      << Text{cut_to(completeness(job), words_limit)} << ".</p>\n";
}

void write_programs(std::ostream& out, const Job& job) {
  std::set<std::pair<std::string, std::vector<std::string>>> commands;
  for (const JobRank& rank : job.ranks) commands.insert({rank.header.program, rank.header.arguments});
  std::size_t written = 0;
  for (const auto& [program, arguments] : commands) {
    if (written++ == programs_limit) {
      write_fact(out, "", "... and " + grouped(static_cast<std::uint64_t>(commands.size() - programs_limit)) + " more");
      return;
    }
    std::string command = program;
    for (const std::string& argument : arguments) command += " " + argument;
    write_fact(out, "program", command);
  }
}

void write_facts(std::ostream& out, const Job& job) {
  const HeaderRecord& header = job.header();
  std::set<std::string> hosts;
  for (const JobRank& rank : job.ranks) hosts.insert(rank.header.host);
  std::uint64_t size = 0;
  const std::vector<JobWorld> worlds = worlds_of(job);
  for (const JobWorld& world : worlds)
    size += static_cast<std::uint64_t>(std::max<std::int64_t>(0, world.size.value_or(0)));
  out << "<dl>\n";
  write_fact(out, "trace", completeness(job));
  write_programs(out, job);
  write_fact(
      out, "ranks",
      (header.size ? grouped(size) : std::string("unknown (MPI sessions)")) + " on " +
          (hosts.size() == 1 ? *hosts.begin() : counted(static_cast<std::uint64_t>(hosts.size()), "host", "hosts")) +
          (worlds.size() > 1 ? ", in " + grouped(static_cast<std::uint64_t>(worlds.size())) + " worlds" : ""));
  write_fact(out, "started", header.started);
  write_fact(
      out, "library",
      header.library_name + ", MPI " + header.library_standard + ": " + first_line_of_version(header.library_version));
  for (std::size_t i = 0; i < std::min(most_trace_notes, job.notes.size()); ++i) write_fact(out, "note", job.notes[i]);
  if (is_switched_off(job, "DDTSCOPE_STACK")) write_fact(out, "not recorded", "call sites; DDTSCOPE_STACK was 0");
  out << "</dl>\n";
}

}  // namespace

void write_summary(std::ostream& out, const SectionInput& input) {
  const auto& [context, job_findings, type_findings, summary, types] = input;
  const Job& job = context.job;
  write_alarm(out, job);
  out << "<ul class=\"figures\">\n";
  const FindingCounts& findings = job_findings.counts();
  const std::uint64_t made = summary.total.created + summary.total.adopted;
  write_figure(out, made_text(made, summary.counted), made == 1 ? "derived datatype made" : "derived datatypes made");
  write_figure(out, grouped(static_cast<std::uint64_t>(job.types.size())),
               job.types.size() == 1 ? "distinct definition" : "distinct definitions");
  write_figure(out, grouped(static_cast<std::uint64_t>(summary.call_sites)),
               summary.call_sites == 1 ? "call site" : "call sites");
  write_figure(out, live_text(std::max<std::int64_t>(0, summary.live), summary.counted),
               job.complete() ? "live at the end" : "live now");
  write_figure(out, grouped(findings.errors), findings.errors == 1 ? "error" : "errors");
  write_figure(out, grouped(findings.warnings), findings.warnings == 1 ? "warning" : "warnings");
  write_figure(out, grouped(findings.notes), findings.notes == 1 ? "note" : "notes");
  out << "</ul>\n";
  if (job.types.empty()) {
    out << "<p>"
        << (job.complete() ? "The program made no derived datatype."
                           : "No derived datatype was made as far as the trace tells.")
        << "</p>\n";
  } else if (!summary.counted) {
    out << "<p>Some ranks have not written their counters, so the numbers are what the others counted.</p>\n";
  }
  write_facts(out, job);
}

}  // namespace ddtscope::reporters
