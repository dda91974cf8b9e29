// What is said of two one-sided calls of one epoch that touch the same bytes of a window (MPI-4.1 12.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "reporters/model/epoch_parties.h"
#include "reporters/model/job.h"
#include "reporters/model/window_epochs.h"
#include "reporters/model/window_uses.h"

namespace ddtscope::reporters {

/// A target's part of a window, and where its epochs are.
struct EpochTarget {
  const JobWindow* window = nullptr;
  Rank rank;
  std::int64_t unit = 1;  // bytes
  EpochMode mode = EpochMode::fence;
  std::uint64_t number = 0;  // of it among all targets
};

/// Two calls, which are one process's or those of two.
struct EpochConflict {
  std::uint32_t first = 0, second = 0;  // shapes
  EpochAccess first_access, second_access;
  std::optional<Interval> bytes;
  std::size_t first_part = 0, second_part = 0;
};

/// All must outlive it.
class ConflictWords {
 public:
  ConflictWords(const Job& job, const EpochContents& contents, EpochParties& parties)
      : job_(job), contents_(contents), parties_(parties), names_(job) {}

  /// `ranks` are those that made the calls; `place` is the fence that begins the epoch, else the epochs before it.
  std::string message(const EpochTarget& target, std::pair<Rank, Rank> ranks, const EpochConflict& conflict,
                      std::uint64_t place, bool is_of_one);
  std::string advice(const EpochTarget& target, const EpochConflict& conflict, bool is_of_one);

 private:
  std::string deed(std::uint32_t shape, const EpochAccess& access);

  const Job& job_;
  const EpochContents& contents_;
  EpochParties& parties_;
  const WindowNames names_;
};

}  // namespace ddtscope::reporters
