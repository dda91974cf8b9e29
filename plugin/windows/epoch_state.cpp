#include "plugin/windows/epoch_state.h"

#include <algorithm>

namespace ddtscope::plugin {
namespace {

std::string rank_in_words(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

bool EpochState::is_locked(int target) const {
  return std::find(locked_.begin(), locked_.end(), target) != locked_.end();
}

bool EpochState::allows(const Target& target) const {
  if (is_locked_all_ || is_locked(target.rank)) return true;
  if (target.has_request) return false;
  if (is_open_to_all()) return true;
  if (!is_started_) return false;
  return !is_group_known_ || target.process < 0 ||
         std::find(group_.begin(), group_.end(), target.process) != group_.end();
}

EpochState::Lapse EpochState::lapse_of_access(const Target& target) const {
  const std::string accesses = "accesses " + rank_in_words(target.rank) + " of the window";
  if (target.has_request && allows({target.rank, target.process})) {
    return {"win", accesses + " within the epoch of " + (is_started_ ? "MPI_Win_start" : "MPI_Win_fence") +
                       ": calls that have requests are for those of MPI_Win_lock and MPI_Win_lock_all."};
  }
  if (is_started_) return {"target_rank", accesses + ", which is not in the group that MPI_Win_start was given."};
  if (!locked_.empty()) {
    return {"target_rank", accesses + ", which is not locked: " +
                               (locked_.size() == 1 ? rank_in_words(locked_.front()) + " is."
                                                    : std::to_string(locked_.size()) + " others are.")};
  }
  if (has_nosucceed_) {
    return {"win", accesses + " outside of any epoch: the last MPI_Win_fence has MPI_MODE_NOSUCCEED and begins none."};
  }
  if (!behind_fence_.empty()) {
    return {"win", accesses + " outside of any epoch: the last MPI_Win_fence begins none, because one of " +
                       std::string(behind_fence_) + " came behind it before any access."};
  }
  return {"win", accesses +
                     " outside of any epoch: no MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all has "
                     "begun one."};
}

std::string_view EpochState::open_epoch() const {
  if (is_started_) return "MPI_Win_start";
  if (is_locked_all_) return "MPI_Win_lock_all";
  if (!locked_.empty()) return "MPI_Win_lock";
  return fence_accesses_ != 0 ? "MPI_Win_fence" : "";
}

void EpochState::begin_beside_fence(std::string_view called) {
  if (!is_fenced_ || fence_accesses_ != 0) return;
  is_fenced_ = false;
  behind_fence_ = called;
}

std::optional<EpochState::Lapse> EpochState::lapse_of(const Synchronisation& call) const {
  using enum WindowEventKind;
  const auto rank = [&] { return rank_in_words(call.target); };
  const auto within = [&](std::string_view open) -> std::optional<Lapse> {
    if (open.empty()) return std::nullopt;
    return Lapse{
        "win", "begins an epoch within that of " + std::string(open) + ": access epochs of a window must not overlap."};
  };
  switch (call.kind) {
    case start:
    case lock_all:
      return within(open_epoch());
    case lock:
      if (is_locked(call.target)) return Lapse{"rank", "locks " + rank() + ", which this process has locked already."};
      return within(locked_.empty() || is_started_ || is_locked_all_ ? open_epoch() : std::string_view());
    case complete:
      if (is_started_) return std::nullopt;
      return Lapse{"win", "ends an epoch that no MPI_Win_start has begun."};
    case post:
      if (!is_posted_) return std::nullopt;
      return Lapse{"win",
                   "begins an exposure within that of the MPI_Win_post before, which no MPI_Win_wait has ended."};
    case wait:
      if (is_posted_) return std::nullopt;
      return Lapse{"win", "ends an exposure that no MPI_Win_post has begun."};
    case unlock:
      if (is_locked(call.target)) return std::nullopt;
      return Lapse{"rank", "unlocks " + rank() + ", which no MPI_Win_lock has locked."};
    case unlock_all:
      if (is_locked_all_) return std::nullopt;
      return Lapse{"win", "ends an epoch that no MPI_Win_lock_all has begun."};
    case flush:
    case flush_local:
      if (is_locked_all_ || (call.target == Synchronisation::all_targets ? !locked_.empty() : is_locked(call.target))) {
        return std::nullopt;
      }
      if (call.target == Synchronisation::all_targets) {
        return Lapse{"win", "is called outside of the epochs of MPI_Win_lock and MPI_Win_lock_all, which it is for."};
      }
      return Lapse{"rank", "flushes " + rank() +
                               ", which is not locked: it is for epochs of MPI_Win_lock and MPI_Win_lock_all."};
    case fence:
      if (!is_started_ && !is_locked_all_ && locked_.empty()) return std::nullopt;
      // One that neither ends nor begins an epoch, by its assertions, is in nobody's way.
      if (call.asserts.has(WindowAsserts::noprecede) && call.asserts.has(WindowAsserts::nosucceed)) return std::nullopt;
      return Lapse{"win", "is called within the epoch of " + std::string(open_epoch()) +
                              ": access epochs of a window must not overlap, and it ends and begins such."};
    case ordering:
    case access:
    case completed:
      break;
  }
  return std::nullopt;
}

void EpochState::apply(const Synchronisation& call) {
  using enum WindowEventKind;
  switch (call.kind) {
    case fence:
      has_nosucceed_ = call.asserts.has(WindowAsserts::nosucceed);
      is_fenced_ = !has_nosucceed_;
      fence_accesses_ = 0;
      behind_fence_ = {};
      break;
    case start:
      begin_beside_fence("MPI_Win_start");
      is_started_ = true;
      is_group_known_ = call.group != nullptr;
      if (is_group_known_) group_.assign(call.group->begin(), call.group->end());
      break;
    case complete:
      is_started_ = false;
      break;
    case post:
      is_posted_ = true;
      break;
    case wait:
      is_posted_ = false;
      break;
    case lock:
      begin_beside_fence("MPI_Win_lock");
      locked_.push_back(call.target);
      break;
    case unlock:
      if (const auto found = std::find(locked_.rbegin(), locked_.rend(), call.target); found != locked_.rend()) {
        locked_.erase(std::next(found).base());
      }
      break;
    case lock_all:
      begin_beside_fence("MPI_Win_lock_all");
      is_locked_all_ = true;
      break;
    case unlock_all:
      is_locked_all_ = false;
      break;
    case flush:
    case flush_local:
    case ordering:
    case access:
    case completed:
      break;
  }
}

std::optional<EpochState::Lapse> EpochState::lapse_of_free() const {
  const std::string_view open = open_epoch();
  if (!open.empty()) return Lapse{"win", "frees a window within the epoch that " + std::string(open) + " has begun."};
  if (is_posted_) return Lapse{"win", "frees a window within the exposure that MPI_Win_post has begun."};
  return std::nullopt;
}

}  // namespace ddtscope::plugin
