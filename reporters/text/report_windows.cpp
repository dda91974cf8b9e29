// The job's windows, and what one-sided calls did in them.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "reporters/model/window_uses.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_windows = 100;

/// "ranks 0-3: 400 B in units of 8 B"
std::string part_in_words(const JobWindow& part) {
  const std::string ranks = text_of(part.ranks);
  const bool is_one = ranks.find_first_of("-,") == std::string::npos;
  const std::string whose = (is_one ? "rank " : "ranks ") + ranks;
  if (!part.size || !part.displacement_unit) return whose + ": memory that is attached";
  return whose + ": " + bytes_in_words(Exact(*part.size)) + (is_one ? "" : " each") + " in units of " +
         bytes_in_words(Exact(*part.displacement_unit));
}

void print_window(std::ostream& out, const TextContext& context, const WindowUses& window) {
  const Job& job = context.job;
  const JobWindow& first = job.windows[window.parts.front().value];
  out << context.style(Role::heading, window_id(window.number) + "  " + std::string(first.called)) << " in "
      << place_of(job, first.site, context.symbols) << ": " << bytes_in_words(window.bytes) << " in "
      << counted(window.number_of_calls, "call", "calls") << "\n";
  for (std::size_t i = 0; i < std::min(most_listed, window.parts.size()); ++i) {
    out << "  " << part_in_words(job.windows[window.parts[i].value]) << "\n";
  }
  if (window.parts.size() > most_listed) {
    out << "  ... and " << grouped(std::uint64_t{window.parts.size() - most_listed}) << " more\n";
  }
  if (window.calls.empty()) {
    out << "  no one-sided call reached it\n";
    return;
  }
  std::vector<std::array<std::string, 5>> lines{{"  called", "calls", "bytes", "type at the target", "by ranks"}};
  for (const WindowCalls& calls : window.calls) {
    lines.push_back({"  " + printable(calls.called), grouped(calls.calls), bytes_in_words(calls.bytes),
                     type_in_words(job, calls.type), text_of(calls.origins)});
  }
  print_table<5>(out, context.style, lines, {Align::left, Align::right, Align::right, Align::left, Align::none});
}

}  // namespace

void report_windows(std::ostream& out, const TextContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  if (!messages_are_recorded(job)) {
    out << "No windows were recorded: the trace is of an older ddtscope, or DDTSCOPE_MESSAGES was off.\n";
    return;
  }
  const std::vector<WindowUses> all = selected_windows(job, query, context.symbols);
  if (all.empty()) {
    out << (query.filter.empty() ? "The program made no window, as far as the trace tells.\n"
                                 : "No one-sided call is of a type, function, argument or call site \"" +
                                       printable(query.filter) + "\".\n");
    return;
  }
  for (std::size_t i = 0; i < std::min(most_windows, all.size()); ++i) {
    if (i != 0) out << "\n";
    print_window(out, context, all[i]);
  }
  if (all.size() > most_windows) {
    out << "\n... and " << grouped(std::uint64_t{all.size() - most_windows})
        << " more: `ddtscope uses --by window --csv` lists all\n";
  }
}

}  // namespace ddtscope::reporters
