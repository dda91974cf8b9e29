// A job whose collective operations a test makes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reporters/model/collective_comparison.h"
#include "reporters/model/job_findings.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::test {

class CollectivesFixture : public JobFixture {
 protected:
  using Elements = std::vector<SequenceElement>;
  using Kind = CollectiveMismatch::Kind;

  static CollectiveRoot rooted(std::int32_t rank) { return {CollectiveRoot::Is::process, rank}; }
  CollectiveSide blocks(std::vector<BlockRun> runs) const { return {CollectiveSideIs::blocks, std::move(runs)}; }
  CollectiveSide block(const char* type, std::uint64_t elements, std::uint64_t times = 1) const {
    return blocks({{times, named(type), elements}});
  }
  CollectiveIndex call(const char* called, CollectiveRoot root = {}, const char* op = "", CollectiveSide send = {},
                       CollectiveSide receive = {}) {
    job_.messages.collective_operations.push_back({job_.word(called), job_.word("c"), site_ ? *site_ : frame(1), root,
                                                   job_.word(op), std::move(send), std::move(receive)});
    return {static_cast<std::uint32_t>(job_.messages.collective_operations.size() - 1)};
  }
  CollectiveSequenceIndex sequence(Elements elements) {
    auto& known = job_.messages.collective_sequences;
    const auto found = std::find(known.begin(), known.end(), elements);
    if (found == known.end()) {
      known.push_back(std::move(elements));
      return {static_cast<std::uint32_t>(known.size() - 1)};
    }
    return {static_cast<std::uint32_t>(found - known.begin())};
  }
  CollectiveSequenceIndex times(std::uint64_t number, CollectiveIndex call) {
    return number == 1 ? sequence({{0, call.value}}) : sequence({{number, 1}, {0, call.value}});
  }
  RankCollectives& line(int rank, CollectiveSequenceIndex sequence) {
    RankCollectives line;
    line.rank = Rank{{}, rank};
    line.predefined = PredefinedCommunicator::world;
    line.sequence = sequence;
    job_.messages.collectives.push_back(line);
    return job_.messages.collectives.back();
  }
  void know(std::int64_t first, std::int64_t last, std::vector<MessagesLeftOut> left_out = {}) {
    KnownMessages known{std::move(left_out), {}};
    known.ranks.add(RankRange{first, last, {}});
    job_.messages.known.push_back(std::move(known));
  }
  /// "id severity count: message" of each.
  std::vector<std::string> told() {
    std::vector<std::string> all;
    for (const JobFinding& one : findings_of_collectives(job_, compare_collectives(job_))) {
      all.push_back(std::string(one.kind->id) + " " + std::string(ddtscope::text_of(one.severity)) + " " +
                    std::to_string(one.count) + ": " + one.message);
    }
    return all;
  }
  using Told = std::vector<std::string>;

  /// A communicator that all of its processes told: ranks of the world in the order of their ranks in each group.
  CommunicatorIndex communicator(const std::vector<std::vector<std::int64_t>>& groups) {
    JobCommunicator made;
    made.name = Key{1000 + job_.communicators.size()};
    made.called = job_.word("MPI_Intercomm_create");
    made.binding = job_.word("c");
    std::vector<RankRange> ranks;
    for (const std::vector<std::int64_t>& group : groups) {
      GroupRuns runs;
      for (const std::int64_t rank : group) {
        runs.push_back({rank, rank, 1});
        ranks.push_back({rank, rank, {}});
      }
      made.groups.push_back(std::move(runs));
    }
    made.ranks = joined_ranks(std::move(ranks));
    job_.communicators.push_back(std::move(made));
    return {static_cast<std::uint32_t>(job_.communicators.size() - 1)};
  }

  std::optional<FrameIndex> site_;  // of the calls that are made next; else each has its own
};

}  // namespace ddtscope::reporters::test
