// The table of what was done with types; the script makes it sortable, and filters it.
#include <algorithm>

#include "reporters/html/sections.h"
#include "reporters/model/uses.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

// Rows of the tables of types and of uses together; of uses at least, and at most, so many: a report of a few hundred
// types and thousands of uses stays below 400 KiB.
constexpr std::size_t most_rows = 700, fewest_uses_rows = 150, most_uses_rows = 500;

void write_row(std::ostream& out, const SectionInput& input, const TypeUse& use) {
  const Job& job = input.context.job;
  // As in the table of types.
  out << "<tr><th>";
  write_type(out, input, use.type);
  out << "<td>" << Text{use.called} << "<td>" << trace::name_of(use.parameter) << "<td>" << grouped(use.counts.calls)
      << "<td>" << grouped(use.counts.elements) << "<td>" << grouped_or_undefined(bytes_of(job, use)) << "<td>"
      << grouped(use.counts.smallest) << "<td>" << grouped(use.counts.largest) << "<td>"
      << Text{place_of(job, use.site, input.context.symbols, Addresses::left_out)} << "\n";
}

}  // namespace

bool has_uses(const SectionInput& input) { return !input.context.job.uses.empty(); }

void write_uses(std::ostream& out, const SectionInput& input) {
  const Job& job = input.context.job;
  if (!uses_are_recorded(job)) {
    out << "<p>Not all uses were recorded: <code>ddtscope uses</code> says which are missing.</p>\n";
  }
  begin_table(out, "all-uses", "All uses of types",
              {{"Type"},
               {"Called"},
               {"Argument"},
               {"Calls", Cells::numbers},
               {"Elements", Cells::numbers},
               {"Bytes", Cells::numbers},
               {"Smallest count", Cells::numbers},
               {"Largest count", Cells::numbers},
               {"Called in"}});
  const std::size_t room = most_rows - std::min(most_rows, input.types.size());
  const std::size_t shown = std::min(std::clamp(room, fewest_uses_rows, most_uses_rows), job.uses.size());
  for (std::size_t i = 0; i < shown; ++i) write_row(out, input, job.uses[i]);
  end_table(out);
  write_more(out, job.uses.size() - shown, "`ddtscope uses` lists all");
}

}  // namespace ddtscope::reporters
