// The windows, what one-sided calls did in them, and an epoch of each as a picture.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "reporters/html/sections.h"
#include "reporters/model/window_uses.h"
#include "reporters/text/report_windows.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_windows_of_page = 100;
constexpr std::size_t most_pictures = 10;

std::vector<WindowUses> windows_of_page(const Job& job) {
  return window_uses(job, std::vector<bool>(job.accesses.size(), true));
}

void write_window(std::ostream& out, const ReportContext& context, const WindowUses& window) {
  const Job& job = context.job;
  const JobWindow& first = job.windows[window.parts.front().value];
  out << "<tr><th>" << window_id(window.number) << Text{named_window(window.labels)} << "<td>"
      << Text{std::string(first.called) + " in " + place_of(job, first.site, context.symbols)} << "<td>";
  for (std::size_t i = 0; i < std::min(most_listed, window.parts.size()); ++i) {
    out << (i == 0 ? "" : "; ") << Text{memory_in_words(job.windows[window.parts[i].value])};
  }
  if (window.parts.size() > most_listed) out << " and " << window.parts.size() - most_listed << " more";
  out << "<td class=\"n\">" << grouped(window.number_of_calls) << "<td class=\"n\">"
      << grouped_or_undefined(window.bytes) << "<td>";
  for (std::size_t i = 0; i < std::min(most_listed, window.calls.size()); ++i) {
    out << (i == 0 ? "" : ", ")
        << Text{std::string(window.calls[i].called) + " (" + job.name_of(window.calls[i].type) + ")"};
  }
  if (window.calls.size() > most_listed) out << " and " << window.calls.size() - most_listed << " more";
  out << "\n";
}

void write_pictures(std::ostream& out, const ReportContext& context, const std::vector<WindowUses>& windows) {
  const TextContext text{{context}, Style(Colour::never)};
  std::size_t drawn = 0;
  for (const WindowUses& window : windows) {
    if (window.calls.empty()) continue;
    const JobWindow& first = context.job.windows[window.parts.front().value];
    const WorldNumber world = first.ranks.empty() ? WorldNumber{} : first.ranks.ranges().front().world;
    const auto picture = picture_of_window(context.job, first.name, world, std::nullopt, cells_of_picture);
    if (!picture) continue;
    if (drawn++ == most_pictures) break;
    std::ostringstream lines;
    print_window_picture(lines, text, *picture);
    const std::string name = window_id(window.number) + named_window(window.labels);
    out << "<h3>" << Text{name} << "</h3>\n<pre tabindex=\"0\" role=\"region\" aria-label=\"Picture of " << Text{name}
        << "\">";
    std::istringstream each(lines.str());
    for (std::string line; std::getline(each, line);) out << Text{line} << "\n";
    out << "</pre>\n";
  }
}

}  // namespace

bool has_windows(const SectionInput& input) { return !input.context.job.accesses.empty(); }

void write_windows(std::ostream& out, const SectionInput& input) {
  const std::vector<WindowUses> windows = windows_of_page(input.context.job);
  begin_table(out, "all-windows", "Windows that one-sided calls reached most",
              {{"Window"}, {"Made"}, {"Memory"}, {"Calls", Cells::numbers}, {"Bytes", Cells::numbers}, {"Functions"}});
  const std::size_t shown = std::min(most_windows_of_page, windows.size());
  for (std::size_t i = 0; i < shown; ++i) write_window(out, input.context, windows[i]);
  end_table(out);
  write_more(out, windows.size() - shown, "`ddtscope uses --by window` lists all");
  write_pictures(out, input.context, windows);
}

}  // namespace ddtscope::reporters
