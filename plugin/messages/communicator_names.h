// One name for each communicator, the same in all its processes, without a message: it follows from what its processes
// have in common, which communicator it was made of, how many that one had made before, and who is in it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

/// The processes of a communicator by their ranks in MPI_COMM_WORLD, in the order of their ranks in it.
struct CommunicatorGroups {
  std::vector<int> own;
  std::vector<int> remote;    // of an intercommunicator
  bool are_of_world = false;  // else one of them is of another world, or nobody knows
  bool are_whole = true;      // else only the first of each group stands there: to find all out would take too long
};

/// The same on both sides of an intercommunicator: the group of the least rank first.
std::vector<std::reference_wrapper<const std::vector<int>>> in_one_order(const CommunicatorGroups& groups);

/// A name; none where the processes cannot know which one they would agree on.
struct CommunicatorName {
  std::uint64_t value = 0;
  explicit operator bool() const { return value != 0; }
  friend bool operator==(CommunicatorName, CommunicatorName) = default;
};

/// Not synchronised. A communicator takes 16 bytes, and what the table needs for them.
class CommunicatorNames {
 public:
  /// `most_made_by_members` calls that are made together by members are told apart (count_by_members).
  explicit CommunicatorNames(std::size_t most_made_by_members = std::size_t{1} << 16)
      : most_made_by_members_(most_made_by_members) {}

  /// MPI_COMM_WORLD and MPI_COMM_SELF of one process; worlds of one job are told apart by their numbers.
  struct World {
    HandleBits world = 0, self = 0;
    std::int64_t number = 1;
    int rank = 0;
  };
  void begin(const World& world);

  /// A call that all processes of a communicator make together, counted when it begins: so others that begin before it
  /// has come back are counted in the order that all of them have.
  struct Call {
    CommunicatorName parent;
    std::uint64_t number = 0;  // among those of its parent
  };
  Call begin_call(HandleBits parent);
  /// The library refused it. Nobody can say whether the others made it: what is made of the parent from now on has no
  /// name.
  void call_failed(HandleBits parent);
  /// What such a call has made. The first process of each group tells it from what else the call has made: no process
  /// is in two of these.
  static CommunicatorName name_by_parent(const Call& call, const CommunicatorGroups& groups);
  /// What a call has made that only those who are in the new communicator make together: the next one of these
  /// members, `parent` (none where there is none) and tag.
  struct MadeByMembers {
    CommunicatorName parent;
    std::int64_t tag = 0;
    std::string_view string_tag = {};
  };
  CommunicatorName count_by_members(const MadeByMembers& made, const CommunicatorGroups& groups);

  /// The handle stands for it from now on; for one that has no name where it is none.
  void learn(HandleBits communicator, CommunicatorName name);
  void forget(HandleBits communicator) { known_.erase(communicator); }
  CommunicatorName name_of(HandleBits communicator) const;
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    CommunicatorName name;
    std::uint32_t calls = 0;  // that have made communicators of it
    bool are_calls_known = true;
  };
  std::unordered_map<HandleBits, Known> known_;
  std::unordered_map<std::uint64_t, std::uint64_t> by_members_;  // calls, by a hash of what they have in common
  const std::size_t most_made_by_members_;
};

}  // namespace ddtscope::plugin
