// The table of types; the script makes it sortable, and opens a panel with the picture of each.
#include <string>

#include "reporters/html/sections.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

void write_number(std::ostream& out, const std::string& number) { out << "<td>" << number; }

/// "warning, 2 notes" with a number by which the worst come first.
void write_finding_counts(std::ostream& out, const std::vector<Finding>& findings) {
  FindingCounts counts;
  for (const Finding& finding : findings) ++counts.of(finding.severity);
  if (findings.empty()) {
    out << "<td>";
    return;
  }
  out << "<td data-v=\"" << counts.errors * 1000000 + counts.warnings * 1000 + counts.notes << "\">";
  const char* separator = "";
  const auto write = [&](std::uint64_t number, Severity severity) {
    if (number == 0) return;
    out << separator << "<span class=\"" << text_of(severity) << "\">" << (number == 1 ? "" : grouped(number) + " ")
        << text_of(severity) << (number == 1 ? "" : "s") << "</span>";
    separator = ", ";
  };
  write(counts.errors, Severity::error);
  write(counts.warnings, Severity::warning);
  write(counts.notes, Severity::note);
}

void write_row(std::ostream& out, const SectionInput& input, const JobType& type) {
  const ReportContext& context = input.context;
  const Job& job = context.job;
  const LayoutFacts& facts = job.layouts.facts(type.definition);
  const Bounds bounds = as_bounds(job.observed(type));
  const Counters total = job.instances.total(type.number);
  const bool is_whole = job.instances.are_all_counted(type.number);
  const std::string name = quoted_name(job, type.number);
  // Many rows: a cell ends where the next one begins, the first one heads its row by itself, and addresses stand in the
  // panel alone.
  out << "<tr id=\"" << text_of(type.number) << "\"><th>" << text_of(type.number) << "<td>";
  if (!name.empty()) out << "<b>" << Text{name} << "</b> ";
  write_call(out, job, type.number);
  write_number(out, grouped_or_undefined(bounds.size));
  write_number(out, grouped_or_undefined(bounds.extent));
  write_number(out, grouped_or_undefined(bounds.true_extent));
  write_number(out, grouped(facts.entries));
  write_number(out, grouped(facts.blocks));
  write_number(out, made_text(total.created + total.adopted, is_whole));
  write_number(out, live_text(live(total, job.store[type.definition].call.combiner), is_whole));
  write_finding_counts(out, input.type_findings.of(type.number));
  out << "<td>" << Text{place_of(job, busiest_site(job, type.number), context.symbols, Addresses::left_out)} << "\n";
}

}  // namespace

void write_types(std::ostream& out, const SectionInput& input) {
  const Job& job = input.context.job;
  const std::size_t more = job.types.size() - input.types.size();
  if (more != 0) {
    out << "<p>Of " << grouped(static_cast<std::uint64_t>(job.types.size())) << " definitions these "
        << grouped(static_cast<std::uint64_t>(input.types.size()))
        << " stand here: those with errors or warnings, those never freed, and those made most often. "
           "<code>ddtscope types</code> lists all.</p>\n";
  }
  begin_table(out, "all-types", "All types",
              {{"Type"},
               {"Constructor call"},
               {"Size", Cells::numbers},
               {"Extent", Cells::numbers},
               {"True extent", Cells::numbers},
               {"Entries", Cells::numbers},
               {"Blocks", Cells::numbers},
               {"Made", Cells::numbers},
               {"Live", Cells::numbers},
               {"Findings"},
               {"Made in"}});
  for (const TypeNumber number : input.types) write_row(out, input, job.type(number));
  end_table(out);
}

}  // namespace ddtscope::reporters
