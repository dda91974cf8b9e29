#include "reporters/model/message_comparison.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "reporters/model/channel_verdicts.h"
#include "reporters/model/gathered_ranks.h"
#include "reporters/model/job_communicators.h"
#include "reporters/model/rank_set.h"

namespace ddtscope::reporters {
namespace {

/// Of so many channels the ends of both sides are in memory at a time.
constexpr std::uint64_t channels_at_a_time = std::uint64_t{1} << 22;

/// One side of a channel.
struct ChannelSide {
  JoinedCommunicator communicator;
  std::int32_t source = 0, destination = 0, tag = 0;
  std::uint32_t line = 0;  // which channels of the job's
  bool is_partitioned = false;

  auto channel() const { return std::tuple(communicator, source, destination, tag, is_partitioned); }
};

/// Mismatches that agree in types and call sites are one.
class JoinedMismatches {
 public:
  using Kind = MessageMismatch::Kind;

  explicit JoinedMismatches(const Job& job) {
    std::map<std::tuple<std::uint32_t, std::string_view, trace::UseParameter, std::optional<FrameIndex>>, std::uint32_t>
        known;
    for (const MessageOperation& one : job.messages.operations) {
      const auto number = static_cast<std::uint32_t>(known.size());
      places_.push_back(
          known.try_emplace({one.type ? one.type->value + 1 : 0, one.called, one.parameter, one.site}, number)
              .first->second);
    }
  }

  /// Of one channel, whose place, first message and number it has.
  void add(MessageMismatch&& one) {
    constexpr std::uint32_t none = UINT32_MAX;
    const bool is_truncated = one.verdict == MessageVerdict::truncated;
    const std::tuple key(one.kind, is_truncated, one.sent ? places_[one.sent->value] : none,
                         one.received ? places_[one.received->value] : none);
    const auto [found, is_new] = index_.try_emplace(key, all_.size());
    if (is_new) all_.emplace_back();
    Gathered& gathered = all_[found->second];
    gathered.senders.add(one.place.source);
    gathered.receivers.add(one.place.destination);
    const std::uint64_t count = gathered.mismatch.count + one.count;
    if (is_new || is_better_example(one, gathered.mismatch)) gathered.mismatch = std::move(one);
    gathered.mismatch.count = count;
  }

  std::vector<MessageMismatch> take() {
    std::vector<MessageMismatch> mismatches;
    for (Gathered& gathered : all_) {
      gathered.mismatch.senders = gathered.senders.take();
      gathered.mismatch.receivers = gathered.receivers.take();
      mismatches.push_back(std::move(gathered.mismatch));
    }
    std::sort(mismatches.begin(), mismatches.end(), comes_first);
    return mismatches;
  }

 private:
  struct Gathered {
    MessageMismatch mismatch;
    GatheredRanks senders, receivers;
  };

  static auto place_of(const MessageMismatch& one) {
    return std::tuple(one.place.source, one.place.destination, one.place.predefined, one.place.communicator,
                      one.place.tag, one.place.is_partitioned, one.message, one.sent, one.received);
  }
  static bool is_better_example(const MessageMismatch& one, const MessageMismatch& other) {
    return one.verdict != other.verdict ? one.verdict > other.verdict : place_of(one) < place_of(other);
  }
  /// Most messages first, else in an order that does not depend on that of the files' lines.
  static bool comes_first(const MessageMismatch& one, const MessageMismatch& other) {
    return one.count != other.count ? one.count > other.count
                                    : std::tuple(place_of(one), one.kind) < std::tuple(place_of(other), other.kind);
  }

  std::vector<std::uint32_t> places_;  // by operation
  std::map<std::tuple<Kind, bool, std::uint32_t, std::uint32_t>, std::size_t> index_;
  std::vector<Gathered> all_;
};

class Comparison {
 public:
  explicit Comparison(const Job& job)
      : job_(job), is_complete_(job.complete()), communicators_(job), channels_(job), mismatches_(job) {}

  MessageComparison run() {
    gather_known();
    const std::uint64_t parts = 1 + number_lines() / channels_at_a_time;
    for (std::uint64_t part = 0; part < parts; ++part) compare_part(part, parts);
    result_.mismatches = mismatches_.take();
    for (MessageMismatch& one : result_.mismatches) {
      if (one.kind == MessageMismatch::Kind::differs) one.match = channels_.match(*one.sent, *one.received);
    }
    return std::move(result_);
  }

 private:
  /// Nothing is known of channels that have no line.
  struct Silence {
    ChannelEnd which;  // ChannelEnd::any stands for all
    bool is_partitioned;
    std::string_view why;
  };

  void gather_known() {
    for (const KnownMessages& known : job_.messages.known) {
      known_.add(known.ranks);
      for (const MessagesLeftOut& part : known.left_out) {
        if (part.count != 0) result_.left_out[std::string(part.why)] += part.count;
        if (part.why == "memory" || part.why == "switched off") silent_[part.why].add(known.ranks);
      }
    }
    std::vector<RankRange> unknown;
    const auto look = [&](Rank rank) {
      if (!known_.contains(rank)) unknown.push_back({rank.number, rank.number, rank.world});
    };
    for (const JobRank& rank : job_.ranks) {
      if (rank.header.rank) look(*rank.header.rank);
    }
    for (const Rank rank : job_.missing_ranks) look(rank);
    result_.unknown_ranks = joined_ranks(std::move(unknown));
  }

  /// Which communicator each line is of; how many channels there are.
  std::uint64_t number_lines() {
    std::uint64_t number = 0;
    for (const RankChannels& line : job_.messages.channels) {
      lines_.push_back(communicators_.of(line));
      number += line.ends.size();
      if (!lines_.back()) continue;
      for (const ChannelEnd& end : line.ends) {
        if (end.peer != ChannelEnd::any && end.tag != ChannelEnd::any) continue;
        silences_[{*lines_.back(), line.rank, line.direction}].push_back(
            {end, line.is_partitioned, line.undecided ? line.undecided->why : "wildcard"});
      }
    }
    return number;
  }

  const RankChannels& line_of(const ChannelSide& side) const { return job_.messages.channels[side.line]; }

  void compare_part(std::uint64_t part, std::uint64_t parts) {
    std::vector<ChannelSide> sent;
    std::vector<ChannelSide> received;
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      const RankChannels& line = job_.messages.channels[i];
      const auto own = static_cast<std::int32_t>(line.rank.number);
      const bool is_send = line.direction == ChannelDirection::send;
      for (const ChannelEnd& end : line.ends) {
        if (end.peer == ChannelEnd::any || end.tag == ChannelEnd::any) continue;
        const std::int32_t source = is_send ? own : end.peer;
        if (static_cast<std::uint64_t>(source) % parts != part) continue;
        if (!lines_[i]) {
          not_decided("communicator without a name", {1, channels_.length(line.sequence)});
          continue;
        }
        (is_send ? sent : received)
            .push_back({*lines_[i], source, is_send ? end.peer : own, end.tag, i, line.is_partitioned});
      }
    }
    const auto before = [](const ChannelSide& one, const ChannelSide& other) {
      return one.channel() < other.channel();
    };
    std::sort(sent.begin(), sent.end(), before);
    std::sort(received.begin(), received.end(), before);
    join(sent, received);
  }

  void join(const std::vector<ChannelSide>& sent, const std::vector<ChannelSide>& received) {
    using Sides = std::span<const ChannelSide>;
    Sides sends(sent);
    Sides receives(received);
    const auto take = [](Sides& sides, const auto& channel) {
      std::size_t number = 0;
      while (number < sides.size() && sides[number].channel() == channel) ++number;
      const Sides taken = sides.first(number);
      sides = sides.subspan(number);
      return taken;
    };
    while (!sends.empty() || !receives.empty()) {
      const bool is_send_first =
          receives.empty() || (!sends.empty() && sends.front().channel() < receives.front().channel());
      const auto channel = (is_send_first ? sends : receives).front().channel();
      const Sides of_sender = take(sends, channel);
      const Sides of_receiver = take(receives, channel);
      const ChannelSide& one = (of_sender.empty() ? of_receiver : of_sender).front();
      if (of_sender.size() > 1 || of_receiver.size() > 1) {  // which no process writes
        not_decided("several lines of one channel", {1, channels_.length(line_of(one).sequence)});
      } else if (of_sender.empty() || of_receiver.empty()) {
        judge_alone(one);
      } else {
        judge_both(of_sender.front(), of_receiver.front());
      }
    }
  }

  Rank source_of(const ChannelSide& side) const { return {communicators_.world(side.communicator), side.source}; }
  Rank destination_of(const ChannelSide& side) const {
    return {communicators_.world(side.communicator), side.destination};
  }

  void not_decided(std::string_view why, MessageCount count) {
    result_.all.channels += count.channels;
    result_.all.messages += count.messages;
    add_undecided(why, count);
  }
  void add_undecided(std::string_view why, MessageCount count) {
    MessageCount& sum = result_.undecided[std::string(why)];
    sum.channels += count.channels;
    sum.messages += count.messages;
  }

  /// Why nothing can be said of a channel; empty where something can.
  std::string_view why_not_judged(const ChannelSide& side) {
    if (!known_.contains(source_of(side)) || !known_.contains(destination_of(side))) {
      return "process without messages";
    }
    if (!communicators_.is_told(side.communicator, source_of(side), destination_of(side))) {
      return "communicator that not all of its processes told";
    }
    return {};
  }

  /// Why it is not known whether the other process had this channel, too; empty where it had not.
  std::string_view why_no_other(const ChannelSide& side, ChannelDirection own) {
    const bool is_send = own == ChannelDirection::send;
    const Rank other = is_send ? destination_of(side) : source_of(side);
    const std::int32_t peer = is_send ? side.source : side.destination;
    const auto found =
        silences_.find({side.communicator, other, is_send ? ChannelDirection::receive : ChannelDirection::send});
    if (found != silences_.end()) {
      for (const Silence& silence : found->second) {
        const bool fits = (silence.which.peer == ChannelEnd::any || silence.which.peer == peer) &&
                          (silence.which.tag == ChannelEnd::any || silence.which.tag == side.tag) &&
                          silence.is_partitioned == side.is_partitioned;
        if (fits) return silence.why;
      }
    }
    for (auto& [why, ranks] : silent_) {
      if (ranks.contains(other)) return why;
    }
    return {};
  }

  MessageMismatch mismatch_on(const ChannelSide& side) const {
    MessageMismatch mismatch;
    mismatch.place = {source_of(side),
                      destination_of(side),
                      communicators_.made(side.communicator),
                      communicators_.predefined(side.communicator),
                      side.tag,
                      side.is_partitioned};
    return mismatch;
  }

  /// What one process did on the channel from some operation on, and the other did not. How many that are.
  std::uint64_t add_unmatched(const ChannelSide& side, std::uint64_t from, std::uint64_t known) {
    const RankChannels& line = line_of(side);
    const bool is_send = line.direction == ChannelDirection::send;
    (is_send ? result_.unmatched_sends : result_.unmatched_receives) += known - from;
    for (const CountedOperation& one : operations_from(job_.messages.sequences[line.sequence.value], from)) {
      MessageMismatch mismatch = mismatch_on(side);
      mismatch.kind = is_send ? MessageMismatch::Kind::unmatched_send : MessageMismatch::Kind::unmatched_receive;
      (is_send ? mismatch.sent : mismatch.received) = OperationIndex{one.operation};
      mismatch.count = mismatch.on_channel = one.count;
      mismatch.message = from;
      mismatch.is_unordered = line.is_unordered;
      mismatches_.add(std::move(mismatch));
    }
    return known - from;
  }

  void judge_alone(const ChannelSide& side) {
    const RankChannels& line = line_of(side);
    const std::uint64_t length = channels_.length(line.sequence);
    if (const std::string_view why = why_not_judged(side); !why.empty()) return not_decided(why, {1, length});
    if (line.undecided) return not_decided(line.undecided->why, {1, length});
    if (length == 0) return;
    if (const std::string_view why = why_no_other(side, line.direction); !why.empty()) {
      return not_decided(why, {1, length});
    }
    if (!is_complete_) return not_decided("trace that is not complete", {1, length});
    result_.all.channels += 1;
    result_.all.messages += add_unmatched(side, 0, length);
  }

  void judge_both(const ChannelSide& send, const ChannelSide& receive) {
    const RankChannels& sent = line_of(send);
    const RankChannels& received = line_of(receive);
    const std::uint64_t sent_length = channels_.length(sent.sequence);
    const std::uint64_t received_length = channels_.length(received.sequence);
    const std::uint64_t longer = std::max(sent_length, received_length);
    if (const std::string_view why = why_not_judged(send); !why.empty()) return not_decided(why, {1, longer});
    const auto known = [](const RankChannels& line, std::uint64_t length) {
      return line.undecided ? std::min(length, line.undecided->operation) : length;
    };
    const std::uint64_t messages = std::min(known(sent, sent_length), known(received, received_length));
    result_.all.channels += 1;
    result_.all.messages += longer;
    bool is_fine = messages == 0 || judge_messages(send, receive, messages);
    if (sent.undecided || received.undecided) {
      const bool is_sender_s =
          sent.undecided && (!received.undecided || sent.undecided->operation <= received.undecided->operation);
      add_undecided((is_sender_s ? sent : received).undecided->why, {1, longer - messages});
      is_fine = false;
    } else if (longer != messages) {
      is_fine = false;
      if (is_complete_) {
        add_unmatched(sent_length > received_length ? send : receive, messages, longer);
      } else {
        add_undecided("trace that is not complete", {1, longer - messages});
      }
    }
    if (is_fine) ++result_.matched.channels;
  }

  /// The first messages of both sides. Whether all of them are right.
  bool judge_messages(const ChannelSide& send, const ChannelSide& receive, std::uint64_t messages) {
    const RankChannels& sent = line_of(send);
    const RankChannels& received = line_of(receive);
    const bool is_unordered = sent.is_unordered || received.is_unordered;
    const ChannelVerdict& verdict = channels_.of({sent.sequence, received.sequence, messages, is_unordered});
    result_.matched.messages += verdict.fine;
    if (verdict.not_compared != 0) {
      add_undecided(is_unordered ? "unordered" : "too irregular", {1, verdict.not_compared});
    }
    for (const DifferingMessages& one : verdict.differing) {
      if (one.verdict == MessageVerdict::undecided) {
        add_undecided("too long", {1, one.count});
        continue;
      }
      (one.verdict == MessageVerdict::wrong       ? result_.wrong
       : one.verdict == MessageVerdict::truncated ? result_.truncated
                                                  : result_.same_bytes) += one.count;
      MessageMismatch mismatch = mismatch_on(send);
      mismatch.verdict = one.verdict;
      mismatch.sent = one.sent;
      mismatch.received = one.received;
      mismatch.count = mismatch.on_channel = one.count;
      mismatch.message = one.message;
      mismatch.is_unordered = is_unordered;
      mismatches_.add(std::move(mismatch));
    }
    return verdict.not_compared == 0 && verdict.differing.empty();
  }

  const Job& job_;
  const bool is_complete_;
  JobCommunicators communicators_;
  ChannelVerdicts channels_;
  JoinedMismatches mismatches_;
  MessageComparison result_;
  RankSet known_;
  std::map<std::string_view, RankSet> silent_;            // by why: of their channels without a line nothing is known
  std::vector<std::optional<JoinedCommunicator>> lines_;  // by channels of the job's
  std::map<std::tuple<JoinedCommunicator, Rank, ChannelDirection>, std::vector<Silence>> silences_;
};

}  // namespace

/// Where a job has merged its traces itself, older ones say of all ranks what rank 0 recorded.
bool messages_are_recorded(const Job& job) {
  return !job.messages.known.empty() ||
         std::any_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.messages; });
}

MessageComparison compare_messages(const Job& job) { return Comparison(job).run(); }

}  // namespace ddtscope::reporters
