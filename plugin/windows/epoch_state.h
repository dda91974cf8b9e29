// Which epochs of a window a process has open, and what these forbid (MPI-4.1 12.5): told by the process's own calls
// alone.
#pragma once

#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::plugin {

/// A call that synchronises a window.
struct Synchronisation {
  static constexpr int all_targets = INT_MIN;  // no library's MPI_PROC_NULL

  WindowEventKind kind = WindowEventKind::fence;
  WindowAsserts asserts = {};
  int target = all_targets;  // a rank of the window; of lock, unlock and flush
  bool is_exclusive = false;
  const std::vector<int>* group = nullptr;  // ranks in MPI_COMM_WORLD; null where they are not known
};

/// Not synchronised. Whatever is wrong, what the library accepts is followed.
class EpochState {
 public:
  /// The standard's parameter, and what is wrong, to stand behind the function's name.
  struct Lapse {
    std::string argument, what;
  };
  /// Whom a call reaches: a rank of the window, and one in MPI_COMM_WORLD, negative where that is not known; and
  /// whether it has a request, which only epochs of locks allow (MPI-4.1 12.3.5).
  struct Target {
    int rank = 0, process = -1;
    bool has_request = false;
  };

  /// Whether an access to any target is allowed that has no request. A fence epoch begins with the first one.
  bool is_open_to_all() const { return is_locked_all_ || (is_fenced_ && !is_started_ && locked_.empty()); }
  bool allows(const Target& target) const;
  /// Of an access that is not allowed.
  Lapse lapse_of_access(const Target& target) const;
  /// There was an access. Whether it is one of a fence's epoch, which it may have begun.
  bool accessed() {
    const bool is_of_fence = is_fenced_ && !is_started_ && !is_locked_all_ && locked_.empty();
    if (is_of_fence) ++fence_accesses_;
    return is_of_fence;
  }
  /// The library has refused one of a fence's epoch: it was none.
  void take_back_access() {
    if (fence_accesses_ != 0) --fence_accesses_;
  }

  /// What forbids a call that is about to be made.
  std::optional<Lapse> lapse_of(const Synchronisation& call) const;
  void apply(const Synchronisation& call);
  /// What forbids that the window is freed (MPI-4.1 12.2.5).
  std::optional<Lapse> lapse_of_free() const;

 private:
  bool is_locked(int target) const;
  /// The call that began an access epoch which is open; empty where there is none.
  std::string_view open_epoch() const;
  /// Where the last fence was followed by no access, it has begun none.
  void begin_beside_fence(std::string_view called);

  bool is_fenced_ = false;            // the last fence may have begun an epoch
  std::uint64_t fence_accesses_ = 0;  // in it: where there are any, it has
  bool has_nosucceed_ = false;        // the last fence has begun none, by its assertion
  std::string_view behind_fence_;     // what began an epoch before there were any; empty where nothing did
  bool is_started_ = false, is_posted_ = false, is_locked_all_ = false;
  bool is_group_known_ = false;
  std::vector<int> group_;   // of the start
  std::vector<int> locked_;  // in the order in which they were
};

}  // namespace ddtscope::plugin
