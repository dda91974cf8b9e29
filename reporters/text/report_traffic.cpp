// Who sends how much to whom.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reporters/model/message_comparison.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_rows = 1000;

/// "T3 'column', MPI_INT and 2 more"
std::string types_text(const Job& job, const Traffic& traffic) {
  constexpr std::size_t most = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, traffic.types.size()); ++i) {
    const std::optional<DefinitionId> type = traffic.types[i].type;
    list += (i == 0 ? "" : ", ") + (type ? type_in_words(job, *type) : std::string("nothing"));
  }
  if (traffic.types.size() > most) list += " and " + grouped(std::uint64_t{traffic.types.size() - most}) + " more";
  return list;
}

}  // namespace

std::string communicator_in_words(const Job& job, const Traffic& traffic, Symbols& symbols) {
  if (!traffic.made) return std::string(name_of(traffic.predefined));
  const JobCommunicator& made = job.communicators[traffic.made->value];
  return printable(made.called) + " in " + place_of(job, made.site, symbols);
}

void report_traffic(std::ostream& out, const TextContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  if (!messages_are_recorded(job)) {
    out << "No messages were recorded: the trace is of an older ddtscope, or DDTSCOPE_MESSAGES was off.\n";
    return;
  }
  const std::vector<Traffic> all = selected_traffic(job, query, context.symbols);
  if (all.empty()) {
    out << (query.filter.empty()
                ? "No process sent a message to another one, as far as the trace tells.\n"
                : "No message is of a type, function, argument or call site \"" + printable(query.filter) + "\".\n");
    return;
  }
  const bool is_pair = query.by == UsesBy::pair;
  constexpr std::size_t columns = 5;
  std::vector<std::array<std::string, columns>> lines;
  lines.push_back({is_pair ? "from" : "bytes", is_pair ? "to" : "messages", is_pair ? "bytes" : "communicator",
                   is_pair ? "messages" : "types", is_pair ? "types" : ""});
  for (std::size_t i = 0; i < std::min(most_rows, all.size()); ++i) {
    const Traffic& one = all[i];
    const std::string bytes = bytes_in_words(one.bytes);
    if (is_pair) {
      lines.push_back(
          {text_of(one.source), text_of(one.destination), bytes, grouped(one.messages), types_text(job, one)});
    } else {
      lines.push_back(
          {bytes, grouped(one.messages), communicator_in_words(job, one, context.symbols), types_text(job, one), ""});
    }
  }
  const std::array<Align, columns> alignment =
      is_pair ? std::array{Align::right, Align::right, Align::right, Align::right, Align::none}
              : std::array{Align::right, Align::right, Align::left, Align::left, Align::none};
  print_columns<columns>(lines, alignment, [&](std::size_t line, const std::string& text) {
    // The last column is empty where the sums are of communicators.
    const std::string whole = text.substr(0, text.find_last_not_of(' ') + 1);
    out << (line == 0 ? context.style(Role::heading, whole) : whole) << "\n";
  });
  if (all.size() > most_rows) {
    out << "... and " << grouped(std::uint64_t{all.size() - most_rows})
        << " more: `ddtscope uses --by pair --csv` lists all\n";
  }
}

}  // namespace ddtscope::reporters
