// What a process did about a window, told apart by epochs and by targets (MPI-4.1 12.5): folded as it was, so that a
// loop of epochs takes as long as a few of them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// One-sided calls that differ in their displacements at most.
struct EpochShape {
  std::string_view called, binding;  // text of the job's
  std::optional<FrameIndex> site;
  DefinitionId type;  // the target's, as all below
  std::uint64_t elements = 0;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::string_view op;
  AccumulateOrdering ordering;  // that held for the window when they were made
  friend auto operator<=>(const EpochShape&, const EpochShape&) = default;
};

/// Calls of one shape at one target, one after the other.
struct EpochAccess {
  std::uint32_t shape = 0;
  std::int64_t displacement = 0, step = 0;  // of the first one, and from one to the next; in the target's units
  std::uint64_t times = 1;
  bool is_repeated = false;  // all of them were made again
  /// Of calls under locks, in the order of those that write, which end all together with the period: these are pending
  /// since their place in it. Those that only read may be back before: then they meet the ones that are before `until`.
  std::uint32_t since = 0, until = never_back;
  static constexpr std::uint32_t never_back = UINT32_MAX;
  friend auto operator<=>(const EpochAccess&, const EpochAccess&) = default;
};
using EpochContent = std::vector<EpochAccess>;  // ascending; equal ones once

/// Shapes, contents and groups of a job, each once.
class EpochContents {
 public:
  static constexpr std::uint32_t nothing = 0;  // an empty content

  EpochContents() { number_of(EpochContent{}); }
  std::uint32_t number_of(EpochContent content);
  const EpochContent& content(std::uint32_t number) const { return *contents_[number]; }
  std::uint32_t number_of(const EpochShape& shape);
  const EpochShape& shape(std::uint32_t number) const { return *shapes_[number]; }
  std::uint32_t number_of(const GroupRuns& group);
  const GroupRuns& group(std::uint32_t number) const { return *groups_[number]; }
  std::size_t shapes() const { return shapes_.size(); }

 private:
  std::map<EpochContent, std::uint32_t> content_numbers_;
  std::vector<const EpochContent*> contents_;
  std::map<EpochShape, std::uint32_t> shape_numbers_;
  std::vector<const EpochShape*> shapes_;
  std::map<GroupRuns, std::uint32_t> group_numbers_;
  std::vector<const GroupRuns*> groups_;
};

bool has_rank(const GroupRuns& group, std::int64_t rank);

/// Between which calls accesses stand.
enum class EpochMode : std::uint8_t {
  fence,    // an element for each period between two fences, and one for what was before the first, which is nothing
  start,    // for each MPI_Win_start with the target in its group
  passive,  // for each period between a lock, flushes and an unlock in which there were any
  post      // for each MPI_Win_post of the process itself: its group
};

struct EpochStream {
  EpochMode mode = EpochMode::fence;
  std::int64_t target = 0;                // a rank in MPI_COMM_WORLD; of `post` 0
  std::vector<SequenceElement> elements;  // numbers of contents, of `post` of groups
  bool is_shared = false;                 // passive: by a lock that others may have, too
};

struct WindowEpochs {
  std::vector<EpochStream> streams;  // by mode and target
  bool is_cut = false;               // there is more, which takes too long
  std::uint64_t outside = 0;         // accesses of no epoch: at least so many
};

/// `most_steps` is lowered by one for each event that is looked at, and for each call that is told by itself. Of what
/// is undecided from some event on only what is before it is told.
WindowEpochs epochs_of(const Job& job, const JobEpochs& epochs, EpochContents& contents, std::uint64_t& most_steps);

}  // namespace ddtscope::reporters
