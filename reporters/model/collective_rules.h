// What the standard wants of collective operations: what must be alike in all processes, and whose part meets whose.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Which amounts of one operation must be equal (MPI-4.1 6.4 to 6.12, 8.7).
struct CollectiveRule {
  enum class Amounts : std::uint8_t {
    none,       // nothing is moved
    reduction,  // types and counts of all processes
    blocks,     // what a process sends to another one, and what that one receives of it
    neighbours  // the same, but of neighbours
  };
  Amounts amounts = Amounts::none;
  // Whether a side has a block for each process, else one alone.
  bool sends_to_each = false, receives_of_each = false;
  bool is_scattered = false;  // a reduction with a block for each process of the own group (MPI-4.1 6.10)
};

/// A call of the processes of one group of an intercommunicator.
struct CallOfGroup {
  CollectiveIndex call;
  std::size_t group = 0;
  std::span<const std::int64_t> processes;  // ranks in the group, ascending
};

/// Of the function without what a binding adds: "bcast", "ibcast", "bcast_init".
CollectiveRule collective_rule(const std::string& function);

/// What of an operation must be alike in all processes.
class CollectiveCalls {
 public:
  explicit CollectiveCalls(const Job& job);

  /// In which respect two processes disagree at one place of their communicator's sequence.
  enum class Disagree : std::uint8_t { no, call, root, op };
  Disagree compare(CollectiveIndex one, CollectiveIndex other) const;
  /// In an intercommunicator: the root's group says MPI_ROOT and MPI_PROC_NULL, the other one its rank (MPI-4.1 6.2.3).
  Disagree compare_in_groups(const CallOfGroup& one, const CallOfGroup& other) const;
  /// The function alone, where nobody knows who is in which group.
  bool are_of_one_function(CollectiveIndex one, CollectiveIndex other) const {
    return functions_[one.value] == functions_[other.value];
  }
  /// The number of the operation's function.
  std::uint32_t function(CollectiveIndex operation) const { return functions_[operation.value]; }
  const CollectiveRule& rule(CollectiveIndex operation) const { return rules_[functions_[operation.value]]; }

 private:
  const Job& job_;
  std::vector<std::uint32_t> functions_;  // by operation
  std::vector<CollectiveRule> rules_;     // by function
};

}  // namespace ddtscope::reporters
