// What the ranks of a job that runs, hangs or was killed are in the middle of.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/findings/finding_kinds.h"
#include "reporters/model/message_comparison.h"
#include "reporters/model/uses.h"
#include "reporters/text/message_words.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

using trace::PendingCall;
using trace::PendingDirection;

constexpr std::size_t most_sentences = 200;  // of what many ranks wait for, each in its own way

std::string words_of_ranks(const std::vector<Rank>& ranks) {
  std::vector<RankRange> ranges;
  for (const Rank rank : ranks) ranges.push_back({rank.number, rank.number, rank.world});
  return words_of(joined_ranks(std::move(ranges)));
}

/// Whether such a call synchronises a window.
bool is_of_window(std::string_view called) { return bare_function_of(called).starts_with("win_"); }

/// Sentences about ranks: those that are the same are one, of all of them.
class Sentences {
 public:
  void add(Rank rank, const std::string& words) {
    std::vector<Rank>& ranks = ranks_[words];
    if (ranks.empty()) order_.push_back(words);
    ranks.push_back(rank);
  }
  bool empty() const { return order_.empty(); }
  void write(std::ostream& out, const std::string& behind_ranks) const {
    const std::size_t shown = std::min(most_sentences, order_.size());
    for (std::size_t i = 0; i < shown; ++i)
      out << "  " << words_of_ranks(ranks_.at(order_[i])) << behind_ranks << order_[i] << "\n";
    if (order_.size() > shown)
      out << "  ... and " << grouped(order_.size() - shown) << " more: `ddtscope pending --json` lists all\n";
  }

 private:
  std::map<std::string, std::vector<Rank>> ranks_;
  std::vector<std::string> order_;
};

class PendingReport {
 public:
  PendingReport(std::ostream& out, const TextContext& context, const WaitingRanks& waiting)
      : out_(out), context_(context), waiting_(waiting) {
    for (const RankWaiting& rank : waiting.ranks) by_rank_[rank.rank] = &rank;
  }

  void write() {
    if (says_nothing()) return;
    write_aborts();
    write_stuck();
    write_calls();
    write_started();
    write_states();
  }

 private:
  /// Who ended the job, and with it the others.
  void write_aborts() {
    for (const CallFinding& found : context_.job.call_findings) {
      if (found.finding != kind_of(FindingId::job_aborted).id) continue;
      if (!std::exchange(are_aborts_told_, true)) begin_part();
      std::string words = words_of(found.ranks);
      words.front() = 'R';
      if (found.site) words += ", " + place_of(context_.job, found.site, context_.symbols);
      out_ << words << ": " << printable(found.message) << "\n";
    }
  }

  bool says_nothing() {
    const auto is = [&](RankState state) {
      return !waiting_.ranks.empty() && std::all_of(waiting_.ranks.begin(), waiting_.ranks.end(),
                                                    [&](const RankWaiting& rank) { return rank.state == state; });
    };
    if (is(RankState::ended)) {
      const bool is_recorded = std::any_of(waiting_.ranks.begin(), waiting_.ranks.end(),
                                           [](const RankWaiting& rank) { return rank.records != nullptr; });
      if (is_recorded) return false;
      out_ << "Nothing is pending: the job has ended.\n";
      if (!messages_are_recorded(context_.job)) {
        out_ << "No messages were recorded: " << why_no_messages(context_.job) << ".\n";
      }
      return true;
    }
    if (!is(RankState::not_recorded)) return false;
    write_problems();
    return true;
  }

  /// Behind a blank line, where there is something above.
  void begin_part() {
    if (!is_first_part_) out_ << "\n";
    is_first_part_ = false;
  }

  void write_stuck() {
    for (const std::vector<Rank>& cycle : waiting_.cycles) {
      std::string words = context_.style(Role::warning, "Deadlock") + ": rank " + text_of(cycle.front());
      constexpr std::size_t most = 8;
      for (std::size_t i = 1; i < std::min(cycle.size(), most); ++i)
        words += " waits for rank " + text_of(cycle[i]) + ", which";
      if (cycle.size() > most)
        words += " waits for " + grouped(cycle.size() - most) + " more in a row, the last of which";
      out_ << words << " waits for rank " << text_of(cycle.front()) << ".\n";
    }
    std::vector<Rank> stuck;
    bool may_call_elsewhere = false;
    for (const RankWaiting& rank : waiting_.ranks) {
      if (!rank.is_stuck) continue;
      stuck.push_back(rank.rank);
      may_call_elsewhere = may_call_elsewhere || rank.may_call_elsewhere;
    }
    if (stuck.empty()) return;
    std::string words = words_of_ranks(stuck) + (stuck.size() == 1 ? " waits" : " wait") + " for what never comes";
    if (may_call_elsewhere) words += ", unless a thread that has not called MPI yet does what is missing";
    words.front() = 'R';
    out_ << (waiting_.cycles.empty() ? context_.style(Role::warning, words) : words) << ".\n";
    is_first_part_ = false;
  }

  void write_calls() {
    Sentences sentences;
    for (const bool is_stuck : {true, false}) {
      for (const RankWaiting& rank : waiting_.ranks) {
        for (const WaitingCall& call : rank.calls) {
          if (call.is_stuck == is_stuck) sentences.add(rank.rank, " in " + call_in_words(rank, call));
        }
      }
    }
    if (sentences.empty()) return;
    begin_part();
    out_ << context_.style(Role::heading, "Waiting") << "\n";
    sentences.write(out_, "");
  }

  std::string called_at(const MessageOperation* operation) {
    if (operation == nullptr) return "a call that there was no room to record";
    return printable(operation->called) +
           (operation->site ? ", " + place_of(context_.job, operation->site, context_.symbols) : "");
  }

  std::string call_in_words(const RankWaiting& rank, const WaitingCall& call) {
    std::string words = called_at(call.operation);
    for (const Need& need : call.needs)
      words += (&need == call.needs.data() ? ": " : "; and ") + need_in_words(rank, need, call.operation);
    if (call.call != PendingCall::wait_all && call.call != PendingCall::wait_any) return words;
    std::size_t complete = 0;
    std::vector<std::string> missing;
    for (const StartedOperation& request : call.requests) {
      if (request.need.partner == Partner::exists) {
        ++complete;
      } else {
        missing.push_back(printable(request.operation->called) + ": " +
                          need_in_words(rank, request.need, request.operation));
      }
    }
    words += call.call == PendingCall::wait_all ? " for all of " : " for one of ";
    words += counted(call.requests.size(), "operation", "operations");
    if (!call.are_requests_whole) words += " and others";
    if (complete != 0) words += ", of " + grouped(complete) + " of which the other side has begun";
    constexpr std::size_t most = 4;
    for (std::size_t i = 0; i < std::min(missing.size(), most); ++i) words += "; " + missing[i];
    if (missing.size() > most) words += "; and " + grouped(missing.size() - most) + " more";
    return words;
  }

  std::string communicator(const Need& need) {
    if (need.channel.predefined == 1) return "MPI_COMM_WORLD";
    if (need.channel.predefined == 2) return "MPI_COMM_SELF";
    for (const JobCommunicator& made : context_.job.communicators) {
      if (!made.name || *made.name != need.channel.communicator) continue;
      return "the communicator of " + printable(made.called) +
             (made.site ? ", " + place_of(context_.job, made.site, context_.symbols) : "");
    }
    return "a communicator that is not in the trace";
  }

  std::string what_it_does(Rank rank) {
    const auto found = by_rank_.find(rank);
    if (found == by_rank_.end()) return {};
    switch (found->second->state) {
      case RankState::ended:
        return " and has ended";
      case RankState::aborted:
        return " and has called MPI_Abort";
      case RankState::finalizes:
        return " and is in MPI_Finalize";
      default:
        return {};
    }
  }

  /// "whether ", behind what the peer does where that is known.
  std::string whether(const RankWaiting& rank, const Need& need) {
    if (need.channel.peer == trace::pending_any) return "whether ";
    const std::string does = what_it_does(Rank{rank.rank.world, need.channel.peer});
    return does.empty() ? "whether " : "it" + does.substr(4) + ", whether ";
  }

  std::string need_in_words(const RankWaiting& rank, const Need& need, const MessageOperation* operation) {
    if (!need.has_channel) {
      if (operation != nullptr && is_of_window(operation->called)) {
        return "with other processes of its window: nobody knows which of them";
      }
      const bool may_be_left_out = rank.records == nullptr || rank.records->file.header.channels_left_out != 0;
      return may_be_left_out
                 ? "nobody knows for what"
                 : "on a communicator that has no name, or with a process of another world: nobody knows for "
                   "what";
    }
    const std::string on = need.channel.predefined == 1 ? "" : " on " + communicator(need);
    const std::string tag =
        need.channel.tag == trace::pending_any ? "any tag" : "tag " + std::to_string(need.channel.tag);
    const std::string peer = need.channel.peer == trace::pending_any
                                 ? "any rank"
                                 : "rank " + text_of(Rank{rank.rank.world, need.channel.peer});
    switch (need.direction) {
      case PendingDirection::send:
        return "to " + peer + " with " + tag + on + partner_of_send(rank, need);
      case PendingDirection::receive:
      case PendingDirection::probe:
        return "for " + tag + " of " + peer + on + partner_of_receive(rank, need);
      case PendingDirection::collective:
        return "on " + communicator(need) + partner_of_collective(need);
    }
    return "nobody knows for what";
  }

  std::string partner_of_send(const RankWaiting& rank, const Need& need) {
    switch (need.partner) {
      case Partner::exists:
        return ", which has begun to receive it";
      case Partner::unknown:
        return "; " + whether(rank, need) + "that has begun to receive it is not known";
      case Partner::none:
        break;
    }
    const std::string begun = need.started_there == 0
                                  ? std::string(", which has begun no receive of it")
                                  : ", which has begun " + counted(need.started_there, "receive", "receives") +
                                        ", all of them of messages before it";
    return begun + what_it_does(need.of().front());
  }

  std::string partner_of_receive(const RankWaiting& rank, const Need& need) {
    switch (need.partner) {
      case Partner::exists:
        return ", which has been sent";
      case Partner::unknown:
        return "; " + whether(rank, need) + "that has been sent is not known";
      case Partner::none:
        break;
    }
    if (need.takes == Need::Takes::one)
      return need.channel.peer == trace::pending_any ? ", and no rank has sent one that is left"
                                                     : ", which has sent none that is left";
    const std::string sent = need.started_there == 0
                                 ? std::string(", which has sent none")
                                 : ", which has sent " + grouped(need.started_there) + ", all received";
    return sent + what_it_does(need.of().front());
  }

  std::string partner_of_collective(const Need& need) {
    switch (need.partner) {
      case Partner::exists:
        return ", in which all ranks are";
      case Partner::unknown:
        return "; whether all ranks are in it is not known";
      case Partner::none:
        break;
    }
    return ", which " + words_of_missing(need) + (need.of().size() == 1 ? " has" : " have") + " not called";
  }

  /// Ranks that wait together have one list of whom they wait for.
  const std::string& words_of_missing(const Need& need) {
    const auto [found, is_new] = words_of_missing_.try_emplace(need.missing.get());
    if (is_new) found->second = words_of_ranks(need.of());
    return found->second;
  }

  void write_started() {
    Sentences sentences;
    for (const RankWaiting& rank : waiting_.ranks) {
      std::map<std::string, std::size_t> counts;
      for (const StartedOperation& started : rank.started) ++counts[started_in_words(rank, started)];
      for (const auto& [words, count] : counts) {
        sentences.add(rank.rank, (count > 1 ? grouped(count) + " x " : std::string()) + words);
      }
    }
    if (!sentences.empty()) {
      begin_part();
      out_ << context_.style(Role::heading, "Started and not complete") << "\n";
      sentences.write(out_, ": ");
    }
    for (const RankWaiting& rank : waiting_.ranks) {
      const std::uint64_t left_out = rank.records != nullptr ? rank.records->file.header.started_left_out : 0;
      if (left_out != 0) {
        out_ << "  rank " << text_of(rank.rank) << ": " << counted(left_out, "operation", "operations")
             << " found no room to be recorded, and may be complete or not\n";
      }
    }
  }

  std::string started_in_words(const RankWaiting& rank, const StartedOperation& started) {
    const MessageOperation& operation = *started.operation;
    std::string words = called_at(&operation);
    if (operation.type) {
      words += ", " + grouped(operation.elements) + " x " + type_in_words(context_.job, *operation.type);
    }
    return words + ", " + need_in_words(rank, started.need, &operation);
  }

  void write_states() {
    std::map<RankState, std::vector<Rank>> ranks;
    for (const RankWaiting& rank : waiting_.ranks) {
      if (rank.calls.empty() || rank.state != RankState::runs) ranks[rank.state].push_back(rank.rank);
    }
    bool is_first = true;
    const auto tell = [&](RankState state, const char* of_one, const char* of_many) {
      const std::vector<Rank>& those = ranks[state];
      if (those.empty()) return;
      std::string words = words_of_ranks(those) + (those.size() == 1 ? of_one : of_many);
      words.front() = 'R';
      if (is_first) begin_part();
      is_first = false;
      out_ << words << "\n";
    };
    tell(RankState::runs, " is in no call that is known to wait.", " are in no call that is known to wait.");
    tell(RankState::finalizes, " is in MPI_Finalize.", " are in MPI_Finalize.");
    tell(RankState::ended, " has ended.", " have ended.");
    if (!are_aborts_told_) tell(RankState::aborted, " has called MPI_Abort.", " have called MPI_Abort.");
    tell(RankState::switched_off,
         ": the recording of messages was stopped (MPI_Pcontrol, or MPI_Finalize while sessions are open).",
         ": the recording of messages was stopped (MPI_Pcontrol, or MPI_Finalize while sessions are open).");
    tell(RankState::not_recorded, ": nothing is known of it.", ": nothing is known of them.");
    write_problems();
  }

  void write_problems() {
    for (const RankWaiting& rank : waiting_.ranks) {
      if (rank.records != nullptr && !rank.records->problem.empty()) out_ << printable(rank.records->problem) << "\n";
    }
  }

  std::ostream& out_;
  const TextContext& context_;
  const WaitingRanks& waiting_;
  std::map<Rank, const RankWaiting*> by_rank_;
  std::map<const std::vector<Rank>*, std::string> words_of_missing_;
  bool is_first_part_ = true;
  bool are_aborts_told_ = false;
};

}  // namespace

void report_pending(std::ostream& out, const TextContext& context, const WaitingRanks& waiting) {
  PendingReport(out, context, waiting).write();
}

}  // namespace ddtscope::reporters
