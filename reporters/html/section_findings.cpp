// What is wrong or worth knowing, kind by kind, each with what it means; where the library answers otherwise.
#include <algorithm>
#include <map>
#include <string>

#include "reporters/html/sections.h"
#include "reporters/html/type_data.h"
#include "reporters/model/site_frames.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t alarming_limit = 200;  // of a kind
constexpr std::size_t notes_limit = 12;
constexpr std::size_t differences_limit = 100;

struct OfKind {
  std::uint64_t number = 0;
  std::vector<JobFinding> kept;  // the most severe first
};

std::map<const FindingKind*, OfKind> kinds_of(JobFindings& findings) {
  std::map<const FindingKind*, OfKind> kinds;  // in the table's order
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const std::uint64_t limit = is_alarming(severity) ? alarming_limit : notes_limit;
    findings.each(severity, [&](const JobFinding& finding) { kinds[finding.kind].kept.push_back(finding); },
                  {.of_kind = limit});
    for (auto& [kind, found] : kinds) found.number += findings.number_of(severity, id_of(*kind));
  }
  return kinds;
}

void write_subject(std::ostream& out, const SectionInput& input, const JobFinding& finding) {
  if (finding.type) {
    write_type(out, input, *finding.type);
  } else {
    out << Text{finding.called};
  }
}

/// Paragraphs; what is not part of a sentence stays as it is.
void write_explanation(std::ostream& out, const FindingKind& kind) {
  out << "<details><summary>What this means</summary>\n";
  std::string_view rest = kind.explanation;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find("\n\n"), rest.size());
    out << "<p>" << Text{rest.substr(0, end)} << "</p>\n";
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  out << "<pre tabindex=\"0\" role=\"region\" aria-label=\"Example of " << kind.id << "\">";
  // Line by line: a line feed is a control character elsewhere.
  std::string_view code = kind.example;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    out << Text{code.substr(0, end)} << "\n";
    code.remove_prefix(std::min(end + 1, code.size()));
  }
  out << "</pre></details>\n";
}

void write_paragraph(std::ostream& out, std::string_view text) {
  if (!text.empty()) out << "<p>" << Text{text} << "</p>";
}

void write_finding(std::ostream& out, const SectionInput& input, const JobFinding& finding, const SiteFrames& frames) {
  const ReportContext& context = input.context;
  out << "<tr><th scope=\"row\">";
  write_subject(out, input, finding);
  out << "</th><td>";
  write_severity(out, finding.severity);
  out << "</td><td>";
  const TypeNumber type = context.job.number_of(finding.type);
  if (type.valid()) write_call(out, context.job, type);
  out << "<p>" << Text{finding.message} << "</p><p class=\"advice\">" << Text{finding.advice} << "</p>";
  write_paragraph(out, measured_in_words(context, finding));
  write_paragraph(out, second_party_in_words(context, finding, frames));
  out << "</td><td>" << Text{place_in_words(context, finding, frames)};
  if (!finding.ranks.empty()) out << ", " << words_of(finding.ranks);
  out << "</td></tr>\n";
}

/// What the page writes findings of one kind from.
struct KindInput {
  const SectionInput& section;
  const SiteFrames& frames;
  const FindingKind& kind;
  const OfKind& found;
};

void write_kind(std::ostream& out, const KindInput& input) {
  const auto& [section, frames, kind, found] = input;
  const Severity worst = found.kept.front().severity;
  out << "<details class=\"kind\"" << (is_alarming(worst) ? " open" : "") << "><summary><h3>";
  write_severity(out, worst);
  out << " " << kind.id << ": " << Text{kind.title} << " <span class=\"count\">" << grouped(found.number)
      << "</span></h3></summary>\n";
  write_explanation(out, kind);
  const std::string label = "Findings: " + std::string(kind.id);
  begin_table(out, "finding-" + std::string(kind.id), label,
              {{"Type"}, {"Severity"}, {"What, and what to do"}, {"Where"}});
  for (const JobFinding& finding : found.kept) write_finding(out, section, finding, frames);
  end_table(out);
  write_more(out, found.number - found.kept.size(), "`ddtscope check --json` lists all");
  out << "</details>\n";
}

void write_differences(std::ostream& out, const SectionInput& input) {
  const ReportContext& context = input.context;
  const SortedDifferences differences = context.analysis.differences();
  if (differences.unexplained.empty()) return;
  out << "<h3>Differences between ddtscope and the library</h3>\n";
  begin_table(out, "differences", "Differences between ddtscope and the library",
              {{"Type"}, {"What"}, {"ddtscope", Cells::numbers}, {"The library", Cells::numbers}, {"Call"}});
  const std::size_t shown = std::min(differences_limit, differences.unexplained.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const JobDifference& difference = *differences.unexplained[i];
    out << "<tr><th scope=\"row\">";
    write_type(out, input, difference.type);
    out << "</th><td>" << Text{difference.subject} << "</td><td class=\"n\">" << Text{difference.computed}
        << "</td><td class=\"n\">" << Text{difference.library} << "</td><td>";
    write_call(out, context.job, difference.type);
    out << "</td></tr>\n";
  }
  end_table(out);
  write_more(out, differences.unexplained.size() - shown, "`ddtscope check --json` lists all");
}

}  // namespace

TypeFindings::TypeFindings(const ReportContext& context, const JobFindings& findings) : analysis_(context.analysis) {
  for (const JobFinding& finding : findings.of_job()) {
    const TypeNumber number = context.job.number_of(finding.type);
    if (!number.valid()) continue;
    std::vector<Finding>& of_type = of_job_[number];
    if (of_type.size() == most_of_type) continue;
    of_type.push_back({finding.kind, finding.severity, finding.message, finding.advice});
  }
}

std::vector<Finding> TypeFindings::of(TypeNumber number) const {
  std::vector<Finding> all = analysis_.findings(number);
  if (const auto found = of_job_.find(number); found != of_job_.end()) {
    all.insert(all.end(), found->second.begin(), found->second.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Finding& a, const Finding& b) { return b.severity < a.severity; });
  }
  return all;
}

bool has_findings(const SectionInput& input) {
  const FindingCounts& counts = input.findings.counts();
  return !input.context.job.types.empty() || counts.errors + counts.warnings + counts.notes != 0;
}

void write_findings(std::ostream& out, const SectionInput& input) {
  const ReportContext& context = input.context;
  const FindingCounts& counts = input.findings.counts();
  if (counts.errors + counts.warnings == 0) {
    out << "<p>No errors and no warnings about "
        << counted(static_cast<std::uint64_t>(context.job.types.size()), "definition", "definitions") << ".</p>\n";
  }
  const std::map<const FindingKind*, OfKind> kinds = kinds_of(input.findings);
  const SiteFrames frames(context.job);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    for (const auto& [kind, found] : kinds) {
      if (found.kept.front().severity == severity) write_kind(out, {input, frames, *kind, found});
    }
  }
  write_differences(out, input);
}

}  // namespace ddtscope::reporters
