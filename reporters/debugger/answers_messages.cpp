// What a process is in the middle of: calls that wait, operations that are started, channels.
#include <string>

#include "reporters/debugger/session.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

using trace::PendingCall;
using trace::PendingChannel;
using trace::PendingDirection;

class MessagesText {
 public:
  MessagesText(DebugSession& session, const RankPending& records) : session_(session), records_(records) {}

  std::string text() {
    tell_state();
    tell_threads();
    tell_started();
    tell_channels();
    return std::move(text_);
  }

 private:
  const Job& job() const { return session_.job(); }

  void tell_state() {
    if (session_.view().may_pending_be_later) {
      text_ +=
          "Cores mostly lack the mapped file in which this stands: then it is what the file holds now, which is of "
          "later where the process went on.\n";
    }
    switch (trace::PendingState{records_.file.header.state}) {
      case trace::PendingState::switched_off:
        text_ +=
            "The recording of messages was stopped (MPI_Pcontrol, or MPI_Finalize while sessions are open): what "
            "follows is as it was then.\n";
        break;
      case trace::PendingState::ended:
        text_ += "The process has ended, without MPI_Finalize.\n";
        break;
      case trace::PendingState::runs:
        break;
    }
  }

  std::string called_at(std::uint32_t operation) {
    if (operation == trace::pending_none) return "a call that there was no room to record";
    const MessageOperation& known = records_.operations[operation];
    return printable(known.called) + (known.site ? ", " + place_of(job(), known.site, session_.symbols()) : "");
  }
  /// ", 4 x MPI_INT"; empty where no type belongs to it.
  std::string amount(std::uint32_t operation) {
    if (operation == trace::pending_none) return {};
    const MessageOperation& known = records_.operations[operation];
    return known.type ? ", " + grouped(known.elements) + " x " + type_in_words(job(), *known.type) : "";
  }

  std::string communicator(const PendingChannel& channel) {
    if (channel.predefined == 1) return "MPI_COMM_WORLD";
    if (channel.predefined == 2) return "MPI_COMM_SELF";
    return "communicator " + key_text(channel.communicator);
  }
  /// "from rank 2, tag 7"; on another communicator than MPI_COMM_WORLD that, too.
  std::string channel_in_words(std::uint32_t number) {
    if (number == trace::pending_none) return "on a channel that is not known";
    const PendingChannel& channel = records_.file.channels[number];
    const auto direction = PendingDirection{channel.direction};
    if (direction == PendingDirection::collective) return "on " + communicator(channel);
    std::string words = direction == PendingDirection::send ? "to " : "from ";
    words += channel.peer == trace::pending_any ? "any rank" : "rank " + std::to_string(channel.peer);
    words += channel.tag == trace::pending_any ? ", any tag" : ", tag " + std::to_string(channel.tag);
    if (channel.predefined != 1) words += ", on " + communicator(channel);
    if ((channel.flags & PendingChannel::is_partitioned) != 0) words += ", partitioned";
    return words;
  }
  /// ", number 3 there".
  static std::string place_in_words(std::uint64_t place) {
    return place != trace::pending_no_place ? ", number " + grouped(place + 1) + " there" : std::string();
  }

  void tell_threads() {
    for (const trace::PendingThread& thread : records_.file.threads) {
      if (thread.thread == 0) continue;
      text_ += "Thread " + std::to_string(thread.thread) + " is in " + call_in_words(thread) + "\n";
    }
    if (const std::uint64_t more = records_.file.header.threads_left_out; more != 0) {
      text_ += counted(more, "more thread", "more threads") + " found no room.\n";
    }
    if (records_.file.threads.empty()) text_ += "No thread has been in a call that waits.\n";
  }
  std::string call_in_words(const trace::PendingThread& thread) {
    switch (PendingCall{thread.call}) {
      case PendingCall::none:
        return "no MPI call that waits.";
      case PendingCall::finalize:
        return "MPI_Finalize.";
      case PendingCall::message:
      case PendingCall::collective: {
        std::string words = called_at(thread.operation) + amount(thread.operation) + ": " +
                            channel_in_words(thread.channel[0]) + place_in_words(thread.place[0]);
        if (thread.channel[1] != trace::pending_none) {
          words += "; and " + channel_in_words(thread.channel[1]) + place_in_words(thread.place[1]);
        }
        return words + ".";
      }
      case PendingCall::wait_all:
      case PendingCall::wait_any:
        break;
    }
    std::string words = called_at(thread.operation) + ", for ";
    words += PendingCall{thread.call} == PendingCall::wait_all ? "all of " : "one of ";
    words += counted(thread.requests, "request", "requests");
    constexpr std::size_t most = 4;
    const std::size_t known = std::min<std::size_t>(thread.requests, trace::PendingThread::most_requests);
    for (std::size_t i = 0; i < std::min(known, most); ++i) {
      words += (i == 0 ? ": " : ", ") + hexadecimal(thread.request[i]);
    }
    return words + (thread.requests > most ? ", ..." : "") + ".";
  }

  void tell_started() {
    if (!records_.file.started.empty()) text_ += "Started and not complete\n";
    constexpr std::size_t most = 100;
    std::size_t told = 0;
    for (const trace::PendingStarted& started : records_.file.started) {
      if (++told > most) break;
      text_ += "  request " + hexadecimal(started.request) + ": " + called_at(started.operation) +
               amount(started.operation) + ": " + channel_in_words(started.channel) + place_in_words(started.place) +
               "\n";
    }
    if (records_.file.started.size() > most) {
      text_ += "  and " + grouped(records_.file.started.size() - most) + " more\n";
    }
    if (const std::uint64_t more = records_.file.header.started_left_out; more != 0) {
      text_ += "  " + counted(more, "operation", "operations") +
               " found no room to be recorded, and may be complete or not\n";
    }
  }

  void tell_channels() {
    bool is_first = true;
    for (std::uint32_t number = 0; number < records_.file.channels.size(); ++number) {
      const PendingChannel& channel = records_.file.channels[number];
      const bool is_pattern = (channel.flags & PendingChannel::is_pattern) != 0;
      if (is_pattern || PendingDirection{channel.direction} == PendingDirection::probe) continue;
      if (is_first) text_ += "Channels\n";
      is_first = false;
      const bool is_collective = PendingDirection{channel.direction} == PendingDirection::collective;
      text_ += "  " + channel_in_words(number) + ": " +
               (is_collective ? counted(channel.started, "collective operation", "collective operations")
                              : counted(channel.started, "operation", "operations")) +
               " begun";
      if ((channel.flags & PendingChannel::is_unknown) != 0) text_ += ", from some place on not known";
      text_ += "\n";
    }
    if (const std::uint64_t more = records_.file.header.channels_left_out; more != 0) {
      text_ += "  " + counted(more, "operation", "operations") + " on channels that found no room\n";
    }
  }

  DebugSession& session_;
  const RankPending& records_;
  std::string text_;
};

}  // namespace

std::string messages_under_way(DebugSession& session) {
  const std::vector<RankPending>& pending = session.job().pending;
  if (!pending.empty() && pending.front().problem.empty()) return MessagesText(session, pending.front()).text();
  const std::string& problem = session.view().pending_problem;
  return (problem.empty() ? "What is under way was not recorded in this process." : printable(problem)) + "\n";
}

}  // namespace ddtscope::reporters
