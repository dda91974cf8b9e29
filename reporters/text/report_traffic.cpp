// Who sends how much to whom.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reporters/model/message_comparison.h"
#include "reporters/text/columns.h"
#include "reporters/text/message_words.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_rows = 1000;

std::string types_text(const Job& job, const Traffic& traffic) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most_listed, traffic.types.size()); ++i) {
    const std::optional<DefinitionId> type = traffic.types[i].type;
    texts.push_back(type ? type_in_words(job, *type) : "nothing");
  }
  return some_listed(texts, traffic.types.size());
}

void print_pairs(std::ostream& out, const TextContext& context, std::span<const Traffic> pairs) {
  std::vector<std::array<std::string, 5>> lines{{"from", "to", "bytes", "messages", "types"}};
  for (const Traffic& one : pairs) {
    lines.push_back({text_of(one.source), text_of(one.destination), bytes_in_words(one.bytes), grouped(one.messages),
                     types_text(context.job, one)});
  }
  print_table<5>(out, context.style, lines, {Align::right, Align::right, Align::right, Align::right, Align::none});
}

void print_communicators(std::ostream& out, const TextContext& context, std::span<const Traffic> communicators) {
  std::vector<std::array<std::string, 4>> lines{{"bytes", "messages", "communicator", "types"}};
  for (const Traffic& one : communicators) {
    lines.push_back({bytes_in_words(one.bytes), grouped(one.messages),
                     communicator_in_words(context.job, one, context.symbols), types_text(context.job, one)});
  }
  print_table<4>(out, context.style, lines, {Align::right, Align::right, Align::left, Align::none});
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
    out << "No messages were recorded: " << why_no_messages(context.job) << ".\n";
    return;
  }
  const std::vector<Traffic> all = selected_traffic(job, query, context.symbols);
  if (all.empty()) {
    out << (query.filter.empty()
                ? "No process sent a message to another one, as far as the trace tells.\n"
                : "No message is of a type, function, argument or call site \"" + printable(query.filter) + "\".\n");
    return;
  }
  const std::span<const Traffic> shown(all.data(), std::min(most_rows, all.size()));
  query.by == UsesBy::pair ? print_pairs(out, context, shown) : print_communicators(out, context, shown);
  if (all.size() > most_rows) {
    out << "... and " << grouped(std::uint64_t{all.size() - most_rows}) << " more: `ddtscope uses --by "
        << (query.by == UsesBy::pair ? "pair" : "comm") << " --csv` lists all\n";
  }
}

}  // namespace ddtscope::reporters
