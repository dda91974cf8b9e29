#include "reporters/html/diff_page.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "reporters/html/page.h"
#include "reporters/model/summary.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_diff_rows = 1000;

std::string program_name(const ReportContext& context) {
  return std::filesystem::path(context.job.header().program).filename().string();
}

void write_side(std::ostream& out, const ReportContext& context, const char* which) {
  const HeaderRecord& header = context.job.header();
  const Summary summary = summarise(context.job);
  out << "<tr><th scope=\"row\">" << which << "</th><td>" << Text{header.program} << "</td><td>"
      << Text{header.library_name} << "</td><td>" << Text{cut_to(completeness(context.job), 400)}
      << "</td><td class=\"n\">" << grouped(static_cast<std::uint64_t>(context.job.types.size()))
      << "</td><td class=\"n\">" << grouped(summary.total.created + summary.total.adopted) << "</td><td class=\"n\">"
      << grouped(Exact(summary.live)) << "</td></tr>\n";
}

void write_jobs(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  begin_section(out, {"jobs", "Jobs"});
  if (!input.before.job.complete() || !input.after.job.complete()) {
    out << "<p class=\"alarm\"><strong>A trace is incomplete.</strong> What it lacks looks like a difference.</p>\n";
  }
  if (program_name(input.before) != program_name(input.after)) {
    out << "<p class=\"alarm\"><strong>These are different programs.</strong> What is joined may be alike by "
           "chance.</p>\n";
  }
  begin_table(out, "both", "Both jobs",
              {{"Job"},
               {"Program"},
               {"Library"},
               {"Trace"},
               {"Definitions", Cells::numbers},
               {"Made", Cells::numbers},
               {"Live", Cells::numbers}});
  write_side(out, input.before, "old");
  write_side(out, input.after, "new");
  end_table(out);
  const Joined& joined = diff.joined;
  out << "<p>" << counted(joined.same, "definition is", "definitions are") << " the same; " << grouped(joined.by_site)
      << " joined by call site, " << grouped(joined.by_layout) << " by layout; " << grouped(joined.only_old)
      << " only old, " << grouped(joined.only_new) << " only new.</p>\n";
  if (diff.is_same()) out << "<p>No difference.</p>\n";
  end_section(out);
}

/// The rows of a section's table, by `write`, as many as a page takes. Ends the table and the section.
template <class Row, class Write>
void write_rows(std::ostream& out, const std::vector<Row>& rows, Write write) {
  const std::size_t shown = std::min(most_diff_rows, rows.size());
  for (std::size_t i = 0; i < shown; ++i) write(rows[i]);
  end_table(out);
  write_more(out, rows.size() - shown, "`ddtscope diff --json` lists all");
  end_section(out);
}

void write_changed_findings(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  if (diff.findings.empty()) return;
  begin_section(out, {"findings", "Findings"});
  begin_table(out, "changed-findings", "Findings that are new or gone",
              {{"New or gone"}, {"Severity"}, {"Finding"}, {"Type"}, {"What, and what to do"}, {"Where"}});
  write_rows(out, diff.findings, [&](const FindingChange& change) {
    const Job& job = (change.is_new() ? input.after : input.before).job;
    const JobFinding& finding = change.finding;
    const TypeNumber number = job.number_of(finding.type);
    const std::string other = finding.type ? std::string(job.name_of(*finding.type)) : std::string(finding.called);
    out << "<tr><th scope=\"row\">" << (change.is_new() ? "new" : "gone") << "</th><td>";
    write_severity(out, finding.severity);
    out << "</td><td>" << finding.kind->id << "</td><td>" << Text{number.valid() ? id_and_name(job, number) : other}
        << "</td><td>";
    if (number.valid()) write_call(out, job, number);
    out << "<p>" << Text{finding.message} << "</p><p class=\"advice\">" << Text{finding.advice} << "</p></td><td>"
        << (is_of_call(finding) ? "called in " : "made in ")
        << Text{place_of(job, finding.site(), (change.is_new() ? input.after : input.before).symbols)}
        << "</td></tr>\n";
  });
}

/// A type in one of the jobs: number, name, call; nothing where the job has none.
void write_made(std::ostream& out, const ReportContext& context, const std::optional<MadeThere>& made) {
  out << "<td>";
  if (made) {
    out << Text{id_and_name(context.job, made->type)} << " ";
    write_call(out, context.job, made->type);
  }
  out << "</td>";
}

/// The type in both jobs, a number of it before and after, and where it was made. Ends the row.
void write_change(std::ostream& out, const DiffInput& input, const Change& change,
                  std::int64_t (*number)(const MadeThere&)) {
  write_made(out, input.before, change.before);
  write_made(out, input.after, change.after);
  for (const auto* made : {&change.before, &change.after}) {
    out << "<td class=\"n\">" << (*made ? grouped(Exact(number(**made))) : std::string()) << "</td>";
  }
  const ReportContext& context = change.after ? input.after : input.before;
  const MadeThere& made = change.after ? *change.after : *change.before;
  out << "<td>" << Text{place_of(context.job, made.site, context.symbols)} << "</td></tr>\n";
}

void write_leaks(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  if (diff.leaks.empty()) return;
  begin_section(out, {"leaks", "Left at the end"});
  begin_table(out, "changed-leaks", "Lives left at the end",
              {{"Old type"}, {"New type"}, {"Live before", Cells::numbers}, {"Live now", Cells::numbers}, {"Made in"}});
  write_rows(out, diff.leaks, [&](const auto& leak) {
    out << "<tr>";
    write_change(out, input, {ChangeKind::count, leak.before, leak.after},
                 [](const MadeThere& made) { return made.live; });
  });
}

void write_changes(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  if (diff.changes.empty()) return;
  begin_section(out, {"changes", "Types"});
  begin_table(out, "changed-types", "Types that changed",
              {{"Change"},
               {"Old type"},
               {"New type"},
               {"Made before", Cells::numbers},
               {"Made now", Cells::numbers},
               {"Made in"}});
  write_rows(out, diff.changes, [&](const Change& change) {
    out << "<tr><th scope=\"row\">" << text_of(change.kind) << "</th>";
    write_change(out, input, change, [](const MadeThere& made) { return static_cast<std::int64_t>(made.made()); });
  });
}

void write_use_changes(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  if (diff.uses.empty()) return;
  begin_section(out, {"uses", "Uses"});
  begin_table(out, "changed-uses", "Uses that changed",
              {{"Type"},
               {"Called"},
               {"Argument"},
               {"Calls before", Cells::numbers},
               {"Calls now", Cells::numbers},
               {"Bytes before", Cells::numbers},
               {"Bytes now", Cells::numbers},
               {"Called in"}});
  write_rows(out, diff.uses, [&](const auto& change) {
    const auto& [before, after] = change;
    const ReportContext& context = after ? input.after : input.before;
    const UsedThere& used = after ? *after : *before;
    const TypeNumber number = context.job.number_of(used.type);
    out << "<tr><th scope=\"row\">"
        << Text{number.valid() ? id_and_name(context.job, number) : context.job.name_of(used.type)} << "</th><td>"
        << Text{used.called} << "</td><td>" << trace::name_of(used.parameter) << "</td>";
    for (const auto* side : {&before, &after}) {
      out << "<td class=\"n\">" << (*side ? grouped((*side)->calls) : std::string()) << "</td>";
    }
    for (const auto* side : {&before, &after}) {
      out << "<td class=\"n\">" << (*side ? grouped_or_undefined((*side)->bytes) : std::string()) << "</td>";
    }
    out << "<td>" << Text{place_of(context.job, used.site, context.symbols)} << "</td></tr>\n";
  });
}

}  // namespace

void write_html_diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  const std::string before = program_name(input.before), after = program_name(input.after);
  begin_page(out, before == after ? "What changed in " + before : "From " + before + " to " + after);
  std::vector<SectionLink> links = {{"jobs", "Jobs"}};
  if (!diff.findings.empty()) links.push_back({"findings", "Findings"});
  if (!diff.leaks.empty()) links.push_back({"leaks", "Left at the end"});
  if (!diff.changes.empty()) links.push_back({"changes", "Types"});
  if (!diff.uses.empty()) links.push_back({"uses", "Uses"});
  write_navigation(out, links);
  write_jobs(out, input, diff);
  write_changed_findings(out, input, diff);
  write_leaks(out, input, diff);
  write_changes(out, input, diff);
  write_use_changes(out, input, diff);
  end_page(out, Json::object());
}

}  // namespace ddtscope::reporters
