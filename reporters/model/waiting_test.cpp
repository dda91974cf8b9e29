// Who waits for whom, by the text of MPI-4.1 3.5: messages of one channel are received in the order in which they are
// sent.
#include "reporters/model/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ddtscope::reporters::waiting_test {
namespace {

using trace::PendingCall;
using trace::PendingDirection;

constexpr std::int32_t any = trace::pending_any;

/// A job of some ranks, each in no call at first.
class PlayedJob {
 public:
  explicit PlayedJob(std::int64_t size) {
    for (std::int64_t rank = 0; rank < size; ++rank) {
      JobRank file;
      file.header.rank = Rank{{}, rank};
      file.header.size = size;
      job_.ranks.push_back(file);
      RankPending pending;
      pending.rank = {{}, rank};
      trace::PendingThread thread{};
      thread.thread = 1;
      thread.channel[0] = thread.channel[1] = trace::pending_none;
      pending.file.threads.push_back(thread);
      job_.pending.push_back(pending);
    }
  }

  /// So many operations were started in the channel; its number.
  std::uint32_t channel(std::size_t rank, PendingDirection direction, std::int32_t peer, std::int32_t tag,
                        std::uint64_t started) {
    auto& channels = job_.pending[rank].file.channels;
    trace::PendingChannel channel{};
    channel.predefined = 1;
    channel.direction = static_cast<std::uint32_t>(direction);
    channel.peer = peer;
    channel.tag = tag;
    channel.started = started;
    if (peer == any || tag == any) channel.flags = trace::PendingChannel::is_pattern;
    channels.push_back(channel);
    return static_cast<std::uint32_t>(channels.size() - 1);
  }
  std::uint32_t operation(std::size_t rank, const char* called) {
    MessageOperation operation;
    operation.called = called;
    job_.pending[rank].operations.push_back(operation);
    return static_cast<std::uint32_t>(job_.pending[rank].operations.size() - 1);
  }
  trace::PendingThread& thread(std::size_t rank) { return job_.pending[rank].file.threads[0]; }
  /// The rank is in a blocking call, the last one started in the channel.
  void is_in(std::size_t rank, const char* called, std::uint32_t channel, PendingCall call = PendingCall::message) {
    const trace::PendingChannel& known = job_.pending[rank].file.channels[channel];
    thread(rank).call = static_cast<std::uint32_t>(call);
    thread(rank).operation = operation(rank, called);
    thread(rank).channel[0] = channel;
    const bool is_pattern = (known.flags & trace::PendingChannel::is_pattern) != 0;
    thread(rank).place[0] = is_pattern ? trace::pending_no_place : known.started - 1;
  }
  void receives(std::size_t rank, std::int32_t peer, std::int32_t tag = 1, std::uint64_t started = 1) {
    is_in(rank, "MPI_Recv", channel(rank, PendingDirection::receive, peer, tag, started));
  }
  void sends(std::size_t rank, std::int32_t peer, const char* called = "MPI_Send") {
    is_in(rank, called, channel(rank, PendingDirection::send, peer, 1, 1));
  }
  void start(std::size_t rank, std::uint64_t request, const char* called, std::uint32_t channel) {
    trace::PendingStarted started{};
    started.request = request;
    started.operation = operation(rank, called);
    started.channel = channel;
    started.place = job_.pending[rank].file.channels[channel].started - 1;
    job_.pending[rank].file.started.push_back(started);
  }
  /// The first message of the channel of tag 1.
  void starts(std::size_t rank, std::uint64_t request, const char* called, std::int32_t peer) {
    const auto direction = std::string_view(called) == "MPI_Irecv" ? PendingDirection::receive : PendingDirection::send;
    start(rank, request, called, channel(rank, direction, peer, 1, 1));
  }
  void waits(std::size_t rank, PendingCall call, std::initializer_list<std::uint64_t> requests) {
    thread(rank).call = static_cast<std::uint32_t>(call);
    thread(rank).operation = operation(rank, call == PendingCall::wait_all ? "MPI_Waitall" : "MPI_Waitany");
    thread(rank).requests = 0;
    for (const std::uint64_t request : requests) thread(rank).request[thread(rank).requests++] = request;
  }
  void ends(std::size_t rank) { thread(rank).call = static_cast<std::uint32_t>(PendingCall::finalize); }
  void calls(std::size_t rank, const char* called, std::uint64_t started) {
    is_in(rank, called, channel(rank, PendingDirection::collective, 0, 0, started), PendingCall::collective);
  }

  /// Its file of what it is in the middle of is gone.
  void ends_in_order(std::size_t rank) {
    std::erase_if(job_.pending, [&](const RankPending& one) { return one.rank.number == static_cast<int>(rank); });
    job_.ranks[rank].end = EndRecord{true, "MPI_Finalize", {}};
  }
  void aborts(std::size_t rank) { job_.ranks[rank].end = EndRecord{false, "MPI_Abort", {}}; }
  /// Nothing was left out of its trace.
  void tells_all(std::size_t rank) {
    KnownMessages known;
    known.ranks.add(Rank{{}, static_cast<std::int64_t>(rank)});
    job_.messages.known.push_back(std::move(known));
  }
  /// So many operations stand in its trace, in place of what was told of the channel before.
  RankChannels& told(std::size_t rank, ChannelDirection direction, ChannelEnd end, std::uint64_t times) {
    std::erase_if(job_.messages.channels, [&](const RankChannels& one) { return one.ends.front() == end; });
    RankChannels channels;
    channels.rank = {{}, static_cast<std::int64_t>(rank)};
    channels.predefined = PredefinedCommunicator::world;
    channels.direction = direction;
    channels.ends = {end};
    channels.sequence = {static_cast<std::uint32_t>(job_.messages.sequences.size())};
    job_.messages.sequences.push_back({{times, 1}, {0, 0}});
    job_.messages.channels.push_back(channels);
    return job_.messages.channels.back();
  }
  void told_calls(std::size_t rank, const std::vector<std::pair<const char*, std::uint64_t>>& calls) {
    job_.messages.collectives.clear();
    std::vector<SequenceElement> elements;
    for (const auto& [called, times] : calls) {
      CollectiveOperation operation;
      operation.called = called;
      const auto number = static_cast<std::uint32_t>(job_.messages.collective_operations.size());
      job_.messages.collective_operations.push_back(operation);
      if (times > 1) elements.push_back({times, 1});
      elements.push_back({0, number});
    }
    RankCollectives collectives;
    collectives.rank = {{}, static_cast<std::int64_t>(rank)};
    collectives.predefined = PredefinedCommunicator::world;
    collectives.sequence = {static_cast<std::uint32_t>(job_.messages.collective_sequences.size())};
    job_.messages.collective_sequences.push_back(std::move(elements));
    job_.messages.collectives.push_back(collectives);
  }

  WaitingRanks waiting() const { return waiting_ranks(job_); }
  /// "012"
  std::string stuck() const {
    std::string ranks;
    for (const RankWaiting& rank : waiting().ranks) {
      if (rank.is_stuck) ranks += text_of(rank.rank);
    }
    return ranks;
  }
  RankPending& records(std::size_t rank) { return job_.pending[rank]; }
  Job& job() { return job_; }

 private:
  Job job_{LibraryConstants{}};
};

TEST(Waiting, TwoThatReceiveFromEachOtherWaitForEver) {
  PlayedJob job(3);
  job.receives(0, 1);
  job.receives(1, 0);
  EXPECT_EQ(job.stuck(), "01");
  const WaitingRanks waiting = job.waiting();
  EXPECT_EQ(waiting.cycles, (std::vector<std::vector<Rank>>{{Rank{{}, 0}, Rank{{}, 1}}}));
  EXPECT_EQ(waiting.ranks[2].state, RankState::runs);
}

TEST(Waiting, AMessageThatWasSentComes) {
  PlayedJob job(2);
  job.receives(0, 1, 1, 3);
  job.receives(1, 0);
  job.channel(1, PendingDirection::send, 0, 1, 3);
  EXPECT_EQ(job.stuck(), "");
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].partner, Partner::exists);
}

TEST(Waiting, ReceivesBeforeItHaveTakenWhatWasSent) {
  PlayedJob job(2);
  job.receives(0, 1, 1, 3);
  job.receives(1, 0);
  job.channel(1, PendingDirection::send, 0, 1, 2);
  EXPECT_EQ(job.stuck(), "01");
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].started_there, 2U);
}

TEST(Waiting, OneThatRunsMaySend) {
  PlayedJob job(3);
  job.receives(0, 1);
  job.receives(1, 2);
  EXPECT_EQ(job.stuck(), "");
}

TEST(Waiting, WhoWaitsForAnyWaitsForAll) {
  PlayedJob job(3);
  job.receives(0, any);
  job.receives(1, 0);
  EXPECT_EQ(job.stuck(), "");  // rank 2 runs
  job.receives(2, 0);
  EXPECT_EQ(job.stuck(), "012");
  EXPECT_EQ(job.waiting().cycles, (std::vector<std::vector<Rank>>{{Rank{{}, 0}, Rank{{}, 1}}}));
}

TEST(Waiting, AReceiveFromAnySourceTakesWhatIsLeft) {
  PlayedJob job(2);
  job.receives(0, any);
  job.channel(0, PendingDirection::receive, 1, 1, 2);
  job.channel(1, PendingDirection::send, 0, 1, 3);
  job.receives(1, 0);
  EXPECT_EQ(job.stuck(), "");
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].partner, Partner::exists);
}

TEST(Waiting, AReceiveFromAnySourceMayTakeASend) {
  PlayedJob job(2);
  job.sends(0, 1, "MPI_Ssend");
  job.receives(1, any, 2);
  EXPECT_EQ(job.stuck(), "01");  // of another tag
  PlayedJob fits(2);
  fits.sends(0, 1, "MPI_Ssend");
  fits.receives(1, any, any);
  EXPECT_EQ(fits.stuck(), "");
}

TEST(Waiting, SendsToEachOtherThatNobodyReceives) {
  PlayedJob job(2);
  job.sends(0, 1);
  job.sends(1, 0);
  EXPECT_EQ(job.stuck(), "01");
}

/// The send may have been complete long ago: what is missing is the message of a rank that runs.
TEST(Waiting, AStartedSendIsNotWhatAWaitForAllMustWaitFor) {
  PlayedJob job(3);
  job.starts(0, 50, "MPI_Isend", 1);
  job.starts(0, 51, "MPI_Irecv", 2);
  job.waits(0, PendingCall::wait_all, {50, 51});
  job.receives(1, 0, 9);
  EXPECT_EQ(job.stuck(), "");
  PlayedJob synchronous(3);
  synchronous.starts(0, 50, "MPI_Issend", 1);
  synchronous.starts(0, 51, "MPI_Irecv", 2);
  synchronous.waits(0, PendingCall::wait_all, {50, 51});
  synchronous.receives(1, 0, 9);
  EXPECT_EQ(synchronous.stuck(), "01");
}

TEST(Waiting, WaitAnyEndsWithOne) {
  PlayedJob job(3);
  job.starts(0, 50, "MPI_Irecv", 1);
  job.starts(0, 51, "MPI_Irecv", 2);
  job.waits(0, PendingCall::wait_any, {50, 51});
  job.receives(1, 0);
  EXPECT_EQ(job.stuck(), "");
  job.receives(2, 0);
  EXPECT_EQ(job.stuck(), "012");
  job.waits(0, PendingCall::wait_any, {50, 51, 52});  // of which nothing is known
  EXPECT_EQ(job.stuck(), "");
}

TEST(Waiting, WhoIsInFinalizeSendsNothing) {
  PlayedJob job(2);
  job.receives(0, 1);
  job.ends(1);
  EXPECT_EQ(job.stuck(), "0");
  EXPECT_TRUE(job.waiting().cycles.empty());
  EXPECT_EQ(job.waiting().ranks[1].state, RankState::finalizes);
}

TEST(Waiting, ABarrierWaitsForThoseThatHaveNotCalledIt) {
  PlayedJob job(3);
  job.calls(0, "MPI_Barrier", 2);
  job.calls(1, "MPI_Barrier", 2);
  job.receives(2, 0);
  EXPECT_EQ(job.stuck(), "012");
  const Need need = job.waiting().ranks[0].calls[0].needs[0];
  EXPECT_EQ(need.of(), std::vector<Rank>{(Rank{{}, 2})});
  job.channel(2, PendingDirection::collective, 0, 0, 2);
  EXPECT_EQ(job.stuck(), "");
}

/// Nobody makes a list of them to learn that nothing is known of most.
TEST(Waiting, AWorldOfMoreThanHaveRecordsIsNotLookedAt) {
  PlayedJob job(2);
  job.calls(0, "MPI_Barrier", 2);
  job.receives(1, 0);
  EXPECT_EQ(job.stuck(), "01");
  for (JobRank& rank : job.job().ranks) rank.header.size = INT32_MAX;
  KnownMessages known;
  known.ranks.add(RankRange{0, INT32_MAX, {}});
  job.job().messages.known.push_back(std::move(known));
  EXPECT_EQ(job.stuck(), "");
}

/// A broadcast may be complete at one without some of the others: that a rank waits in it does not say for whom.
TEST(Waiting, ABroadcastMayWaitForAnyOfThoseThatAreMissing) {
  PlayedJob job(3);
  job.calls(0, "MPI_Bcast", 1);
  job.receives(1, 0);
  EXPECT_EQ(job.stuck(), "");
  job.receives(2, 0);
  EXPECT_EQ(job.stuck(), "012");
}

TEST(Waiting, NothingIsSaidOfWhatIsNotKnown) {
  const auto with = [](const auto& change) {
    PlayedJob job(2);
    job.receives(0, 1);
    job.receives(1, 0);
    change(job);
    return job.stuck();
  };
  EXPECT_EQ(with([](PlayedJob&) {}), "01");
  EXPECT_EQ(with([](PlayedJob& job) { job.records(1).problem = "It is damaged."; }), "");
  EXPECT_EQ(with([](PlayedJob& job) { job.job().pending.pop_back(); }), "");
  EXPECT_EQ(with([](PlayedJob& job) { job.records(1).file.header.channels_left_out = 1; }), "");
  EXPECT_EQ(with([](PlayedJob& job) { job.records(1).file.header.threads_left_out = 1; }), "");
  EXPECT_EQ(with([](PlayedJob& job) { job.records(1).file.header.state = 1; }), "");
  EXPECT_EQ(with([](PlayedJob& job) { job.records(0).file.channels[0].flags = trace::PendingChannel::is_unordered; }),
            "");
  EXPECT_EQ(with([](PlayedJob& job) { job.thread(1).channel[0] = trace::pending_none; }), "");
  EXPECT_EQ(with([](PlayedJob& job) {
              trace::PendingThread other{};
              other.thread = 2;
              job.records(1).file.threads.push_back(other);  // that may send
            }),
            "");
}

TEST(Waiting, WhatWaitsForARankThatAbortedIsNotStuck) {
  PlayedJob job(2);
  job.receives(0, 1, 1, 3);
  job.ends_in_order(1);
  job.tells_all(1);
  EXPECT_EQ(job.stuck(), "0");
  job.aborts(1);
  EXPECT_EQ(job.stuck(), "");
  EXPECT_EQ(job.waiting().ranks[1].state, RankState::aborted);
}

TEST(Waiting, ARankThatHasEndedIsKnownByItsTrace) {
  PlayedJob job(2);
  job.receives(0, 1, 1, 3);
  job.ends_in_order(1);
  EXPECT_EQ(job.stuck(), "");  // of its messages nothing is known
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].partner, Partner::unknown);
  EXPECT_EQ(job.waiting().ranks[1].state, RankState::ended);
  job.tells_all(1);
  EXPECT_EQ(job.stuck(), "0");
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].started_there, 0u);
  job.told(1, ChannelDirection::send, {0, 1}, 2);
  EXPECT_EQ(job.stuck(), "0");
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].started_there, 2u);
  job.told(1, ChannelDirection::send, {0, 2}, 9);  // of another tag
  EXPECT_EQ(job.stuck(), "0");
  job.told(1, ChannelDirection::send, {0, 1}, 3);
  EXPECT_EQ(job.stuck(), "");
  EXPECT_EQ(job.waiting().ranks[0].calls[0].needs[0].partner, Partner::exists);
}

TEST(Waiting, WhatATraceDoesNotKnowIsNotKnown) {
  PlayedJob job(2);
  job.receives(0, 1, 1, 3);
  job.ends_in_order(1);
  job.tells_all(1);
  job.told(1, ChannelDirection::send, {0, 1}, 2).undecided = UndecidedFrom{2, "failed"};
  EXPECT_EQ(job.stuck(), "");
  job.job().messages.channels.clear();
  EXPECT_EQ(job.stuck(), "0");
  job.job().messages.known[0].left_out = {{"memory", 1}};
  EXPECT_EQ(job.stuck(), "");
}

TEST(Waiting, CollectiveOperationsOfOneThatHasEndedCount) {
  PlayedJob job(2);
  job.calls(0, "MPI_Barrier", 3);
  job.ends_in_order(1);
  job.tells_all(1);
  job.told_calls(1, {{"MPI_Barrier", 2}, {"MPI_Barrier_init", 5}});
  EXPECT_EQ(job.stuck(), "0");
  job.told_calls(1, {{"MPI_Barrier", 2}, {"MPI_Comm_dup", 1}});
  EXPECT_EQ(job.stuck(), "");
}

/// Who is in one collective operation waits for the same ranks: each of these is looked at once.
TEST(Waiting, TenThousandRanksInOneCollectiveTakeNoTime) {
  constexpr std::size_t size = 10000;
  PlayedJob job(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    rank % 2 == 0 ? job.calls(rank, "MPI_Barrier", 2) : job.receives(rank, static_cast<std::int32_t>(rank - 1));
    if (rank % 2 != 0) job.channel(rank, PendingDirection::collective, 0, 0, 1);
  }
  const auto begin = std::chrono::steady_clock::now();
  const WaitingRanks waiting = job.waiting();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(
      std::all_of(waiting.ranks.begin(), waiting.ranks.end(), [](const RankWaiting& rank) { return rank.is_stuck; }));
  ASSERT_EQ(waiting.cycles.size(), 1u);
  EXPECT_EQ(waiting.cycles[0], (std::vector<Rank>{Rank{{}, 0}, Rank{{}, 1}}));
  const Need& need = waiting.ranks[0].calls[0].needs[0];
  EXPECT_EQ(need.of().size(), size / 2);
  EXPECT_EQ(need.missing, waiting.ranks[size - 2].calls[0].needs[0].missing);
  RecordProperty("seconds", std::to_string(took.count()));
}

/// Of one communicator all of these wait for the same ranks, and each rank is none of those that it waits for itself.
TEST(Waiting, TenThousandRanksThatReceiveFromAnySourceTakeNoTime) {
  constexpr std::size_t size = 10000;
  PlayedJob job(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    const auto next = static_cast<std::int32_t>((rank + 1) % size);
    job.receives(rank, any);
    job.channel(rank, PendingDirection::send, next, 1, 5);
    job.channel(rank, PendingDirection::receive, static_cast<std::int32_t>((rank + size - 1) % size), 1, 5);
  }
  const auto begin = std::chrono::steady_clock::now();
  const WaitingRanks waiting = job.waiting();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_TRUE(
      std::all_of(waiting.ranks.begin(), waiting.ranks.end(), [](const RankWaiting& rank) { return rank.is_stuck; }));
  ASSERT_EQ(waiting.cycles.size(), 1u);
  EXPECT_EQ(waiting.cycles[0], (std::vector<Rank>{Rank{{}, 0}, Rank{{}, 1}}));
  for (const RankWaiting& rank : waiting.ranks) {
    ASSERT_EQ(rank.calls[0].needs[0].missing, waiting.ranks[0].calls[0].needs[0].missing);
  }
  job.channel(size / 2, PendingDirection::send, 7, 1, 1);  // one message that is left sets all free, one by one
  EXPECT_EQ(job.stuck(), "");
}

TEST(Waiting, WhoIsAloneInACommunicatorWaitsForItselfAndIsNoCycle) {
  PlayedJob job(1);
  job.receives(0, any);
  EXPECT_EQ(job.stuck(), "0");
  EXPECT_TRUE(job.waiting().cycles.empty());
  job.channel(0, PendingDirection::send, 0, 1, 1);
  EXPECT_EQ(job.stuck(), "");
}

/// What a rank's receive of any source, or of any tag, finds, looked for among all that every source has sent it; and
/// who is stuck, as long as something changes: the definitions, in time that grows with the pairs of ranks.
class PairByPair {
 public:
  explicit PairByPair(PlayedJob& job, std::size_t size) : job_(job), size_(size) {
    for (std::size_t rank = 0; rank < size; ++rank) answers_.push_back(is_receiving(rank) ? answer(rank) : none());
  }
  Partner partner(std::size_t rank) const { return answers_[rank].partner; }
  const std::vector<std::size_t>& sources(std::size_t rank) const { return answers_[rank].sources; }

  std::string stuck() const {
    std::vector<bool> may_be_stuck(size_);
    for (std::size_t rank = 0; rank < size_; ++rank) may_be_stuck[rank] = is_receiving(rank);
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t rank = 0; rank < size_; ++rank) {
        if (!may_be_stuck[rank]) continue;
        const bool goes_on =
            partner(rank) != Partner::none ||
            std::any_of(sources(rank).begin(), sources(rank).end(), [&](auto one) { return !may_be_stuck[one]; });
        if (!goes_on) continue;
        may_be_stuck[rank] = false;
        changes = true;
      }
    }
    std::string ranks;
    for (std::size_t rank = 0; rank < size_; ++rank) ranks += may_be_stuck[rank] ? std::to_string(rank) : "";
    return ranks;
  }

 private:
  struct Answer {
    Partner partner = Partner::unknown;
    std::vector<std::size_t> sources;  // others than itself
  };
  static Answer none() { return {}; }
  bool is_receiving(std::size_t rank) const { return job_.thread(rank).call != 0; }

  Answer answer(std::size_t rank) const {
    const trace::PendingChannel& wanted = job_.records(rank).file.channels[job_.thread(rank).channel[0]];
    Answer answer;
    bool has_message = false;
    bool is_known = true;
    for (std::size_t source = 0; source < size_; ++source) {
      if (wanted.peer != any && wanted.peer != static_cast<std::int32_t>(source)) continue;
      if (source != rank) answer.sources.push_back(source);
      if (job_.records(source).file.header.channels_left_out != 0) is_known = false;
      for (const trace::PendingChannel& sent : job_.records(source).file.channels) {
        if (sent.direction != static_cast<std::uint32_t>(PendingDirection::send)) continue;
        if (sent.peer != static_cast<std::int32_t>(rank) || (wanted.tag != any && wanted.tag != sent.tag)) continue;
        if ((sent.flags & trace::PendingChannel::is_partitioned) != 0) continue;
        const std::optional<std::uint64_t> taken = received(rank, source, sent.tag);
        if (!taken || (sent.flags & trace::PendingChannel::is_unknown) != 0) {
          is_known = false;
        } else if (sent.started > *taken) {
          has_message = true;
        }
      }
    }
    answer.partner = has_message ? Partner::exists : is_known ? Partner::none : Partner::unknown;
    return answer;
  }
  /// How many messages; none where the records do not tell.
  std::optional<std::uint64_t> received(std::size_t rank, std::size_t source, std::int32_t tag) const {
    for (const trace::PendingChannel& channel : job_.records(rank).file.channels) {
      const bool is_it = channel.direction == static_cast<std::uint32_t>(PendingDirection::receive) &&
                         channel.peer == static_cast<std::int32_t>(source) && channel.tag == tag &&
                         (channel.flags & trace::PendingChannel::is_partitioned) == 0;
      if (!is_it) continue;
      if ((channel.flags & trace::PendingChannel::is_unknown) != 0) return std::nullopt;
      return channel.started;
    }
    if (job_.records(rank).file.header.channels_left_out != 0) return std::nullopt;
    return 0;
  }

  PlayedJob& job_;
  std::size_t size_;
  std::vector<Answer> answers_;
};

TEST(Waiting, ReceivesFromAnySourceAreAnsweredAsPairByPair) {
  std::minstd_rand random(8);  // NOLINT(cert-msc51-cpp): the same jobs every time
  const auto number = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; };
  const auto tag = [&] { return static_cast<std::int32_t>(1 + number(2)); };
  std::map<Partner, int> answers;
  int wholly_stuck = 0;
  int partly_stuck = 0;
  for (int plan = 0; plan < 2000; ++plan) {
    const std::size_t size = 1 + number(6);
    PlayedJob job(static_cast<std::int64_t>(size));
    const bool is_all_known = number(2) != 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (number(10) == 0) continue;  // it runs
      const auto source = static_cast<std::int32_t>(number(static_cast<std::uint32_t>(size)));
      job.receives(rank, number(3) != 0 ? any : source, any);
      if (number(2) != 0 && job.records(rank).file.channels[0].peer == any) {
        job.records(rank).file.channels[0].tag = tag();
      }
    }
    for (std::size_t sender = 0; sender < size; ++sender) {
      for (std::size_t receiver = 0; receiver < size; ++receiver) {
        if (number(3) != 0) continue;
        const std::int32_t of = tag();
        const std::uint32_t taken = number(3);
        const std::uint32_t sent = job.channel(sender, PendingDirection::send, static_cast<std::int32_t>(receiver), of,
                                               taken + (number(10) == 0 ? 1 : 0));
        std::uint32_t& flags = job.records(sender).file.channels[sent].flags;
        if (number(12) == 0) flags |= trace::PendingChannel::is_partitioned;
        if (!is_all_known && number(8) == 0) flags |= trace::PendingChannel::is_unknown;
        if (taken == 0) continue;
        const std::uint32_t got =
            job.channel(receiver, PendingDirection::receive, static_cast<std::int32_t>(sender), of, taken);
        if (!is_all_known && number(8) == 0) {
          job.records(receiver).file.channels[got].flags |= trace::PendingChannel::is_unknown;
        }
      }
    }
    if (!is_all_known && number(4) == 0)
      job.records(number(static_cast<std::uint32_t>(size))).file.header.channels_left_out = 1;
    const PairByPair expected(job, size);
    const WaitingRanks waiting = job.waiting();
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (job.thread(rank).call == 0) continue;
      const Need& need = waiting.ranks[rank].calls[0].needs[0];
      ++answers[need.partner];
      ASSERT_EQ(need.partner, expected.partner(rank)) << "rank " << rank << " of plan " << plan;
      std::vector<std::size_t> others;
      for (const Rank one : need.of()) {
        if (one != waiting.ranks[rank].rank) others.push_back(static_cast<std::size_t>(one.number));
      }
      if (need.partner == Partner::none) {
        ASSERT_EQ(others, expected.sources(rank)) << "rank " << rank << " of plan " << plan;
      }
    }
    const std::string stuck = job.stuck();
    ASSERT_EQ(stuck, expected.stuck()) << "plan " << plan;
    for (const std::vector<Rank>& cycle : waiting.cycles) EXPECT_GE(cycle.size(), 2u);
    wholly_stuck += stuck.size() == size ? 1 : 0;
    partly_stuck += !stuck.empty() && stuck.size() < size ? 1 : 0;
  }
  // Every kind of answer was there.
  EXPECT_EQ(answers.size(), 3u);
  for (const auto& [partner, times] : answers) EXPECT_GT(times, 200) << static_cast<int>(partner);
  EXPECT_GT(wholly_stuck, 100);
  EXPECT_GT(partly_stuck, 30);
}

/// Each waits for the next, the last one runs: one after the other can go on.
TEST(Waiting, ALongChainCanGoOn) {
  constexpr std::size_t size = 10000;
  PlayedJob job(size);
  for (std::size_t rank = 0; rank + 1 < size; ++rank) job.receives(rank, static_cast<std::int32_t>(rank + 1));
  EXPECT_EQ(job.stuck(), "");
  job.receives(size - 1, 0);
  const WaitingRanks waiting = job.waiting();
  ASSERT_EQ(waiting.cycles.size(), 1u);
  EXPECT_EQ(waiting.cycles[0].size(), size);
}

TEST(Waiting, CyclesAreTheRanksThatWaitForEachOtherAlone) {
  PlayedJob job(5);
  job.receives(0, 2);
  job.receives(1, 0);
  job.receives(2, 3);
  job.receives(3, 4);
  job.receives(4, 2);
  EXPECT_EQ(job.stuck(), "01234");
  const auto rank = [](std::int64_t number) { return Rank{{}, number}; };
  EXPECT_EQ(job.waiting().cycles, (std::vector<std::vector<Rank>>{{rank(2), rank(3), rank(4)}}));
}

}  // namespace
}  // namespace ddtscope::reporters::waiting_test
