#include "reporters/html/sections.h"

#include <algorithm>

#include "reporters/html/report.h"
#include "reporters/html/type_data.h"
#include "reporters/report/source_findings.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t types_limit = 2500;

bool has_types(const SectionInput& input) { return !input.context.job.types.empty(); }
bool always(const SectionInput&) { return true; }

constexpr Section sections[] = {
    {{"summary", "Summary"}, always, write_summary},
    {{"findings", "Findings"}, has_findings, write_findings},
    {{"left-behind", "Left behind"}, has_left_behind, write_left_behind},
    {{"types", "Types"}, has_types, write_types},
    {{"uses", "Uses"}, has_uses, write_uses},
    {{"traffic", "Who talks to whom"}, has_traffic, write_traffic},
    {{"windows", "Windows"}, has_windows, write_windows},
    {{"call-sites", "Call sites"}, has_call_sites, write_call_sites},
    {{"portability", "Portability"}, has_types, write_portability},
};

/// Types that the page tells of: all, or, of very many, those with alarming findings, those never freed and those made
/// most.
std::vector<TypeNumber> types_of_page(const SectionInput& input) {
  const Job& job = input.context.job;
  std::vector<TypeNumber> chosen;
  std::vector<bool> is_chosen(job.types.size() + 1);
  const auto choose = [&](TypeNumber number) {
    if (chosen.size() == types_limit || is_chosen[number.value]) return;
    is_chosen[number.value] = true;
    chosen.push_back(number);
  };
  if (job.types.size() > types_limit) {
    const auto of_finding = [&](const JobFinding& finding) {
      if (const TypeNumber number = job.number_of(finding.type); number.valid()) choose(number);
    };
    input.findings.each(Severity::error, of_finding, {.all = types_limit / 2});
    input.findings.each(Severity::warning, of_finding, {.all = types_limit / 2});
    for (const LeftBehind& left : input.summary.never_freed) {
      if (chosen.size() < types_limit * 3 / 4) choose(left.type);
    }
  }
  for (const TypeNumber number : input.summary.most_made) choose(number);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::span<const Section> report_sections() { return sections; }

void write_type(std::ostream& out, const SectionInput& input, TypeNumber number) {
  const bool has_row = std::binary_search(input.types.begin(), input.types.end(), number);
  const std::string name = quoted_name(input.context.job, number);
  if (has_row) out << "<a href=\"#" << text_of(number) << "\">";
  out << text_of(number);
  if (has_row) out << "</a>";
  if (!name.empty()) out << " <b>" << Text{name} << "</b>";
}

void write_type(std::ostream& out, const SectionInput& input, DefinitionId type) {
  const Job& job = input.context.job;
  if (const TypeNumber number = job.number_of(type); number.valid()) {
    write_type(out, input, number);
  } else {
    out << Text{job.name_of(type)};
  }
}

void write_html_report(std::ostream& out, const ReportContext& context) {
  JobFindings findings(context.job, context.analysis, {}, source_findings(context));
  SectionInput input{context, findings, {context, findings}, summarise(context.job), {}};
  input.types = types_of_page(input);
  const std::string& program = context.job.header().program;
  begin_page(out, "Datatypes of " + program.substr(program.rfind('/') + 1));
  std::vector<SectionLink> links;
  for (const Section& section : report_sections()) {
    if (section.is_there(input)) links.push_back(section.link);
  }
  write_navigation(out, links);
  for (const Section& section : report_sections()) {
    if (!section.is_there(input)) continue;
    begin_section(out, section.link);
    section.write(out, input);
    end_section(out);
  }
  TypeData types(context, input.types.size());
  for (const TypeNumber number : input.types) types.add(number, input.type_findings.of(number));
  Json calls = call_trees_json(context, types);
  Json data = types.take();
  data["calls"] = std::move(calls);
  end_page(out, data);
}

}  // namespace ddtscope::reporters
