// A window in one epoch: which calls touch which part of each rank's memory, and where they conflict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/model/window_epochs.h"

namespace ddtscope::reporters {

/// Calls that have one letter.
struct DrawnCalls {
  char letter = 'A';
  std::string_view called;  // text of the job's
  DefinitionId type;        // the target's, as the next one
  std::uint64_t elements = 0;
  std::optional<FrameIndex> site;
  RankRanges origins;
};

/// The memory of one rank.
struct DrawnMemory {
  Rank rank;
  std::int64_t begin = 0, end = 0;  // bytes of the window
  /// For each part a letter; '.' for what nobody touches, '*' where several calls may meet, '!' where some conflict.
  std::string cells;
};

struct WindowPicture {
  static constexpr char untouched = '.', several = '*', conflict = '!';

  EpochMode mode = EpochMode::fence;
  std::uint64_t epoch = 0;  // counted from 1
  std::int64_t bytes_of_cell = 1;
  std::vector<DrawnCalls> calls;
  std::vector<DrawnMemory> memories;  // of those ranks that are touched, at most 16
  std::uint64_t left_out = 0;         // ranks
  bool is_rough = false;              // calls of too many blocks are drawn from the first to the last
  bool has_conflict = false;
};

/// Of the window that these processes have by this name. Of all epochs, each of which is looked at once where many are
/// alike, the first that has a conflict, else the first in which anything is touched, where none is asked for. Empty
/// where there is no such epoch.
std::optional<WindowPicture> picture_of_window(const Job& job, Key name, WorldNumber world,
                                               std::optional<std::uint64_t> epoch, std::size_t cells);

}  // namespace ddtscope::reporters
