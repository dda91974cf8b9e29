// The memory that a process attaches to a dynamic window (MPI-4.1 12.2.4), whether it is detached again or not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::plugin {

/// Not synchronised.
class AttachedMemory {
 public:
  void add(const AttachedRange& range);
  /// There may be too much that lies apart: then nothing is known of it any more.
  bool is_known() const { return !is_lost_; }
  /// Ascending and apart.
  std::span<const AttachedRange> ranges();

 private:
  void join();

  static constexpr std::size_t most = 1024;  // ranges, once they are joined
  std::vector<AttachedRange> ranges_;
  bool is_lost_ = false;
};

}  // namespace ddtscope::plugin
