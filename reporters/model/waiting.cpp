#include "reporters/model/waiting.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "decoder/base/lower_case.h"
#include "reporters/model/paired_operations.h"
#include "reporters/model/stuck_ranks.h"
#include "reporters/trace/read/pending_reader.h"

namespace ddtscope::reporters {
namespace {

using trace::PendingCall;
using trace::PendingChannel;
using trace::PendingDirection;

/// As its processes know a communicator: predefined, or its name.
using Communicator = std::tuple<WorldNumber, std::uint32_t, std::uint64_t>;

Communicator communicator_of(Rank rank, const PendingChannel& channel) {
  constexpr std::uint32_t self = 2;
  const auto own = static_cast<std::uint64_t>(rank.number);
  return {rank.world, channel.predefined, channel.predefined == self ? own : channel.communicator};
}

bool has(const PendingChannel& channel, std::uint32_t flag) { return (channel.flags & flag) != 0; }

/// Whether the number of its operations says which of them has its partner.
bool is_sure(const PendingChannel& channel) {
  return !has(channel, PendingChannel::is_unknown | PendingChannel::is_unordered);
}

bool covers(const PendingChannel& pattern, std::int64_t peer, std::int32_t tag) {
  return (pattern.peer == trace::pending_any || pattern.peer == peer) &&
         (pattern.tag == trace::pending_any || pattern.tag == tag);
}

PendingDirection direction_of(const PendingChannel& channel) { return PendingDirection{channel.direction}; }

bool calls_one_of(std::string_view called, std::initializer_list<std::string_view> words) {
  const std::string name = lower_case(std::string(called));
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return name.find(word) != name.npos; });
}

/// One rank's channels, to be found by others.
class ChannelsOfRank {
 public:
  explicit ChannelsOfRank(const RankPending& records) : records_(records) {
    for (std::uint32_t i = 0; i < records.file.channels.size(); ++i) {
      const PendingChannel& channel = records.file.channels[i];
      if (has(channel, PendingChannel::is_pattern)) {
        patterns_.push_back(i);
      } else {
        by_key_.emplace(key_of(channel), i);
      }
    }
    for (const trace::PendingStarted& started : records.file.started) active_.insert(started.channel);
    for (const trace::PendingThread& thread : records.file.threads) {
      if (thread.call == 0) continue;
      active_.insert(thread.channel[0]);
      active_.insert(thread.channel[1]);
    }
  }

  const PendingChannel* find(const PendingChannel& channel) const {
    const auto found = by_key_.find(key_of(channel));
    return found != by_key_.end() ? &records_.file.channels[found->second] : nullptr;
  }
  bool has_patterns() const { return !patterns_.empty(); }
  bool is_whole() const { return records_.file.header.channels_left_out == 0; }
  bool misses_operations() const {
    return records_.file.header.started_left_out != 0 || records_.file.header.operations_left_out != 0 ||
           records_.file.header.threads_left_out != 0;
  }
  /// Whether a receive whose place nobody knows yet may take a message from there.
  bool may_take(const Communicator& communicator, std::int64_t source, std::int32_t tag) const {
    return std::any_of(patterns_.begin(), patterns_.end(), [&](std::uint32_t number) {
      const PendingChannel& pattern = records_.file.channels[number];
      const bool is_there = active_.contains(number) || has(pattern, PendingChannel::is_unknown);
      return is_there && direction_of(pattern) == PendingDirection::receive && covers(pattern, source, tag) &&
             communicator_of(records_.rank, pattern) == communicator;
    });
  }
  const RankPending& records() const { return records_; }

 private:
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int32_t, bool>;
  static Key key_of(const PendingChannel& channel) {
    return {channel.communicator, channel.predefined, channel.direction,
            channel.peer,         channel.tag,        has(channel, PendingChannel::is_partitioned)};
  }

  const RankPending& records_;
  std::map<Key, std::uint32_t> by_key_;
  std::vector<std::uint32_t> patterns_;
  std::set<std::uint32_t> active_;  // channels of operations that are not complete
};

using SharedRanks = std::shared_ptr<const std::vector<Rank>>;

class Ranks {
 public:
  explicit Ranks(const Job& job) : job_(job) {
    for (const RankPending& records : job.pending) {
      known_.insert(records.rank);
      const bool is_silent = trace::PendingState{records.file.header.state} == trace::PendingState::switched_off;
      if (records.problem.empty() && !is_silent) sides_.emplace(records.rank, ChannelsOfRank(records));
    }
    for (const JobRank& rank : job.ranks) {
      if (rank.header.rank) ranks_[*rank.header.rank] = &rank;
    }
    for (RankPending& records : traces_of_ended()) {
      ended_.push_back(std::move(records));
      sides_.emplace(ended_.back().rank, ChannelsOfRank(ended_.back()));
    }
  }

  /// Null where nothing is known of it.
  const ChannelsOfRank* side(Rank rank) const {
    const auto found = sides_.find(rank);
    return found != sides_.end() ? &found->second : nullptr;
  }
  /// Those of a communicator; none where they are not known.
  const std::vector<Rank>& members(Rank rank, const PendingChannel& channel) {
    const auto [found, is_new] = members_.try_emplace(communicator_of(rank, channel));
    if (is_new) found->second = find_members(rank, channel);
    return found->second;
  }

  /// Those of a communicator from whom a receive may be; null where nobody knows what all of them have sent.
  SharedRanks sources(Rank rank, const PendingChannel& channel) {
    const auto [found, is_new] = sources_.try_emplace(communicator_of(rank, channel));
    if (!is_new) return found->second;
    const std::vector<Rank>& all = members(rank, channel);
    const bool are_known = !all.empty() && std::all_of(all.begin(), all.end(), [&](Rank member) {
      const ChannelsOfRank* const member_side = side(member);
      return member_side != nullptr && member_side->is_whole();
    });
    if (are_known) found->second = std::make_shared<const std::vector<Rank>>(all);
    return found->second;
  }
  struct SentChannel {
    Rank sender;
    const PendingChannel* channel;
  };
  /// All channels of messages to a rank on a communicator, but for partitioned ones.
  const std::vector<SentChannel>& sent_to(Rank rank, const PendingChannel& channel) {
    if (!is_sent_known_) add_sent();
    return sent_[{communicator_of(rank, channel), rank.number}];
  }

  /// What is there for a receive from any source, or of any tag.
  struct AnswerOfAny {
    Partner partner = Partner::unknown;
    SharedRanks missing;
  };
  /// By the channel of the receive, as its rank's records have it: all receives in it get the same answer.
  std::map<const PendingChannel*, AnswerOfAny>& answers_of_any() { return answers_of_any_; }

  /// Who has not called a collective operation; null where nobody knows.
  SharedRanks missing(Rank rank, const PendingChannel& channel, std::uint64_t place) {
    const auto [found, is_new] = missing_.try_emplace({communicator_of(rank, channel), place});
    if (!is_new) return found->second;
    const std::vector<Rank>& all = members(rank, channel);
    if (all.empty()) return nullptr;
    std::vector<Rank> missing;
    for (const Rank member : all) {
      const ChannelsOfRank* const member_side = side(member);
      if (member_side == nullptr) return nullptr;
      const PendingChannel* const there = member_side->find(channel);
      if (there == nullptr ? !member_side->is_whole() : !is_sure(*there)) return nullptr;
      if (there == nullptr || there->started <= place) missing.push_back(member);
    }
    return found->second = std::make_shared<const std::vector<Rank>>(std::move(missing));
  }

 private:
  /// Every channel once, for all who receive from any source.
  void add_sent() {
    is_sent_known_ = true;
    for (const auto& [sender, side] : sides_) {
      for (const PendingChannel& channel : side.records().file.channels) {
        const bool is_sent =
            direction_of(channel) == PendingDirection::send && !has(channel, PendingChannel::is_partitioned);
        if (is_sent) sent_[{communicator_of(sender, channel), channel.peer}].push_back({sender, &channel});
      }
    }
  }

  /// A process that has ended in order has no file of what it was in the middle of any more: its trace says what it
  /// had.
  std::vector<RankPending> traces_of_ended() const {
    if (job_.pending.empty()) return {};
    std::map<Rank, RankPending> ended;
    for (const KnownMessages& known : job_.messages.known) {
      for (const RankRange& range : known.ranks.ranges()) {
        const auto behind = ranks_.upper_bound(Rank{range.world, range.last});
        for (auto found = ranks_.lower_bound(Rank{range.world, range.first}); found != behind; ++found) {
          const Rank rank = found->first;
          if (!found->second->end || known_.contains(rank)) continue;
          RankPending& records = ended[rank];
          records.rank = rank;
          for (const MessagesLeftOut& part : known.left_out) {
            if (part.why == "memory" || part.why == "switched off") records.file.header.channels_left_out = 1;
          }
        }
      }
    }
    if (ended.empty()) return {};
    for (const RankChannels& channels : job_.messages.channels) {
      if (const auto found = ended.find(channels.rank); found != ended.end()) add_channels(channels, found->second);
    }
    for (const RankCollectives& collectives : job_.messages.collectives) {
      const auto found = ended.find(collectives.rank);
      if (found == ended.end()) continue;
      PendingChannel channel{};
      channel.direction = static_cast<std::uint32_t>(PendingDirection::collective);
      if (!set_communicator(collectives, channel)) continue;
      channel.started = calls_of(collectives);
      if (collectives.undecided) channel.flags = PendingChannel::is_unknown;
      found->second.file.channels.push_back(channel);
    }
    std::vector<RankPending> all;
    for (auto& [rank, records] : ended) all.push_back(std::move(records));
    return all;
  }

  void add_channels(const RankChannels& channels, RankPending& records) const {
    PendingChannel channel{};
    channel.direction = static_cast<std::uint32_t>(
        channels.direction == ChannelDirection::send ? PendingDirection::send : PendingDirection::receive);
    if (!set_communicator(channels, channel)) return;
    channel.started = length_of(job_.messages.sequences[channels.sequence.value]);
    const std::uint32_t flags = (channels.is_partitioned ? PendingChannel::is_partitioned : 0) |
                                (channels.undecided ? PendingChannel::is_unknown : 0);
    for (const ChannelEnd& end : channels.ends) {
      const bool is_pattern = end.peer == ChannelEnd::any || end.tag == ChannelEnd::any;
      channel.peer = end.peer;
      channel.tag = end.tag;
      channel.flags = flags | (is_pattern ? PendingChannel::is_pattern : 0);
      records.file.channels.push_back(channel);
    }
  }
  template <class Line>
  bool set_communicator(const Line& line, PendingChannel& channel) const {
    channel.predefined = line.predefined == PredefinedCommunicator::world  ? 1
                         : line.predefined == PredefinedCommunicator::self ? 2
                                                                           : 0;
    if (!line.communicator) return channel.predefined != 0;
    const std::optional<Key>& name = job_.communicators[line.communicator->value].name;
    if (name) channel.communicator = *name;
    return name.has_value();
  }
  /// What makes a persistent request stands among the calls of a trace, and is not under way.
  std::uint64_t calls_of(const RankCollectives& collectives) const {
    std::uint64_t calls = 0;
    for (const CountedOperation& one :
         operations_from(job_.messages.collective_sequences[collectives.sequence.value], 0)) {
      const std::string_view called = job_.messages.collective_operations[one.operation].called;
      if (!calls_one_of(called, {"_init"})) calls += one.count;
    }
    return calls;
  }

  /// Where there are more than those of which anything is known, they are not looked at: a damaged trace may say so.
  std::vector<Rank> find_members(Rank rank, const PendingChannel& channel) const {
    if (channel.predefined == 2) return {rank};
    GroupRuns group;
    if (channel.predefined == 1) {
      const auto found = ranks_.find(rank);
      const std::int64_t size = found != ranks_.end() ? found->second->header.size.value_or(0) : 0;
      if (size > 0) group = {{0, size - 1, 1}};
    } else {
      group = told_group(channel.communicator);
    }
    std::vector<Rank> members;
    for (const RankRun& run : group) {
      if (static_cast<std::uint64_t>((run.last - run.first) / run.step) >= sides_.size() - members.size()) return {};
      for_each_rank(run, [&](std::int64_t number) { members.push_back({rank.world, number}); });
    }
    return members;
  }
  /// Of both groups of an intercommunicator; none where nobody told them.
  GroupRuns told_group(std::uint64_t name) const {
    for (const JobCommunicator& made : job_.communicators) {
      if (!made.name || *made.name != name) continue;
      GroupRuns all;
      for (const GroupRuns& group : made.groups) all.insert(all.end(), group.begin(), group.end());
      if (!all.empty()) return all;
    }
    return {};
  }

  const Job& job_;
  std::map<Rank, ChannelsOfRank> sides_;
  std::set<Rank> known_;  // of which there is a file
  std::map<Rank, const JobRank*> ranks_;
  std::deque<RankPending> ended_;  // as their traces have it
  std::map<Communicator, std::vector<Rank>> members_;
  std::map<Communicator, SharedRanks> sources_;
  std::map<std::pair<Communicator, std::int64_t>, std::vector<SentChannel>> sent_;  // by whom they are for
  bool is_sent_known_ = false;
  std::map<const PendingChannel*, AnswerOfAny> answers_of_any_;
  std::map<std::pair<Communicator, std::uint64_t>, SharedRanks> missing_;
};

/// What one operation needs of others.
class NeedOf {
 public:
  NeedOf(Ranks& ranks, Rank own) : ranks_(ranks), own_(own) {}

  Need operator()(const PendingChannel* channel, std::uint64_t place, std::string_view called) const {
    Need need;
    if (channel == nullptr) return need;
    need.has_channel = true;
    need.channel = *channel;
    need.direction = direction_of(*channel);
    if (!is_sure(*channel)) return need;
    switch (need.direction) {
      case PendingDirection::send:
        need.is_soft = !calls_one_of(called, {"ssend"});
        send(need, place);
        break;
      case PendingDirection::receive:
      case PendingDirection::probe:
        if (place != trace::pending_no_place) {
          receive(need, place);
        } else if (channel->peer == trace::pending_any || channel->tag == trace::pending_any) {
          receive_any(need, *channel);
        }
        break;
      case PendingDirection::collective:
        collective(need, place, called);
        break;
    }
    return need;
  }

 private:
  Rank peer(std::int32_t number) const { return {own_.world, number}; }
  PendingChannel other_side(const PendingChannel& channel, PendingDirection direction) const {
    PendingChannel other = channel;
    other.direction = static_cast<std::uint32_t>(direction);
    other.peer = static_cast<std::int32_t>(own_.number);
    return other;
  }
  void decide(Need& need, Rank other, const PendingChannel* there, std::uint64_t place) const {
    need.started_there = there != nullptr ? there->started : 0;
    need.partner = need.started_there > place ? Partner::exists : Partner::none;
    if (need.partner == Partner::none) need.missing = std::make_shared<const std::vector<Rank>>(1, other);
  }

  void send(Need& need, std::uint64_t place) const {
    const Rank other = peer(need.channel.peer);
    const ChannelsOfRank* const side = ranks_.side(other);
    if (side == nullptr) return;
    const PendingChannel* const there = side->find(other_side(need.channel, PendingDirection::receive));
    const auto source = static_cast<std::int64_t>(own_.number);
    if ((there != nullptr && !is_sure(*there)) || !side->is_whole() ||
        (side->has_patterns() && side->misses_operations()))
      return;
    if (side->may_take(communicator_of(own_, need.channel), source, need.channel.tag)) {
      need.partner = Partner::exists;
      return;
    }
    decide(need, other, there, place);
  }

  void receive(Need& need, std::uint64_t place) const {
    const Rank other = peer(need.channel.peer);
    const ChannelsOfRank* const side = ranks_.side(other);
    if (side == nullptr) return;
    const PendingChannel* const there = side->find(other_side(need.channel, PendingDirection::send));
    if (there == nullptr ? !side->is_whole() : !is_sure(*there)) return;
    decide(need, other, there, place);
  }

  /// Of any source or tag: one that was sent, and that no receive has taken yet.
  void receive_any(Need& need, const PendingChannel& pattern) const {
    const auto [found, is_new] = ranks_.answers_of_any().try_emplace(&pattern);
    if (is_new) found->second = find_any(pattern);
    need.takes = Need::Takes::one;
    need.partner = found->second.partner;
    need.missing = found->second.missing;
  }
  /// A message that surely is there is enough. That there is none only those can tell who know all that every source
  /// has sent, and all that was received here.
  Ranks::AnswerOfAny find_any(const PendingChannel& pattern) const {
    const ChannelsOfRank* const own = ranks_.side(own_);
    bool is_known = true;
    for (const Ranks::SentChannel& sent : ranks_.sent_to(own_, pattern)) {
      if (!covers(pattern, sent.sender.number, sent.channel->tag)) continue;
      const Partner partner = left_of(sent, own);
      if (partner == Partner::exists) return {Partner::exists, nullptr};
      is_known = is_known && partner == Partner::none;
    }
    SharedRanks missing = pattern.peer == trace::pending_any ? ranks_.sources(own_, pattern) : source(pattern.peer);
    if (!is_known || missing == nullptr) return {};
    return {Partner::none, std::move(missing)};
  }
  /// Null where nobody knows what it has sent.
  SharedRanks source(std::int32_t number) const {
    const ChannelsOfRank* const side = ranks_.side(peer(number));
    if (side == nullptr || !side->is_whole()) return nullptr;
    return std::make_shared<const std::vector<Rank>>(1, peer(number));
  }
  /// Whether there are more messages in a channel than receives of the same channel.
  Partner left_of(const Ranks::SentChannel& sent, const ChannelsOfRank* own) const {
    if (own == nullptr || has(*sent.channel, PendingChannel::is_unknown)) return Partner::unknown;
    PendingChannel received = *sent.channel;
    received.direction = static_cast<std::uint32_t>(PendingDirection::receive);
    received.peer = static_cast<std::int32_t>(sent.sender.number);
    const PendingChannel* const taken = own->find(received);
    if (taken == nullptr) {
      if (!own->is_whole()) return Partner::unknown;
      return sent.channel->started != 0 ? Partner::exists : Partner::none;
    }
    if (has(*taken, PendingChannel::is_unknown)) return Partner::unknown;
    return sent.channel->started > taken->started ? Partner::exists : Partner::none;
  }

  void collective(Need& need, std::uint64_t place, std::string_view called) const {
    const bool waits_for_all = calls_one_of(called, {"barrier", "allreduce", "allgather", "alltoall"}) &&
                               !calls_one_of(called, {"neighbor", "alltoallv", "alltoallw", "allgatherv"});
    need.takes = waits_for_all ? Need::Takes::all : Need::Takes::one;
    SharedRanks missing = ranks_.missing(own_, need.channel, place);
    if (missing == nullptr) return;
    need.partner = missing->empty() ? Partner::exists : Partner::none;
    need.missing = std::move(missing);
  }

  Ranks& ranks_;
  const Rank own_;
};

WaitingCall call_of(const RankPending& records, const NeedOf& need_of, const trace::PendingThread& thread,
                    const std::vector<std::pair<std::uint64_t, StartedOperation>>& started) {
  WaitingCall call;
  call.call = PendingCall{thread.call};
  if (thread.operation != trace::pending_none) call.operation = &records.operations[thread.operation];
  const std::string_view called = call.operation != nullptr ? call.operation->called : std::string_view();
  const auto channel = [&](std::uint32_t number) {
    return number != trace::pending_none ? &records.file.channels[number] : nullptr;
  };
  switch (call.call) {
    case PendingCall::message:
      call.needs.push_back(need_of(channel(thread.channel[0]), thread.place[0], called));
      if (thread.channel[1] != trace::pending_none) {
        call.needs.push_back(need_of(channel(thread.channel[1]), thread.place[1], called));
      }
      break;
    case PendingCall::collective:
      call.needs.push_back(need_of(channel(thread.channel[0]), thread.place[0], called));
      break;
    case PendingCall::wait_all:
    case PendingCall::wait_any: {
      constexpr auto most = static_cast<std::uint32_t>(trace::PendingThread::most_requests);
      call.are_requests_whole = thread.requests <= most;
      for (std::uint32_t i = 0; i < std::min(thread.requests, most); ++i) {
        const auto found = std::find_if(started.begin(), started.end(),
                                        [&](const auto& one) { return one.first == thread.request[i]; });
        if (found != started.end()) call.requests.push_back(found->second);
      }
      // One that is not known may be inactive, or what the call waits for.
      if (call.requests.size() < thread.requests) call.are_requests_whole = false;
      break;
    }
    case PendingCall::none:
    case PendingCall::finalize:
      break;
  }
  return call;
}

RankWaiting look_at(const RankPending& records, Ranks& ranks) {
  RankWaiting found;
  found.rank = records.rank;
  found.records = &records;
  if (!records.problem.empty()) return found;
  const trace::PendingFileHeader& header = records.file.header;
  const NeedOf need_of(ranks, records.rank);
  std::vector<std::pair<std::uint64_t, StartedOperation>> started;
  for (const trace::PendingStarted& record : records.file.started) {
    const MessageOperation& operation = records.operations[record.operation];
    const PendingChannel* const channel =
        record.channel != trace::pending_none ? &records.file.channels[record.channel] : nullptr;
    started.emplace_back(record.request,
                         StartedOperation{&operation, need_of(channel, record.place, operation.called)});
  }
  bool is_elsewhere = records.file.threads.empty() || header.threads_left_out != 0;
  bool finalizes = false;
  for (const trace::PendingThread& thread : records.file.threads) {
    if (thread.thread == 0) continue;
    if (PendingCall{thread.call} == PendingCall::finalize) {
      finalizes = true;
    } else if (thread.call == 0) {
      is_elsewhere = true;
    } else {
      found.calls.push_back(call_of(records, need_of, thread, started));
    }
  }
  for (auto& [request, operation] : started) found.started.push_back(std::move(operation));
  found.may_call_elsewhere = header.threads_may_call != 0;
  const auto state = trace::PendingState{header.state};
  if (state == trace::PendingState::switched_off) {
    found = RankWaiting{.rank = records.rank, .state = RankState::switched_off, .records = &records};
  } else if (state == trace::PendingState::ended) {
    found.state = RankState::ended;
  } else if (finalizes) {
    found.state = RankState::finalizes;
  } else {
    found.state = is_elsewhere ? RankState::runs : RankState::waits;
  }
  return found;
}

RankState state_of(const EndRecord& end) { return end.reason == "MPI_Abort" ? RankState::aborted : RankState::ended; }

}  // namespace

bool WaitingRanks::has_stuck() const {
  return std::any_of(ranks.begin(), ranks.end(), [](const RankWaiting& rank) { return rank.is_stuck; });
}

void WaitingRanks::forget_stuck() {
  cycles.clear();
  for (RankWaiting& rank : ranks) {
    rank.is_stuck = false;
    for (WaitingCall& call : rank.calls) call.is_stuck = false;
  }
}

bool WaitingRanks::is_anything_known() const {
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankWaiting& rank) { return rank.state != RankState::not_recorded; });
}

WaitingRanks waiting_ranks(const Job& job) {
  Ranks ranks(job);
  WaitingRanks waiting;
  std::map<Rank, const RankPending*> records;
  for (const RankPending& pending : job.pending) records[pending.rank] = &pending;
  for (const JobRank& rank : job.ranks) {
    if (!rank.header.rank) continue;
    const auto found = records.find(*rank.header.rank);
    if (found != records.end()) {
      waiting.ranks.push_back(look_at(*found->second, ranks));
      RankState& state = waiting.ranks.back().state;
      if (rank.end && (state == RankState::runs || state == RankState::ended)) state = state_of(*rank.end);
    } else {
      waiting.ranks.push_back(
          {.rank = *rank.header.rank, .state = rank.end ? state_of(*rank.end) : RankState::not_recorded});
    }
  }
  for (const Rank missing : job.missing_ranks) waiting.ranks.push_back({.rank = missing});
  std::sort(waiting.ranks.begin(), waiting.ranks.end(),
            [](const RankWaiting& a, const RankWaiting& b) { return a.rank < b.rank; });
  find_stuck(waiting);
  return waiting;
}

bool are_still_stuck(const Job& job, const WaitingRanks& waiting) {
  std::map<Rank, std::filesystem::path> files;
  for (const JobRank& rank : job.ranks) {
    if (rank.header.rank) files[*rank.header.rank] = rank.file;
  }
  for (const RankWaiting& rank : waiting.ranks) {
    if (!rank.is_stuck) continue;
    const auto read = read_pending_file(files[rank.rank]);
    const auto* const again = std::get_if<std::optional<PendingFile>>(&read);
    if (again == nullptr || !*again) return false;
    const std::vector<trace::PendingThread>& before = rank.records->file.threads;
    const std::vector<trace::PendingThread>& now = (*again)->threads;
    const bool is_same = std::equal(before.begin(), before.end(), now.begin(), now.end(),
                                    [](const trace::PendingThread& a, const trace::PendingThread& b) {
                                      return a.sequence == b.sequence && a.call == b.call;
                                    });
    if (!is_same) return false;
  }
  return true;
}

}  // namespace ddtscope::reporters
