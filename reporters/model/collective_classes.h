// The processes of a communicator, those that called the same as one class.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "reporters/model/collective_comparison.h"
#include "reporters/model/job.h"
#include "reporters/model/rank_set.h"

namespace ddtscope::reporters {

/// Processes of one communicator that have the same sequence.
struct SequenceClass {
  const std::vector<SequenceElement>* sequence = nullptr;
  std::vector<std::int64_t> processes;  // ascending: ranks of the communicator
  std::size_t group = 0;                // of an intercommunicator: in which they all are
};

/// A communicator, and what is known of its processes' calls.
struct JudgedCommunicator {
  const RankCollectives* any = nullptr;  // a line of it
  WorldNumber world;
  std::vector<std::int64_t> members;          // by rank of the communicator: ranks of the world
  bool is_inter = false;                      // then `members` are of both groups, one behind the other
  std::int64_t first_group = 0;               // so many are in the first one
  bool has_group = true;                      // whether `members` are all, in their order
  std::vector<SequenceClass> classes;         // that of the lowest rank first
  std::uint64_t known = 0;                    // so many calls are known of all these processes
  std::uint64_t longest = 0;                  // so many one of them made, as far as is known
  std::string_view undecided;                 // why no more are known; empty where the process made no more
  std::vector<const RankCollectives*> lines;  // by rank of the communicator; null where it has none

  std::size_t group_of(std::int64_t process) const { return is_inter && process >= first_group ? 1 : 0; }
  /// What to take off a process's number for its rank in its group.
  std::int64_t begin_of(std::size_t group) const { return group == 0 ? 0 : first_group; }
  /// That of the lowest rank, and in an intercommunicator whose groups are known that of the other group.
  std::vector<std::size_t> leading_classes() const;
};

/// Between two processes, nothing else said of it.
CollectiveMismatch mismatch_between(const JudgedCommunicator& judged, std::int64_t process, std::int64_t other);

class CollectiveClasses {
 public:
  explicit CollectiveClasses(const Job& job);

  /// How many calls a sequence has.
  std::uint64_t length_of(CollectiveSequenceIndex index);
  /// Who is in the communicator, and the classes; its lines are in order of ranks. Why nothing is known of the calls of
  /// some of its processes, which are in no class.
  std::set<std::string_view> add(JudgedCommunicator& judged, const std::vector<const RankCollectives*>& lines);

 private:
  const std::vector<SequenceElement>& sequence(CollectiveSequenceIndex index) const {
    return job_.messages.collective_sequences[index.value];
  }
  void find_members(JudgedCommunicator& judged);
  bool says_that_there_are_groups(const RankCollectives& line) const;
  std::string_view why_no_line(Rank rank);

  const Job& job_;
  RankSet known_;
  std::map<std::string_view, RankSet> silent_;  // by why: of their communicators without a line nothing is known
  std::map<WorldNumber, std::vector<std::int64_t>> worlds_;
  std::map<CollectiveSequenceIndex, std::uint64_t> lengths_;
};

}  // namespace ddtscope::reporters
