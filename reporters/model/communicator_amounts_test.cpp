// Amounts of collective operations between two groups and between neighbours, beside what follows of each process's
// arguments by the text of MPI-4.1 6 and 8.6: random plans, in some of which one count is wrong.
#include "reporters/model/communicator_amounts.h"

#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reporters/model/collectives_fixture.h"

namespace ddtscope::reporters::communicator_amounts_test {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;  // ranks of the world: who sends, who receives

/// What one process says. A count of -1 is not significant.
struct Arguments {
  CollectiveRoot root;
  std::vector<int> sent, received;  // one count, or one for each process or neighbour
  const char* op = "";
};

class PlannedCollectives : public test::CollectivesFixture {
 protected:
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  bool happens(int of) { return number(1, of) == 1; }
  template <class List>
  auto& any_of(List& list) {
    return list[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }

  CollectiveSide side(const std::vector<int>& counts) const {
    if (counts.empty()) return {};
    std::vector<BlockRun> runs;
    for (const int count : counts) {
      const BlockRun run{1, count < 0 ? std::nullopt : std::optional(named("MPI_INT")),
                         static_cast<std::uint64_t>(std::max(count, 0))};
      if (!runs.empty() && runs.back().type == run.type && runs.back().elements == run.elements) {
        ++runs.back().times;
      } else {
        runs.push_back(run);
      }
    }
    return blocks(std::move(runs));
  }

  /// A call of a plan, at a site of its own.
  void add_call(const char* called, const std::vector<Arguments>& of_process) {
    site_ = frame(sites_.size() + 10);
    sites_[*site_] = calls_.size();
    std::vector<CollectiveIndex> made;
    for (const Arguments& one : of_process) {
      made.push_back(call(called, one.root, one.op, side(one.sent), side(one.received)));
    }
    calls_.push_back(std::move(made));
  }

  /// Who disagrees with whom in which call, as it is found.
  std::map<std::size_t, std::set<Pair>> found(CommunicatorIndex on, const std::vector<std::int64_t>& ranks) {
    for (std::size_t process = 0; process < ranks.size(); ++process) {
      std::vector<SequenceElement> elements;
      for (const auto& of_process : calls_) elements.push_back({0, of_process[process].value});
      RankCollectives& added = line(static_cast<int>(ranks[process]), sequence(std::move(elements)));
      added.predefined = PredefinedCommunicator::none;
      added.communicator = on;
      if (!neighbours_.empty()) added.neighbours = neighbours_[process];
    }
    comparison_ = compare_collectives(job_);
    std::map<std::size_t, std::set<Pair>> pairs;
    for (const CollectiveMismatch& one : comparison_.mismatches) {
      EXPECT_EQ(one.count, 1u);
      const std::size_t call = sites_.at(*job_.messages.collective_operations[one.operation.value].site);
      EXPECT_EQ(one.call, call);
      const bool is_turned = one.is_sent_by_other;
      pairs[call].emplace((is_turned ? one.other_rank : one.rank).number,
                          (is_turned ? one.rank : one.other_rank).number);
    }
    return pairs;
  }

  void begin_plan() {
    job_.messages.collectives.clear();
    job_.messages.collective_sequences.clear();
    job_.messages.collective_operations.clear();
    job_.messages.collective_sequences.reserve(64);
    job_.communicators.clear();
    calls_.clear();
    sites_.clear();
    neighbours_.clear();
  }

  std::mt19937 random_{20231};
  std::vector<std::vector<CollectiveIndex>> calls_;  // of each process
  std::map<FrameIndex, std::size_t> sites_;
  std::vector<Neighbours> neighbours_;  // of each process
  CollectiveComparison comparison_;
};

/// What the standard says of two groups, call by call.
class BetweenGroups : public PlannedCollectives {
 protected:
  struct Group {
    std::vector<std::int64_t> ranks;  // of the world
    std::size_t first = 0;            // the number of its first process among those of both
  };
  std::size_t size(int group) const { return groups_[group].ranks.size(); }
  std::vector<int> same(std::size_t times, int count) const { return std::vector<int>(times, count); }

  /// Right in all processes.
  std::vector<Arguments> plan(const std::string& function) {
    std::vector<Arguments> all(size(0) + size(1));
    const auto at = [&](int group, std::size_t rank) -> Arguments& { return all[groups_[group].first + rank]; };
    const bool is_rooted =
        function == "MPI_Bcast" || function == "MPI_Gatherv" || function == "MPI_Scatterv" || function == "MPI_Reduce";
    if (is_rooted) {
      const int group = number(0, 1);
      const auto root = static_cast<std::size_t>(number(0, static_cast<int>(size(group)) - 1));
      for (std::size_t i = 0; i < size(group); ++i) at(group, i).root.is = CollectiveRoot::Is::nobody;
      at(group, root).root.is = CollectiveRoot::Is::itself;
      const int count = number(0, 4);
      for (std::size_t i = 0; i < size(1 - group); ++i) {
        Arguments& one = at(1 - group, i);
        one.root = rooted(static_cast<std::int32_t>(root));
        const int own = function == "MPI_Bcast" || function == "MPI_Reduce" ? count : number(0, 4);
        const bool is_sent = function == "MPI_Gatherv" || function == "MPI_Reduce";
        (is_sent ? one.sent : one.received) = {own};
        if (function == "MPI_Gatherv") at(group, root).received.push_back(own);
        if (function == "MPI_Scatterv") at(group, root).sent.push_back(own);
        if (function == "MPI_Reduce") one.op = "MPI_SUM";
      }
      if (function == "MPI_Bcast" || function == "MPI_Reduce") at(group, root).sent = {count};
      if (function == "MPI_Reduce") at(group, root).op = "MPI_SUM";
      return all;
    }
    if (function == "MPI_Allreduce") {
      const int count = number(0, 4);
      for (Arguments& one : all) one.sent = {count}, one.op = "MPI_SUM";
      return all;
    }
    if (function == "MPI_Reduce_scatter" || function == "MPI_Reduce_scatter_block") {
      // Both groups have as many elements: each shares them out among its own processes (MPI-4.1 6.10).
      const bool is_block = function == "MPI_Reduce_scatter_block";
      const auto both = static_cast<int>(size(0) * size(1));
      const int elements = number(0, 3) * both;
      for (const int group : {0, 1}) {
        std::vector<int> counts = same(size(group), elements / static_cast<int>(size(group)));
        for (int i = is_block ? 0 : 3; i > 0; --i) {
          int& from = any_of(counts);
          if (from > 0) --from, ++any_of(counts);
        }
        for (std::size_t i = 0; i < size(group); ++i) at(group, i).sent = counts, at(group, i).op = "MPI_MAX";
      }
      return all;
    }
    // What each sends to each of the other group: one amount to all, where the function has but one count.
    for (const int group : {0, 1}) {
      const int to_all = number(0, 4);
      for (std::size_t i = 0; i < size(group); ++i) {
        const int to_each = function == "MPI_Allgather" || function == "MPI_Alltoall" ? to_all : number(0, 4);
        for (std::size_t k = 0; k < size(1 - group); ++k) {
          const int count = function == "MPI_Alltoallv" ? number(0, 4) : to_each;
          at(group, i).sent.push_back(count);
          at(1 - group, k).received.push_back(count);
        }
        if (function.starts_with("MPI_Allgather")) at(group, i).sent.resize(1);
      }
    }
    return all;
  }

  /// Of what each process says, what does not fit; of reductions only whether something does not.
  std::set<Pair> wrong(const std::string& function, const std::vector<Arguments>& all) const {
    std::set<Pair> pairs;
    const auto at = [&](int group, std::size_t rank) -> const Arguments& { return all[groups_[group].first + rank]; };
    const auto rank_of = [&](int group, std::size_t rank) { return groups_[group].ranks[rank]; };
    if (function.starts_with("MPI_Reduce_scatter")) {
      bool is_wrong = false;
      std::vector<int> sums;
      for (const int group : {0, 1}) {
        for (std::size_t i = 0; i < size(group); ++i) is_wrong |= at(group, i).sent != at(group, 0).sent;
        int sum = 0;
        for (const int count : at(group, 0).sent) sum += count;
        sums.push_back(sum);
      }
      if (is_wrong || sums[0] != sums[1]) pairs.emplace(-1, -1);
      return pairs;
    }
    if (function == "MPI_Reduce" || function == "MPI_Allreduce") {
      std::set<int> counts;
      for (const Arguments& one : all) counts.insert(one.sent.begin(), one.sent.end());
      if (counts.size() > 1) pairs.emplace(-1, -1);
      return pairs;
    }
    for (const int group : {0, 1}) {
      for (std::size_t i = 0; i < size(group); ++i) {
        for (std::size_t k = 0; k < size(1 - group); ++k) {
          const std::vector<int>& sent = at(group, i).sent;
          const std::vector<int>& received = at(1 - group, k).received;
          if (sent.empty() || received.empty()) continue;
          const bool has_one = function == "MPI_Bcast" || function == "MPI_Gatherv" || function.starts_with("MPI_Allg");
          const bool takes_one = function == "MPI_Bcast" || function == "MPI_Scatterv";
          const int given = has_one ? sent[0] : sent[k];
          const int taken = takes_one ? received[0] : received[i];
          if (given != taken) pairs.emplace(rank_of(group, i), rank_of(1 - group, k));
        }
      }
    }
    return pairs;
  }

  Group groups_[2];
};

TEST_F(BetweenGroups, ExactlyThePlantedMismatchesAreFound) {
  ranks(10);
  know(0, 9);
  const std::vector<std::string> functions = {"MPI_Bcast",      "MPI_Gatherv",        "MPI_Scatterv",
                                              "MPI_Reduce",     "MPI_Allreduce",      "MPI_Allgather",
                                              "MPI_Allgatherv", "MPI_Alltoall",       "MPI_Alltoallv",
                                              "MPI_Ialltoall",  "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"};
  int planted = 0;
  for (int round = 0; round < 1500; ++round) {
    begin_plan();
    std::vector<std::int64_t> ranks = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::shuffle(ranks.begin(), ranks.end(), random_);
    const std::size_t first = static_cast<std::size_t>(number(1, 4));
    const std::size_t second = static_cast<std::size_t>(number(1, 4));
    ranks.resize(first + second);
    groups_[0] = {{ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(first)}, 0};
    groups_[1] = {{ranks.begin() + static_cast<std::ptrdiff_t>(first), ranks.end()}, first};
    std::map<std::size_t, std::set<Pair>> expected;
    const int calls = number(1, 5);
    for (int i = 0; i < calls; ++i) {
      const std::string& function = any_of(functions);
      std::vector<Arguments> all = plan(function == "MPI_Ialltoall" ? "MPI_Alltoall" : function);
      ASSERT_TRUE(wrong(function, all).empty()) << function;
      if (happens(4)) {
        Arguments& one = any_of(all);
        std::vector<int>& counts = happens(2) ? one.sent : one.received;
        if (!counts.empty()) any_of(counts) += number(1, 2);
      }
      if (auto pairs = wrong(function, all); !pairs.empty()) expected[static_cast<std::size_t>(i)] = std::move(pairs);
      add_call(function.c_str(), all);
    }
    const auto pairs = found(communicator({groups_[0].ranks, groups_[1].ranks}), ranks);
    planted += static_cast<int>(expected.size());
    ASSERT_EQ(pairs.size(), expected.size()) << "plan " << round;
    for (const auto& [call, wrong_pairs] : expected) {
      ASSERT_TRUE(pairs.contains(call)) << "plan " << round;
      if (wrong_pairs.contains({-1, -1})) continue;  // of a reduction it is enough that it is found
      for (const Pair& pair : pairs.at(call)) EXPECT_TRUE(wrong_pairs.contains(pair)) << "plan " << round;
    }
    EXPECT_EQ(comparison_.agreed.communicators, expected.empty() ? 1u : 0u) << "plan " << round;
    EXPECT_TRUE(comparison_.amounts_not_compared.empty());
  }
  EXPECT_GT(planted, 300);
}

TEST_F(BetweenGroups, TheRootsGroupSaysWhatTheOtherOneMakesIt) {
  ranks(5);
  know(0, 4);
  const auto told_with = [&](std::vector<CollectiveRoot> roots, const char* op_of_nobody = "MPI_SUM") {
    begin_plan();
    std::vector<Arguments> all;
    for (const CollectiveRoot& root : roots) {
      const bool is_nobody = root.is == CollectiveRoot::Is::nobody;
      all.push_back({root, {}, {}, is_nobody ? op_of_nobody : "MPI_SUM"});
      if (!is_nobody) all.back().sent = {3};
    }
    add_call("MPI_Reduce", all);
    found(communicator({{0, 2, 4}, {1, 3}}), {0, 2, 4, 1, 3});
    Told words;
    for (const JobFinding& one : findings_of_collectives(job_, comparison_)) {
      words.push_back(one.message.substr(0, one.message.find(" It is")));
    }
    return words;
  };
  const CollectiveRoot itself{CollectiveRoot::Is::itself, 0};
  const CollectiveRoot nobody{CollectiveRoot::Is::nobody, 0};
  EXPECT_EQ(told_with({nobody, itself, nobody, rooted(1), rooted(1)}), Told{});
  EXPECT_EQ(told_with({nobody, itself, nobody, rooted(1), rooted(1)}, "MPI_MAX"), Told{});  // not significant there
  EXPECT_EQ(told_with({rooted(0), rooted(0), rooted(0), itself, nobody}), Told{});
  EXPECT_EQ(told_with({nobody, itself, nobody, rooted(1), rooted(0)}),
            Told{"Rank 0 calls MPI_Reduce with MPI_PROC_NULL, rank 3 with root 0."});
  EXPECT_EQ(told_with({nobody, nobody, itself, rooted(1), rooted(1)}),
            Told{"Rank 1 calls MPI_Reduce with root 1, rank 2 with MPI_PROC_NULL."});
  EXPECT_EQ(told_with({nobody, itself, itself, rooted(1), rooted(1)}),
            Told{"Rank 1 calls MPI_Reduce with root 1, rank 4 with MPI_ROOT."});
  EXPECT_EQ(told_with({rooted(0), rooted(0), rooted(0), rooted(0), rooted(0)}),
            Told{"Rank 0 calls MPI_Reduce with root 0, rank 1 with root 0."});
}

/// MPI-4.1 6.2.3: each group has a reduction of its own.
TEST_F(BetweenGroups, OperationsAreOneWithinAGroup) {
  ranks(5);
  know(0, 4);
  const auto told_with = [&](const std::vector<const char*>& ops) {
    begin_plan();
    std::vector<Arguments> all;
    for (const char* const op : ops) all.push_back({{}, {3}, {}, op});
    add_call("MPI_Allreduce", all);
    found(communicator({{0, 2, 4}, {1, 3}}), {0, 2, 4, 1, 3});
    return findings_of_collectives(job_, comparison_).size();
  };
  EXPECT_EQ(told_with({"MPI_SUM", "MPI_SUM", "MPI_SUM", "MPI_MAX", "MPI_MAX"}), 0u);
  EXPECT_EQ(told_with({"MPI_SUM", "MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MAX"}), 1u);
  EXPECT_EQ(told_with({"MPI_SUM", "MPI_SUM", "MPI_SUM", "MPI_MAX", "MPI_MIN"}), 1u);
}

/// Of calls in which nobody is the root: what one sends to another is what that one receives of it, itself as well
/// (MPI-4.1 6.7, 6.8).
class WithinAGroup : public PlannedCollectives {
 protected:
  static constexpr int most_processes = 5;
  /// By process: its ranges of the world, any order.
  std::vector<std::int64_t> some_ranks() {
    std::vector<std::int64_t> all(static_cast<std::size_t>(number(1, most_processes)));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    std::shuffle(all.begin(), all.end(), random_);
    return all;
  }
  std::vector<Arguments> alltoallv(std::size_t processes) {
    std::vector<Arguments> all(processes);
    for (Arguments& one : all) one.sent = one.received = std::vector<int>(processes);
    for (std::size_t from = 0; from < processes; ++from) {
      for (std::size_t to = 0; to < processes; ++to) {
        all[from].sent[to] = all[to].received[from] = number(0, 2);
      }
    }
    return all;
  }
};

TEST_F(WithinAGroup, WhatAProcessSendsToItselfIsComparedUnlessOthersDisagree) {
  ranks(most_processes);
  know(0, most_processes - 1);
  int own_alone = 0;
  int both = 0;
  for (int plan = 0; plan < 400; ++plan) {
    begin_plan();
    const std::vector<std::int64_t> on = some_ranks();
    std::vector<std::vector<Arguments>> calls;
    std::map<std::size_t, std::set<Pair>> expected;
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<Arguments> call = alltoallv(on.size());
      for (int wrong = number(0, 2); wrong > 0; --wrong) {
        const auto who = static_cast<std::size_t>(number(0, static_cast<int>(on.size()) - 1));
        const std::size_t with =
            happens(2) ? who : static_cast<std::size_t>(number(0, static_cast<int>(on.size()) - 1));
        ++call[who].sent[with];
      }
      std::set<std::size_t> disagree;  // with another one
      for (std::size_t from = 0; from < on.size(); ++from) {
        for (std::size_t to = 0; to < on.size(); ++to) {
          if (from == to || call[from].sent[to] == call[to].received[from]) continue;
          expected[i].emplace(on[from], on[to]);
          disagree.insert({from, to});
        }
      }
      for (std::size_t own = 0; own < on.size(); ++own) {
        if (call[own].sent[own] == call[own].received[own]) continue;
        both += disagree.contains(own) ? 1 : 0;
        if (disagree.contains(own)) continue;
        expected[i].emplace(on[own], on[own]);
        ++own_alone;
      }
      add_call("MPI_Alltoallv", call);
    }
    const auto found = this->found(communicator({on}), on);
    // Alike ones are one finding, whose example is one of them: of each call as many kinds as were planned at least.
    for (const auto& [call, pairs] : found) {
      for (const Pair& pair : pairs) {
        EXPECT_TRUE(expected[call].contains(pair)) << pair.first << " to " << pair.second << " of plan " << plan;
      }
    }
    const auto has_own = [](const std::set<Pair>& pairs) {
      return std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.first == pair.second; });
    };
    for (const auto& [call, pairs] : expected) {
      if (pairs.empty()) continue;
      ASSERT_TRUE(found.contains(call)) << "plan " << plan;
      EXPECT_EQ(has_own(found.at(call)), has_own(pairs)) << "plan " << plan;
    }
  }
  EXPECT_GT(own_alone, 200);
  EXPECT_GT(both, 50);
}

TEST_F(WithinAGroup, WhatAProcessSendsToItselfIsToldOfTheProcess) {
  ranks(2);
  know(0, 1);
  // Each receives of the other what that one sends, of itself something else.
  const auto told_of = [&](const char* called, const char* received) {
    begin_plan();
    site_ = frame(7);
    const CollectiveIndex first = call(called, {}, "", blocks({{2, named("MPI_INT"), 4}}),
                                       blocks({{1, named("MPI_INT"), 4}, {1, named("MPI_INT"), 4}}));
    const CollectiveIndex second = call(called, {}, "", blocks({{2, named("MPI_INT"), 4}}),
                                        blocks({{1, named("MPI_INT"), 4}, {1, named(received), 4}}));
    const CommunicatorIndex both = communicator({{0, 1}});
    for (int rank = 0; rank < 2; ++rank) {
      RankCollectives& added = line(rank, times(3, rank == 0 ? first : second));
      added.predefined = PredefinedCommunicator::none;
      added.communicator = both;
    }
    return findings_of_collectives(job_, compare_collectives(job_));
  };
  const std::vector<JobFinding> wrong = told_of("MPI_Alltoallw", "MPI_FLOAT");
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].kind->id, "local-mismatch");
  EXPECT_EQ(wrong[0].severity, Severity::error);
  EXPECT_EQ(wrong[0].count, 3u);
  EXPECT_EQ(wrong[0].argument, "sendtypes");
  ASSERT_TRUE(wrong[0].other);
  EXPECT_EQ(wrong[0].other->argument, "recvtypes");
  EXPECT_EQ(text_of(wrong[0].ranks), "1");
  EXPECT_EQ(
      wrong[0].message,
      "Rank 1 sends 4 x MPI_INT to itself by MPI_Alltoallw, and receives 4 x MPI_FLOAT of itself: entry 0 is sent as "
      "MPI_INT and received as MPI_FLOAT. It is call 1 on the communicator of MPI_Intercomm_create, one of 3 that "
      "differ.");
  EXPECT_TRUE(told_of("MPI_Alltoallw", "MPI_INT").empty());
}

/// By the text of MPI-4.1 8.6, as messages: of a Cartesian communicator each direction has a tag of its own.
class BetweenNeighbours : public PlannedCollectives {
 protected:
  /// Ranks below and above of each dimension, by coordinates.
  void make_cartesian(const std::vector<int>& sizes, const std::vector<bool>& periods) {
    int processes = 1;
    for (const int one : sizes) processes *= one;
    for (int process = 0; process < processes; ++process) {
      Neighbours own{.is_cartesian = true, .sources = {}, .destinations = {}};
      int stride = processes;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        stride /= sizes[d];
        const int place = process / stride % sizes[d];
        for (const int step : {-1, 1}) {
          const int to = place + step;
          const bool is_outside = to < 0 || to >= sizes[d];
          const int around = (to + sizes[d]) % sizes[d];
          own.sources.push_back(is_outside && !periods[d] ? Neighbours::nobody : process + (around - place) * stride);
        }
      }
      own.destinations = own.sources;
      neighbours_.push_back(own);
    }
  }
  /// Any edges, some of them several times.
  void make_graph(int processes) {
    neighbours_.resize(static_cast<std::size_t>(processes));
    std::vector<std::pair<int, int>> edges;
    for (int i = number(0, 3 * processes); i > 0; --i) {
      edges.emplace_back(number(0, processes - 1), number(0, processes - 1));
    }
    for (const auto& [from, to] : edges) neighbours_[static_cast<std::size_t>(from)].destinations.push_back(to);
    std::shuffle(edges.begin(), edges.end(), random_);
    for (const auto& [from, to] : edges) neighbours_[static_cast<std::size_t>(to)].sources.push_back(from);
  }

  /// Messages that each sends, and takes out of those that were sent to it.
  template <class Take>
  void play(const std::vector<std::vector<int>>& sent, const Take& take) const {
    std::map<std::tuple<int, int, int>, std::deque<int>> under_way;
    const auto tag_of = [](const Neighbours& own, std::size_t slot, bool is_received) {
      return own.is_cartesian ? static_cast<int>(is_received ? slot ^ 1 : slot) : 0;
    };
    for (std::size_t process = 0; process < neighbours_.size(); ++process) {
      const Neighbours& own = neighbours_[process];
      for (std::size_t slot = 0; slot < own.destinations.size(); ++slot) {
        if (own.destinations[slot] == Neighbours::nobody) continue;
        under_way[{static_cast<int>(process), own.destinations[slot], tag_of(own, slot, false)}].push_back(
            sent[process].size() == 1 ? sent[process][0] : sent[process][slot]);
      }
    }
    for (std::size_t process = 0; process < neighbours_.size(); ++process) {
      const Neighbours& own = neighbours_[process];
      for (std::size_t slot = 0; slot < own.sources.size(); ++slot) {
        if (own.sources[slot] == Neighbours::nobody) continue;
        auto& those = under_way[{own.sources[slot], static_cast<int>(process), tag_of(own, slot, true)}];
        ASSERT_FALSE(those.empty());
        take(process, slot, those.front());
        those.pop_front();
      }
    }
  }
};

TEST_F(BetweenNeighbours, ExactlyThePlantedMismatchesAreFound) {
  ranks(12);
  know(0, 11);
  const std::vector<std::string> functions = {"MPI_Neighbor_allgatherv", "MPI_Neighbor_alltoallv",
                                              "MPI_Ineighbor_alltoallw", "MPI_Neighbor_alltoallv_init"};
  int planted = 0;
  int of_equal_ends = 0;
  for (int round = 0; round < 1500; ++round) {
    begin_plan();
    if (happens(2)) {
      make_cartesian({number(1, 4), number(1, 3)}, {happens(2), happens(2)});
    } else {
      make_graph(number(2, 8));
    }
    const std::size_t processes = neighbours_.size();
    if (processes < 2) continue;  // of one alone nothing is recorded
    std::map<std::size_t, std::set<Pair>> expected;
    const int calls = number(1, 4);
    for (int i = 0; i < calls; ++i) {
      const std::string& function = any_of(functions);
      const bool is_gathered = function == "MPI_Neighbor_allgatherv";
      std::vector<std::vector<int>> sent(processes);
      std::vector<std::vector<int>> received(processes);
      for (std::size_t process = 0; process < processes; ++process) {
        const Neighbours& own = neighbours_[process];
        for (const std::int32_t to : own.destinations)
          sent[process].push_back(to == Neighbours::nobody ? -1 : number(0, 4));
        if (is_gathered) sent[process] = {number(0, 4)};
        received[process].assign(own.sources.size(), -1);
      }
      play(sent, [&](std::size_t process, std::size_t slot, int count) { received[process][slot] = count; });
      if (happens(3)) {
        std::vector<int>& counts = happens(2) ? any_of(sent) : any_of(received);
        if (!counts.empty() && any_of(counts) >= 0) {
          for (int& count : counts) {
            if (count >= 0 && happens(2)) ++count;
          }
        }
      }
      std::set<Pair> pairs;
      play(sent, [&](std::size_t process, std::size_t slot, int count) {
        if (received[process][slot] == count) return;
        pairs.emplace(neighbours_[process].sources[slot], process);
        of_equal_ends += neighbours_[process].sources[slot] == static_cast<int>(process) ? 1 : 0;
      });
      if (!pairs.empty()) expected[static_cast<std::size_t>(i)] = std::move(pairs);
      std::vector<Arguments> all;
      for (std::size_t process = 0; process < processes; ++process) {
        all.push_back({{}, sent[process], received[process]});
      }
      add_call(function.c_str(), all);
    }
    std::vector<std::int64_t> members;
    for (std::size_t process = 0; process < processes; ++process) members.push_back(static_cast<int>(process));
    const auto pairs = found(communicator({members}), members);
    planted += static_cast<int>(expected.size());
    ASSERT_EQ(pairs.size(), expected.size()) << "plan " << round;
    for (const auto& [call, wrong_pairs] : expected) {
      ASSERT_TRUE(pairs.contains(call)) << "plan " << round;
      for (const Pair& pair : pairs.at(call)) EXPECT_TRUE(wrong_pairs.contains(pair)) << "plan " << round;
    }
    EXPECT_EQ(comparison_.agreed.communicators, expected.empty() ? 1u : 0u) << "plan " << round;
    EXPECT_TRUE(comparison_.amounts_not_compared.empty());
  }
  EXPECT_GT(planted, 300);
  EXPECT_GT(of_equal_ends, 20);
}

TEST_F(BetweenNeighbours, WhoIsNotToldIsSaid) {
  ranks(2);
  know(0, 1);
  begin_plan();
  make_graph(2);
  neighbours_.clear();
  add_call("MPI_Neighbor_alltoall", {{{}, {1}, {2}, ""}, {{}, {3}, {4}, ""}});
  EXPECT_TRUE(found(communicator({{0, 1}}), {0, 1}).empty());
  EXPECT_EQ(comparison_.amounts_not_compared.at("neighbours"), 1u);
  EXPECT_EQ(comparison_.agreed.communicators, 0u);
}

}  // namespace
}  // namespace ddtscope::reporters::communicator_amounts_test
