// What the program did not free or commit, which calls failed, and what could not be recorded.
#include <algorithm>
#include <string>

#include "reporters/html/sections.h"
#include "reporters/html/type_data.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_left_behind_rows = 100;

void write_list(std::ostream& out, const SectionInput& input, SectionLink heading,
                const std::vector<LeftBehind>& list) {
  if (list.empty()) return;
  const ReportContext& context = input.context;
  std::uint64_t lives = 0;
  for (const LeftBehind& left : list) lives += static_cast<std::uint64_t>(left.lives);
  out << "<h3>" << heading.title << ": " << counted(lives, "instance", "instances") << " of "
      << counted(static_cast<std::uint64_t>(list.size()), "definition", "definitions") << "</h3>\n";
  begin_table(out, heading.id, heading.title,
              {{"Type"}, {"Instances", Cells::numbers}, {"Constructor call"}, {"Made in"}});
  for (std::size_t i = 0; i < std::min(most_left_behind_rows, list.size()); ++i) {
    out << "<tr><th scope=\"row\">";
    write_type(out, input, list[i].type);
    out << "</th><td class=\"n\">" << grouped(static_cast<std::uint64_t>(list[i].lives)) << "</td><td>";
    write_call(out, context.job, list[i].type);
    out << (list[i].part_of_another ? " (part of other types)" : "") << "</td><td>"
        << Text{place_of(context.job, list[i].site, context.symbols)} << "</td></tr>\n";
  }
  end_table(out);
  write_more(out, list.size() - std::min(most_left_behind_rows, list.size()), "`ddtscope summary --json` lists all");
}

/// Calls by name, with what became of them.
struct Row {
  std::string_view called;
  std::string what;
  std::uint64_t count;
  const RankRanges& ranks;
  std::optional<FrameIndex> site;
};

void write_row(std::ostream& out, const ReportContext& context, const Row& row) {
  out << "<tr><th scope=\"row\">" << Text{row.called} << "</th><td class=\"n\">" << grouped(row.count) << "</td><td>"
      << Text{row.what} << "</td><td>" << (row.ranks.empty() ? std::string() : words_of(row.ranks)) << "</td><td>"
      << Text{place_of(context.job, row.site, context.symbols)} << "</td></tr>\n";
}

void begin_calls(std::ostream& out, SectionLink heading, std::string_view what) {
  out << "<h3>" << heading.title << "</h3>\n";
  begin_table(out, heading.id, heading.title, {{"Call"}, {"Times", Cells::numbers}, {what}, {"Ranks"}, {"Called in"}});
}

}  // namespace

bool has_left_behind(const SectionInput& input) {
  return !input.summary.never_freed.empty() || !input.summary.never_committed.empty() ||
         !input.context.job.failed_calls.empty() || !input.context.job.unrecorded.empty();
}

void write_left_behind(std::ostream& out, const SectionInput& input) {
  const ReportContext& context = input.context;
  write_list(out, input, {"never-freed", context.job.complete() ? "Never freed" : "Live now"},
             input.summary.never_freed);
  write_list(out, input, {"never-committed", "Never committed"}, input.summary.never_committed);
  const std::vector<FailedCalls>& failed = context.job.failed_calls;
  if (!failed.empty()) {
    begin_calls(out, {"failed-calls", "Calls that returned an error"}, "Error class");
    for (std::size_t i = 0; i < std::min(most_left_behind_rows, failed.size()); ++i) {
      const std::string error(failed[i].error_class.empty() ? "one of the program's own" : failed[i].error_class);
      write_row(out, context, {failed[i].called, error, failed[i].count, failed[i].ranks, failed[i].site});
    }
    end_table(out);
    write_more(out, failed.size() - std::min(most_left_behind_rows, failed.size()),
               "`ddtscope summary --json` lists all");
  }
  const std::vector<Unrecorded>& unrecorded = context.job.unrecorded;
  if (!unrecorded.empty()) {
    begin_calls(out, {"not-recorded", "Not recorded"}, "Why");
    for (std::size_t i = 0; i < std::min(most_left_behind_rows, unrecorded.size()); ++i) {
      const Unrecorded& one = unrecorded[i];
      write_row(out, context, {one.called, one.why, one.count, one.ranks, one.site});
    }
    end_table(out);
    write_more(out, unrecorded.size() - std::min(most_left_behind_rows, unrecorded.size()),
               "`ddtscope summary --json` lists all");
  }
}

}  // namespace ddtscope::reporters
