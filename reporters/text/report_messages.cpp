// How many messages match on both sides, in how many collective operations processes agree, and what could not be
// compared.
#include <algorithm>
#include <string>

#include "reporters/model/uses.h"
#include "reporters/text/message_words.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

/// Why nothing can be said of channels, as a clause.
std::string reason(std::string_view why) {
  if (why == "wildcard") return "a receive from any source never said what it took";
  if (why == "memory") return "a process had no memory to keep them (DDTSCOPE_MAX_MEMORY)";
  if (why == "switched off") return "the program stopped the recording (MPI_Pcontrol)";
  if (why == "cancel") return "an operation before them was cancelled";
  if (why == "failed") return "a call before them returned an error";
  if (why == "type") return "the trace does not have their types";
  if (why == "unordered") return "their order is not known, and their types differ";
  if (why == "too irregular") return "the loops of the two sides have too little in common";
  if (why == "too long") return "their lengths do not fit 128 bits";
  if (why == "process without messages") return "of one of the two processes no messages are known";
  if (why == "trace that is not complete") return "the trace is not complete, and one side has more of them so far";
  if (why == "communicator without a name") return "their communicator has no name that all of its processes know";
  if (why == "communicator that not all of its processes told") {
    return "not all processes of their communicator told its name";
  }
  return printable(why);
}

/// Why the amounts of calls were not compared, as a clause.
std::string reason_of_amounts(std::string_view why) {
  if (why == "neighbours") return "who the neighbours are is not in the trace";
  if (why == "long") return "a process had no room to keep the blocks of its calls (1 MiB)";
  if (why == "group that was not told") return "the trace does not tell who is in their communicator";
  if (why == "too many blocks") return "their communicator has more than 10 million blocks to compare";
  return reason(why);
}

std::string calls_in_words(const CollectiveCount& count) {
  return counted(count.calls, "call", "calls") + " on " + counted(count.communicators, "communicator", "communicators");
}

void report_collectives(std::ostream& out, const TextContext& context) {
  const CollectiveComparison& collectives = context.analysis.collectives();
  if (collectives.all.communicators == 0) return;
  out << context.style(Role::heading, "Collectives") << ": " << calls_in_words(collectives.all);
  if (collectives.agreed.communicators == collectives.all.communicators) {
    out << "; all processes agree\n";
  } else {
    std::string wrong;
    if (collectives.mismatched_communicators != 0) {
      wrong = "on " + counted(collectives.mismatched_communicators, "communicator", "communicators") +
              " processes call other operations";
    }
    if (collectives.differing_calls != 0) {
      wrong += (wrong.empty() ? "" : ", ") + counted(collectives.differing_calls, "call differs", "calls differ") +
               " in types or amounts";
    }
    out << "; processes agree in " << grouped(collectives.agreed.calls)
        << (wrong.empty() ? "" : "; " + context.style(Role::warning, wrong)) << "\n";
  }
  if (collectives.calls_behind != 0) {
    out << "  not judged: " << counted(collectives.calls_behind, "call", "calls") << " behind such a one\n";
  }
  for (const auto& [why, count] : collectives.undecided) {
    out << "  not decided: "
        << (count.calls != 0 ? calls_in_words(count) : counted(count.communicators, "communicator", "communicators"))
        << ": " << reason(why) << "\n";
  }
  for (const auto& [why, count] : collectives.amounts_not_compared) {
    out << "  amounts not compared: " << counted(count, "call", "calls") << ": " << reason_of_amounts(why) << "\n";
  }
}

std::string messages_in_words(const MessageCount& count) {
  return counted(count.messages, "message", "messages") + " on " + counted(count.channels, "channel", "channels");
}

void add_part(std::string& parts, std::uint64_t number, const std::string& words) {
  if (number == 0) return;
  parts += (parts.empty() ? "" : ", ") + grouped(number) + " " + words;
}

/// "; 400 differ, 3 are longer than their receives"
std::string what_does_not_match(const MessageComparison& messages) {
  std::string parts;
  add_part(parts, messages.wrong, messages.wrong == 1 ? "differs" : "differ");
  add_part(parts, messages.same_bytes,
           messages.same_bytes == 1 ? "is of other types and the same bytes" : "are of other types and the same bytes");
  add_part(parts, messages.truncated,
           messages.truncated == 1 ? "is longer than its receive" : "are longer than their receives");
  add_part(parts, messages.unmatched_sends, messages.unmatched_sends == 1 ? "was not received" : "were not received");
  add_part(parts, messages.unmatched_receives,
           messages.unmatched_receives == 1 ? "receive got nothing" : "receives got nothing");
  return parts;
}

}  // namespace

std::string_view why_no_messages(const Job& job) {
  if (is_switched_off(job, "DDTSCOPE_USES")) return "DDTSCOPE_USES was off, without which there are no messages either";
  if (is_switched_off(job, "DDTSCOPE_MESSAGES")) return "DDTSCOPE_MESSAGES was off";
  const auto has_no_rank = [](const JobRank& rank) { return !rank.header.rank.has_value(); };
  if (!job.ranks.empty() && std::all_of(job.ranks.begin(), job.ranks.end(), has_no_rank)) {
    return "the processes use MPI sessions alone, so they have no ranks in MPI_COMM_WORLD by which they would "
           "know each other";
  }
  return "this is of a process's memory or of an older ddtscope, or DDTSCOPE_MESSAGES or DDTSCOPE_USES was off";
}

void report_messages(std::ostream& out, const TextContext& context) {
  const Job& job = context.job;
  if (!messages_are_recorded(job)) {
    out << "No messages were recorded: " << why_no_messages(context.job) << ".\n";
    return;
  }
  const MessageComparison& messages = context.analysis.messages();
  const std::string wrong = what_does_not_match(messages);
  out << context.style(Role::heading, "Messages") << ": ";
  if (messages.all.channels == 0) {
    out << "none from process to process\n";
  } else if (messages.matched.channels == messages.all.channels) {
    out << messages_in_words(messages.all) << "; all match what receives them\n";
  } else {
    out << messages_in_words(messages.all) << "; " << grouped(messages.matched.messages) << " match what receives them"
        << (wrong.empty() ? "" : "; " + context.style(Role::warning, wrong)) << "\n";
  }
  for (const auto& [why, count] : messages.undecided) {
    out << "  not decided: "
        << (count.messages != 0 ? messages_in_words(count) : counted(count.channels, "channel", "channels")) << ": "
        << reason(why) << "\n";
  }
  for (const auto& [why, count] : messages.left_out) {
    out << "  not compared: " << counted(count, "operation", "operations") << ": "
        << (why == "process of another world" ? "the other process is of another world" : reason(why)) << "\n";
  }
  report_collectives(out, context);
  if (!messages.unknown_ranks.empty()) {
    out << "  no messages are known of " << words_of(messages.unknown_ranks)
        << ": killed, still running, or recorded without them\n";
  }
}

}  // namespace ddtscope::reporters
