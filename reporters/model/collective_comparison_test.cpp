// Collective operations of all processes compared, beside a comparison call by call of sequences that are unfolded.
#include "reporters/model/collective_comparison.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decoder/testing/sanitizers.h"
#include "reporters/model/collectives_fixture.h"

namespace ddtscope::reporters::collective_comparison_test {
namespace {

class CollectiveComparisonTest : public test::CollectivesFixture {};

TEST_F(CollectiveComparisonTest, FindsOtherRootsCallsAndOps) {
  ranks(3);
  know(0, 2);
  const CollectiveIndex barrier = call("MPI_Barrier");
  const auto one = [&](CollectiveIndex of_0, CollectiveIndex of_1) {
    job_.messages.collectives.clear();
    line(0, sequence({{16, 1}, {0, barrier.value}, {0, of_0.value}, {7, 1}, {0, barrier.value}}));
    line(1, sequence({{16, 1}, {0, barrier.value}, {0, of_1.value}, {7, 1}, {0, barrier.value}}));
    line(2, sequence({{16, 1}, {0, barrier.value}, {0, of_0.value}, {7, 1}, {0, barrier.value}}));
    return told();
  };
  const std::string place = " It is call 17 on MPI_COMM_WORLD; what follows it there was not compared.";
  EXPECT_EQ(one(call("MPI_Bcast", rooted(0)), call("mpi_bcast_f08_", rooted(1))),
            Told{"collective-mismatch error 1: Rank 0 calls MPI_Bcast as root 0, rank 1 with root 1." + place});
  EXPECT_EQ(one(call("MPI_Bcast", rooted(0)), call("MPI_Ibcast", rooted(0))),
            Told{"collective-mismatch error 1: Rank 0 calls MPI_Bcast, rank 1 calls MPI_Ibcast." + place});
  EXPECT_EQ(
      one(call("MPI_Allreduce", {}, "MPI_SUM"), call("MPI_Allreduce", {}, "user-defined")),
      Told{"collective-mismatch error 1: Rank 0 calls MPI_Allreduce with MPI_SUM, rank 1 with an operation of the "
           "program." +
           place});
  EXPECT_EQ(one(call("MPI_Bcast", rooted(2)), call("PMPI_Bcast_c", rooted(2))), Told{});
  const CollectiveComparison all = compare_collectives(job_);
  EXPECT_EQ(all.agreed.communicators, 1u);
  EXPECT_EQ(all.agreed.calls, 24u);
}

TEST_F(CollectiveComparisonTest, SaysWhoMadeNoFurtherCall) {
  ranks(4);
  know(0, 3);
  const CollectiveIndex barrier = call("MPI_Barrier");
  for (const int rank : {0, 1, 2}) line(rank, times(5, barrier));
  line(3, times(3, barrier));
  const Told ended{
      "collective-mismatch error 1: Rank 0 calls MPI_Barrier, rank 3 makes no further call. It is call 4 on "
      "MPI_COMM_WORLD; what follows it there was not compared."};
  EXPECT_EQ(told(), ended);
  // One that has no line made none.
  job_.messages.collectives.pop_back();
  ASSERT_EQ(told().size(), 1u);
  EXPECT_NE(told()[0].find("rank 3 makes no further call. It is call 1 on"), std::string::npos);
  // But nobody knows where there was no memory.
  job_.messages.known.clear();
  know(0, 2);
  know(3, 3, {{"memory", 0}});
  EXPECT_EQ(told(), Told{});
  CollectiveComparison comparison = compare_collectives(job_);
  EXPECT_EQ(comparison.undecided.at("memory").communicators, 1u);
  EXPECT_EQ(comparison.agreed.communicators, 0u);
  EXPECT_EQ(comparison.agreed.calls, 5u);
  // A process that was killed, or one whose later calls nobody knows, may have gone on.
  job_.messages.known.clear();
  know(0, 3);
  line(3, times(3, barrier)).undecided = UndecidedFrom{3, "failed"};
  EXPECT_EQ(told(), Told{});
  EXPECT_EQ(compare_collectives(job_).undecided.at("failed").calls, 2u);
  job_.messages.collectives.back().undecided.reset();
  EXPECT_EQ(told(), ended);
  job_.ranks[3].end.reset();
  EXPECT_EQ(told(), Told{});
  EXPECT_EQ(compare_collectives(job_).undecided.at("trace that is not complete").calls, 2u);
}

TEST_F(CollectiveComparisonTest, ComparesAmountsByTheRulesOfEachOperation) {
  ranks(3);
  know(0, 2);
  // A call of each rank, 5 times; what is told of it begins so.
  const auto calls = [&](std::vector<CollectiveIndex> of_rank) {
    job_.messages.collectives.clear();
    for (int rank = 0; rank < 3; ++rank) line(rank, times(5, of_rank[static_cast<std::size_t>(rank)]));
    Told all = told();
    for (std::string& one : all) one = one.substr(0, one.find(" It is"));
    return all;
  };
  const auto bcast_of = [&](CollectiveSide side, std::int32_t rank, std::int32_t root) {
    return rank == root ? call("MPI_Bcast", rooted(root), "", std::move(side))
                        : call("MPI_Bcast", rooted(root), "", {}, std::move(side));
  };
  EXPECT_EQ(calls({bcast_of(block("MPI_INT", 4), 0, 2), bcast_of(block("MPI_INT", 3), 1, 2),
                   bcast_of(block("MPI_INT", 4), 2, 2)}),
            Told{"signature-mismatch error 5: Rank 2 sends 4 x MPI_INT by MPI_Bcast, rank 1 receives 3 x MPI_INT: they "
                 "have 4 and 3 entries."});
  EXPECT_EQ(calls({bcast_of(block("MPI_INT", 4), 0, 0), bcast_of(block("MPI_FLOAT", 4), 1, 0),
                   bcast_of(block("MPI_INT", 4), 2, 0)}),
            Told{"signature-mismatch error 5: Rank 0 sends 4 x MPI_INT by MPI_Bcast, rank 1 receives 4 x MPI_FLOAT: "
                 "entry 0 is sent as MPI_INT and received as MPI_FLOAT."});
  EXPECT_EQ(calls({bcast_of(block("MPI_DOUBLE", 4), 0, 0), bcast_of(block("MPI_DOUBLE_PRECISION", 4), 1, 0),
                   bcast_of(block("MPI_BYTE", 32), 2, 0)})
                .size(),
            2u);
  EXPECT_EQ(compare_collectives(job_).mismatches[0].verdict, MessageVerdict::same_bytes);
  EXPECT_EQ(compare_collectives(job_).mismatches[1].verdict, MessageVerdict::same_bytes);

  // Gatherv: each process's block against the root's.
  const CollectiveIndex root =
      call("MPI_Gatherv", rooted(1), "", {CollectiveSideIs::in_place, {}},
           blocks({{1, named("MPI_INT"), 1}, {1, named("MPI_INT"), 2}, {1, named("MPI_INT"), 3}}));
  const CollectiveIndex sends_1 = call("MPI_Gatherv", rooted(1), "", block("MPI_INT", 1));
  const CollectiveIndex sends_3 = call("MPI_Gatherv", rooted(1), "", block("MPI_INT", 3));
  EXPECT_EQ(calls({sends_1, root, sends_3}), Told{});
  EXPECT_EQ(calls({sends_1, root, sends_1}),
            Told{"signature-mismatch error 5: Rank 1 receives 3 x MPI_INT by MPI_Gatherv, rank 2 sends 1 x MPI_INT: "
                 "they have 1 and 3 entries."});

  // Alltoallv: rank i sends i + 1 to each, and receives j + 1 of each.
  const auto alltoallv = [&](std::uint64_t sent, std::uint64_t of_0) {
    return call("MPI_Alltoallv", {}, "", block("MPI_INT", sent, 3),
                blocks({{1, named("MPI_INT"), of_0}, {1, named("MPI_INT"), 2}, {1, named("MPI_INT"), 3}}));
  };
  EXPECT_EQ(calls({alltoallv(1, 1), alltoallv(2, 1), alltoallv(3, 1)}), Told{});
  EXPECT_EQ(calls({alltoallv(1, 1), alltoallv(2, 1), alltoallv(3, 9)}),
            Told{"signature-mismatch error 5: Rank 0 sends 1 x MPI_INT by MPI_Alltoallv, rank 2 receives 9 x MPI_INT: "
                 "they have 1 and 9 entries."});

  // In place: a process gives what it would receive of itself (MPI-4.1 6.7), to each what it would receive of it (6.8).
  const auto in_place = [&](const char* called, std::array<std::uint64_t, 3> counts) {
    std::vector<BlockRun> runs;
    for (const std::uint64_t count : counts) runs.push_back({1, named("MPI_INT"), count});
    return call(called, {}, "", {CollectiveSideIs::in_place, {}}, blocks(std::move(runs)));
  };
  const auto gathered = [&](std::uint64_t of_1) { return in_place("MPI_Allgatherv", {1, of_1, 3}); };
  const CollectiveIndex two = gathered(2);
  EXPECT_EQ(calls({two, gathered(2), two}), Told{});
  EXPECT_EQ(compare_collectives(job_).agreed.communicators, 1u);
  EXPECT_EQ(calls({two, gathered(9), two}),
            Told{"signature-mismatch error 5: Rank 0 receives 2 x MPI_INT by MPI_Allgatherv, rank 1 sends 9 x MPI_INT "
                 "in place: they have 9 and 2 entries."});
  EXPECT_EQ(compare_collectives(job_).mismatches[0].ranks.ranges().size(), 2u);  // 0 and 2
  const auto exchanged = [&](std::array<std::uint64_t, 3> counts) { return in_place("MPI_Alltoallv", counts); };
  EXPECT_EQ(calls({exchanged({7, 1, 2}), exchanged({1, 8, 3}), exchanged({2, 3, 9})}), Told{});
  EXPECT_EQ(calls({exchanged({7, 1, 2}), exchanged({1, 8, 3}), exchanged({2, 4, 9})}),
            Told{"signature-mismatch error 5: Rank 1 sends 3 x MPI_INT in place by MPI_Alltoallv, rank 2 receives 4 x "
                 "MPI_INT: they have 3 and 4 entries."});
  // All say the same: {1, 2, 3} is what nobody can exchange so.
  const CollectiveIndex same = exchanged({1, 2, 3});
  EXPECT_EQ(calls({same, same, same}).size(), 1u);
  EXPECT_EQ(compare_collectives(job_).mismatches[0].verdict, MessageVerdict::wrong);

  const auto allreduce = [&](const char* type, std::uint64_t count) {
    return call("MPI_Allreduce", {}, "MPI_SUM", block(type, count));
  };
  EXPECT_EQ(calls({allreduce("MPI_INT", 2), allreduce("MPI_INT", 2), allreduce("MPI_FLOAT", 2)}),
            Told{"signature-mismatch error 5: Rank 0 calls MPI_Allreduce with 2 x MPI_INT, rank 2 with 2 x MPI_FLOAT: "
                 "entry 0 is MPI_INT and MPI_FLOAT."});
  // What was not kept is said.
  const CollectiveIndex long_one = call("MPI_Allreduce", {}, "MPI_SUM", {CollectiveSideIs::too_long, {}});
  EXPECT_EQ(calls({allreduce("MPI_INT", 2), long_one, long_one}), Told{});
  EXPECT_EQ(compare_collectives(job_).amounts_not_compared.at("long"), 5u);
  EXPECT_EQ(compare_collectives(job_).agreed.communicators, 0u);
}

TEST_F(CollectiveComparisonTest, ManyProcessesThatCallTheSameAreOneClass) {
  constexpr int processes = 20000;
  ranks(processes);
  know(0, processes - 1);
  const CollectiveIndex all =
      call("MPI_Alltoall", {}, "", block("MPI_INT", 2, processes), block("MPI_INT", 2, processes));
  for (int rank = 0; rank < processes; ++rank) line(rank, times(std::uint64_t{1} << 40, all));
  const CollectiveComparison comparison = compare_collectives(job_);
  EXPECT_EQ(comparison.agreed.calls, std::uint64_t{1} << 40);
  EXPECT_EQ(comparison.agreed.communicators, 1u);
}

/// Each two of them are looked at, in the calls that they differ in alone: all others beside these would be gigabytes.
TEST_F(CollectiveComparisonTest, ManyProcessesThatDifferInOneOfManyCalls) {
  constexpr int processes = test::has_sanitizer ? 150 : 1000;
  ranks(processes);
  know(0, processes - 1);
  std::vector<BlockRun> counts;
  for (int rank = 0; rank < processes; ++rank) {
    counts.push_back({1, named("MPI_INT"), static_cast<std::uint64_t>(rank + 1)});
  }
  site_ = frame(1);
  std::vector<CollectiveIndex> others;
  for (int i = 0; i < 300; ++i) others.push_back(call("MPI_Barrier"));
  for (int rank = 0; rank < processes; ++rank) {
    const std::uint64_t sent = rank == 7 ? 3 : static_cast<std::uint64_t>(rank + 1);
    Elements elements;
    for (const CollectiveIndex other : others) elements.push_back({0, other.value});
    elements.push_back({0, call("MPI_Allgatherv", {}, "", block("MPI_INT", sent), blocks(counts)).value});
    line(rank, sequence(std::move(elements)));
  }
  const std::string behind = " It is call 301 on MPI_COMM_WORLD.";
  EXPECT_EQ(told(), (Told{"signature-mismatch error 1: Rank 7 sends 3 x MPI_INT by MPI_Allgatherv, rank 8 receives 8 x "
                          "MPI_INT: they have 3 and 8 entries." +
                              behind,
                          "signature-mismatch error 1: Rank 0 receives 8 x MPI_INT by MPI_Allgatherv, rank 7 sends 3 x "
                          "MPI_INT: they have 3 and 8 entries." +
                              behind}));
}

/// The ranks of two groups are looked at once, not for each call.
TEST_F(CollectiveComparisonTest, ManyCallsOfLargeGroupsTakeNoLongerThanOfOne) {
  constexpr int processes = 40000;
  constexpr std::uint32_t calls = 20000;
  know(0, processes - 1);
  std::vector<CollectiveSequenceIndex> sequences;
  site_ = frame(1);
  for (int half = 0; half < 2; ++half) {
    Elements elements;
    for (std::uint32_t i = 0; i < calls; ++i) elements.push_back({0, call("MPI_Barrier").value});
    sequences.push_back(sequence(std::move(elements)));
  }
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  for (int rank = 0; rank < processes; ++rank) (rank < processes / 2 ? low : high).push_back(rank);
  std::vector<std::int64_t> all = low;
  all.insert(all.end(), high.begin(), high.end());
  const auto seconds = [&](CommunicatorIndex on) {
    job_.messages.collectives.clear();
    for (int rank = 0; rank < processes; ++rank) {
      RankCollectives& added = line(rank, sequences[rank < processes / 2 ? 0 : 1]);
      added.predefined = PredefinedCommunicator::none;
      added.communicator = on;
    }
    const auto begin = std::chrono::steady_clock::now();
    const CollectiveComparison comparison = compare_collectives(job_);
    EXPECT_EQ(comparison.agreed.calls, calls);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double of_one = seconds(communicator({all}));
  const double of_two = seconds(communicator({low, high}));
  EXPECT_LT(of_two, 5 * of_one + 1);
}

/// Plans of some calls of some processes, in which a few are changed; folded as loops of random cuts.
class RandomCollectives : public CollectiveComparisonTest {
 protected:
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  /// Runs of equal calls become loops, and the whole is a loop where it repeats.
  static Elements folded(const std::vector<std::uint32_t>& calls, int repeats) {
    Elements elements;
    for (std::size_t i = 0; i < calls.size();) {
      std::size_t end = i;
      while (end < calls.size() && calls[end] == calls[i]) ++end;
      if (end - i > 1) elements.push_back({end - i, 1});
      elements.push_back({0, calls[i]});
      i = end;
    }
    if (repeats == 1) return elements;
    elements.insert(elements.begin(),
                    {static_cast<std::uint64_t>(repeats), static_cast<std::uint32_t>(elements.size())});
    return elements;
  }

  std::mt19937 random_{20211};
};

TEST_F(RandomCollectives, GiveWhatAComparisonCallByCallGives) {
  constexpr int processes = 5;
  ranks(processes);
  know(0, processes - 1);
  std::vector<CollectiveIndex> calls;
  for (const char* called : {"MPI_Barrier", "MPI_Comm_split"}) calls.push_back(call(called));
  for (int root = 0; root < 2; ++root)
    calls.push_back(call("MPI_Reduce", rooted(root), "MPI_SUM", block("MPI_INT", 1)));
  calls.push_back(call("MPI_Allreduce", {}, "MPI_SUM", block("MPI_INT", 1)));
  calls.push_back(call("MPI_Allreduce", {}, "MPI_MAX", block("MPI_INT", 1)));
  calls.push_back(call("MPI_Allreduce", {}, "MPI_SUM", block("MPI_INT", 2)));
  const auto last = static_cast<std::uint32_t>(calls.size() - 1);
  int mismatches = 0;
  int amounts = 0;
  for (int plan = 0; plan < 2000; ++plan) {
    job_.messages.collectives.clear();
    job_.messages.collective_sequences.clear();
    job_.messages.collective_sequences.reserve(2 * processes);
    std::vector<std::uint32_t> common(static_cast<std::size_t>(number(1, 8)));
    for (std::uint32_t& one : common) one = static_cast<std::uint32_t>(number(0, static_cast<int>(last)));
    const int repeats = number(1, 4);
    std::vector<std::vector<std::uint32_t>> unfolded;
    for (int rank = 0; rank < processes; ++rank) {
      std::vector<std::uint32_t> own = common;
      if (number(0, 5) == 0) {
        own[static_cast<std::size_t>(number(0, static_cast<int>(own.size()) - 1))] =
            static_cast<std::uint32_t>(number(0, static_cast<int>(last)));
      }
      if (number(0, 9) == 0) own.pop_back();
      std::vector<std::uint32_t> whole;
      for (int i = 0; i < repeats; ++i) whole.insert(whole.end(), own.begin(), own.end());
      line(rank, sequence(number(0, 1) == 0 ? folded(own, repeats) : folded(whole, 1)));
      unfolded.push_back(std::move(whole));
    }
    // The oracle.
    std::size_t length = SIZE_MAX;
    std::size_t longest = 0;
    for (const auto& one : unfolded) length = std::min(length, one.size());
    for (const auto& one : unfolded) longest = std::max(longest, one.size());
    std::size_t place = 0;
    int other = -1;
    for (; place < length && other < 0; place += other < 0 ? 1 : 0) {
      for (int rank = 1; rank < processes && other < 0; ++rank) {
        const CollectiveOperation& a = job_.messages.collective_operations[unfolded[0][place]];
        const CollectiveOperation& b =
            job_.messages.collective_operations[unfolded[static_cast<std::size_t>(rank)][place]];
        if (a.called != b.called || a.root != b.root || a.op != b.op) other = rank;
      }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> differing;  // the most of a process
    for (int rank = 1; rank < processes; ++rank) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> of_rank;
      for (std::size_t i = 0; i < place; ++i) {
        const std::uint32_t a = unfolded[0][i];
        const std::uint32_t b = unfolded[static_cast<std::size_t>(rank)][i];
        const auto elements = [&](std::uint32_t one) {
          const CollectiveSide& send = job_.messages.collective_operations[one].send;
          return send.runs.empty() ? 0 : send.runs[0].elements;
        };
        if (elements(a) != elements(b)) ++of_rank[{a, b}];
      }
      for (const auto& [pair, count] : of_rank) differing[pair] = std::max(differing[pair], count);
    }
    const CollectiveComparison comparison = compare_collectives(job_);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> found;
    const CollectiveMismatch* call_found = nullptr;
    for (const CollectiveMismatch& one : comparison.mismatches) {
      if (one.kind == Kind::reduction) {
        found[{one.operation.value, one.other->value}] = one.count;
      } else {
        ASSERT_EQ(call_found, nullptr);
        call_found = &one;
      }
    }
    EXPECT_EQ(found, differing) << "plan " << plan;
    amounts += static_cast<int>(differing.size());
    if (other >= 0 || length != longest) {
      ++mismatches;
      ASSERT_NE(call_found, nullptr) << "plan " << plan;
      EXPECT_EQ(call_found->call, place) << "plan " << plan;
      EXPECT_EQ(call_found->kind == Kind::ended, other < 0) << "plan " << plan;
      if (other >= 0) {
        EXPECT_EQ(call_found->other_rank.number, other) << "plan " << plan;
      }
      EXPECT_EQ(comparison.calls_behind, longest - place - 1);
    } else {
      EXPECT_EQ(call_found, nullptr) << "plan " << plan;
    }
  }
  EXPECT_GT(mismatches, 500);
  EXPECT_GT(amounts, 50);
}

}  // namespace
}  // namespace ddtscope::reporters::collective_comparison_test
