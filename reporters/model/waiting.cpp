#include "reporters/model/waiting.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "decoder/base/lower_case.h"
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
class Side {
 public:
  explicit Side(const RankPending& records) : records_(records) {
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

class Ranks {
 public:
  explicit Ranks(const Job& job) : job_(job) {
    for (const RankPending& records : job.pending) {
      if (!records.problem.empty()) continue;
      if (trace::PendingState{records.file.header.state} == trace::PendingState::switched_off) {
        silent_.insert(records.rank);
      } else {
        sides_.emplace(records.rank, Side(records));
      }
    }
    for (const JobRank& rank : job.ranks) {
      if (rank.header.rank) ranks_[*rank.header.rank] = &rank;
    }
  }

  const Side* side(Rank rank) const {
    const auto found = sides_.find(rank);
    return found != sides_.end() ? &found->second : nullptr;
  }
  bool has_ended(Rank rank) const {
    const auto found = ranks_.find(rank);
    return found != ranks_.end() && found->second->end.has_value() && !silent_.contains(rank);
  }
  /// Those of a communicator; none where they are not known.
  std::vector<Rank> members(Rank rank, const PendingChannel& channel) const {
    std::vector<Rank> members;
    if (channel.predefined == 1) {
      const auto found = ranks_.find(rank);
      const std::int64_t size = found != ranks_.end() ? found->second->header.size.value_or(0) : 0;
      for (std::int64_t i = 0; i < size; ++i) members.push_back({rank.world, i});
    } else if (channel.predefined == 2) {
      members.push_back(rank);
    } else {
      add_members(rank.world, channel.communicator, members);
    }
    return members;
  }

 private:
  void add_members(WorldNumber world, std::uint64_t name, std::vector<Rank>& members) const {
    for (const JobCommunicator& made : job_.communicators) {
      if (!made.name || *made.name != name) continue;
      for (const GroupRuns& group : made.groups) {
        for (const RankRun& run : group) {
          for (std::int64_t rank = run.first;; rank += run.step) {
            members.push_back({world, rank});
            if (rank == run.last || run.step == 0) break;
          }
        }
      }
      if (!members.empty()) return;
    }
  }

  const Job& job_;
  std::map<Rank, Side> sides_;
  std::set<Rank> silent_;  // that have stopped the recording
  std::map<Rank, const JobRank*> ranks_;
};

/// What one operation needs of others.
class NeedOf {
 public:
  NeedOf(const Ranks& ranks, Rank own) : ranks_(ranks), own_(own) {}

  Need operator()(const PendingChannel* channel, std::uint64_t place, std::string_view called) const {
    Need need;
    if (channel == nullptr) return need;
    need.has_channel = true;
    need.channel = *channel;
    need.direction = direction_of(*channel);
    if (has(*channel, PendingChannel::is_unknown | PendingChannel::is_unordered)) return need;
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
          receive_any(need);
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
  static bool is_sure(const PendingChannel* channel) {
    return channel == nullptr || !has(*channel, PendingChannel::is_unknown | PendingChannel::is_unordered);
  }
  void decide(Need& need, Rank other, const PendingChannel* there, std::uint64_t place) const {
    need.started_there = there != nullptr ? there->started : 0;
    need.partner = need.started_there > place ? Partner::exists : Partner::none;
    if (need.partner == Partner::none) need.of.push_back(other);
  }

  void send(Need& need, std::uint64_t place) const {
    const Rank other = peer(need.channel.peer);
    const Side* const side = ranks_.side(other);
    if (side == nullptr) {
      if (ranks_.has_ended(other)) decide(need, other, nullptr, place);
      return;
    }
    const PendingChannel* const there = side->find(other_side(need.channel, PendingDirection::receive));
    const auto source = static_cast<std::int64_t>(own_.number);
    if (!is_sure(there) || !side->is_whole() || (side->has_patterns() && side->misses_operations())) return;
    if (side->may_take(communicator_of(own_, need.channel), source, need.channel.tag)) {
      need.partner = Partner::exists;
      return;
    }
    decide(need, other, there, place);
  }

  void receive(Need& need, std::uint64_t place) const {
    const Rank other = peer(need.channel.peer);
    const Side* const side = ranks_.side(other);
    if (side == nullptr) {
      if (ranks_.has_ended(other)) decide(need, other, nullptr, place);
      return;
    }
    const PendingChannel* const there = side->find(other_side(need.channel, PendingDirection::send));
    if (!is_sure(there) || (there == nullptr && !side->is_whole())) return;
    decide(need, other, there, place);
  }

  /// Of any source or tag: one that was sent, and that no receive has taken yet.
  void receive_any(Need& need) const {
    std::vector<Rank> sources = {peer(need.channel.peer)};
    if (need.channel.peer == trace::pending_any) sources = ranks_.members(own_, need.channel);
    const Side* const own = ranks_.side(own_);
    need.takes = Need::Takes::one;
    for (const Rank source : sources) {
      const Side* const side = ranks_.side(source);
      if (side == nullptr && !ranks_.has_ended(source)) return;
      if (side != nullptr && (!side->is_whole() || !may_receive(need, *side, own))) return;
      if (source != own_) need.of.push_back(source);  // what this process has sent itself was looked at
    }
    need.partner = sources.empty() ? Partner::unknown : Partner::none;
  }
  /// False where something of this process's is there, or nobody knows. `need` says which of both.
  bool may_receive(Need& need, const Side& side, const Side* own) const {
    for (const PendingChannel& channel : side.records().file.channels) {
      const bool fits = direction_of(channel) == PendingDirection::send && channel.peer == own_.number &&
                        !has(channel, PendingChannel::is_partitioned) &&
                        (need.channel.tag == trace::pending_any || need.channel.tag == channel.tag) &&
                        communicator_of(side.records().rank, channel) == communicator_of(own_, need.channel);
      if (!fits) continue;
      PendingChannel received = channel;
      received.direction = static_cast<std::uint32_t>(PendingDirection::receive);
      received.peer = static_cast<std::int32_t>(side.records().rank.number);
      const PendingChannel* const taken = own != nullptr ? own->find(received) : nullptr;
      if (has(channel, PendingChannel::is_unknown) || (taken != nullptr && has(*taken, PendingChannel::is_unknown))) {
        need.partner = Partner::unknown;
        need.of.clear();
        return false;
      }
      if (channel.started > (taken != nullptr ? taken->started : 0)) {
        need.partner = Partner::exists;
        need.of.clear();
        return false;
      }
    }
    return true;
  }

  void collective(Need& need, std::uint64_t place, std::string_view called) const {
    const std::vector<Rank> members = ranks_.members(own_, need.channel);
    const bool waits_for_all = calls_one_of(called, {"barrier", "allreduce", "allgather", "alltoall"}) &&
                               !calls_one_of(called, {"neighbor", "alltoallv", "alltoallw", "allgatherv"});
    need.takes = waits_for_all ? Need::Takes::all : Need::Takes::one;
    for (const Rank member : members) {
      const Side* const side = ranks_.side(member);
      const PendingChannel* const there = side != nullptr ? side->find(need.channel) : nullptr;
      const bool is_known =
          side != nullptr ? is_sure(there) && (there != nullptr || side->is_whole()) : ranks_.has_ended(member);
      if (!is_known) {
        need.of.clear();
        return;
      }
      if (there == nullptr || there->started <= place) need.of.push_back(member);
    }
    if (!members.empty()) need.partner = need.of.empty() ? Partner::exists : Partner::none;
  }

  const Ranks& ranks_;
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

RankWaiting look_at(const RankPending& records, const Ranks& ranks) {
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
  const Ranks ranks(job);
  WaitingRanks waiting;
  std::map<Rank, const RankPending*> records;
  for (const RankPending& pending : job.pending) records[pending.rank] = &pending;
  for (const JobRank& rank : job.ranks) {
    if (!rank.header.rank) continue;
    const auto found = records.find(*rank.header.rank);
    if (found != records.end()) {
      waiting.ranks.push_back(look_at(*found->second, ranks));
      if (rank.end && waiting.ranks.back().state == RankState::runs) waiting.ranks.back().state = RankState::ended;
    } else {
      waiting.ranks.push_back(
          {.rank = *rank.header.rank, .state = rank.end ? RankState::ended : RankState::not_recorded});
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
