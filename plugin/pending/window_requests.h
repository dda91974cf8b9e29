// One-sided operations that have a request: it completes them, and so does the synchronisation of their window
// (MPI-4.1 12.3.5, 12.5.4).
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "plugin/pending/pending_buffers.h"

namespace ddtscope::plugin {

/// Beside PendingBuffers, where their requests hold them. Not synchronised.
class WindowRequests {
 public:
  explicit WindowRequests(PendingBuffers& pending) : pending_(pending) {}

  /// `target` is a window, and a rank of it.
  void add(const Holder& target, const PendingOperation& operation);
  /// A window was synchronised, or is no more: their buffers are the program's.
  void release(HandleBits window);
  /// A window was synchronised at one target.
  void release_at(const Holder& target);

 private:
  using Key = std::pair<HandleBits, std::uint64_t>;
  /// Those of one target; some of them were completed by their requests.
  struct Operations {
    std::vector<PendingOperation> all;
    std::size_t most = 64;  // before those that are complete are taken out
  };
  using OfTargets = std::map<Key, Operations>;

  Operations& operations_of(const Key& target);
  void take_out_complete(Operations& operations) const;
  OfTargets::iterator release(OfTargets::iterator target);

  PendingBuffers& pending_;
  OfTargets of_targets_;
  std::size_t most_targets_ = 64;  // before those where nothing is pending are taken out
};

}  // namespace ddtscope::plugin
