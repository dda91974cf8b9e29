// The communicators that are alive, with what decides how much a collective moves: asked of the library once, and kept
// until they are freed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

struct Communicator {
  int rank = 0;
  int size = 0;         // of the local group
  int remote_size = 0;  // of an intercommunicator; else the local group's
  bool is_inter = false;
  // Ranks, as the topology has them, with the library's MPI_PROC_NULL among them; empty where there is no topology.
  std::vector<int> sources, destinations;
  bool is_cartesian = false;
};

/// How the library is asked about a communicator that it knows to be valid.
class CommunicatorQueries {
 public:
  virtual ~CommunicatorQueries() = default;
  virtual Communicator describe(HandleBits communicator) = 0;
};

/// Not synchronised: used under the registry's lock.
class Communicators {
 public:
  const Communicator* find(HandleBits handle) const {
    const auto found = known_.find(handle);
    return found != known_.end() ? &found->second : nullptr;
  }
  /// A call of the library's took the handle and succeeded; what it says of it.
  void learn(HandleBits handle, const Communicator& communicator) { known_.emplace(handle, communicator); }
  /// It is being freed; the handle may be given again.
  void forget(HandleBits handle) { known_.erase(handle); }
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<HandleBits, Communicator> known_;
};

}  // namespace ddtscope::plugin
