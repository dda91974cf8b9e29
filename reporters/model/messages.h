// What went from process to process, as the ranks wrote it down: each side by itself.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decoder/definition/definition.h"
#include "reporters/model/ids.h"
#include "reporters/trace/format/rank_ranges.h"
#include "reporters/trace/format/records.h"
#include "reporters/trace/format/use_parameter.h"
#include "reporters/trace/read/pending_records.h"

namespace ddtscope::reporters {

/// The number of a record among those of its kind in the job.
struct OperationIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(OperationIndex, OperationIndex) = default;
};
struct SequenceIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(SequenceIndex, SequenceIndex) = default;
};
struct CollectiveIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(CollectiveIndex, CollectiveIndex) = default;
};
/// Of sequences of collectives.
struct CollectiveSequenceIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(CollectiveSequenceIndex, CollectiveSequenceIndex) = default;
};
struct CommunicatorIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(CommunicatorIndex, CommunicatorIndex) = default;
};

/// One side of a message: what was sent or received at one place.
struct MessageOperation {
  std::optional<DefinitionId> type;  // a predefined one, too; without elements there may be none
  std::uint64_t elements = 0;
  std::string_view called, binding;  // text of the job's
  trace::UseParameter parameter = trace::UseParameter::none;
  std::optional<FrameIndex> site;
};

/// Channels of one process that had the same sequence.
struct RankChannels {
  Rank rank;
  std::optional<CommunicatorIndex> communicator;                     // of those that the program made
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // else
  ChannelDirection direction = ChannelDirection::send;
  bool is_partitioned = false, is_unordered = false;
  SequenceIndex sequence;
  std::optional<UndecidedFrom> undecided;  // its words are text of the job's
  std::vector<ChannelEnd> ends;
};

/// Blocks of one side of a collective operation, one behind the other, that are alike.
struct BlockRun {
  std::uint64_t times = 1;
  std::optional<DefinitionId> type;  // a predefined one, too; without elements there may be none
  std::uint64_t elements = 0;        // of each block
  friend auto operator<=>(const BlockRun&, const BlockRun&) = default;
};

struct CollectiveSide {
  CollectiveSideIs is = CollectiveSideIs::none;
  std::vector<BlockRun> runs;
  friend auto operator<=>(const CollectiveSide&, const CollectiveSide&) = default;
};

/// A call of a collective operation, as a process made it.
struct CollectiveOperation {
  std::string_view called, binding;  // text of the job's
  std::optional<FrameIndex> site;
  CollectiveRoot root;
  std::string_view op;  // text of the job's; empty where there is none
  CollectiveSide send, receive;
  friend auto operator<=>(const CollectiveOperation&, const CollectiveOperation&) = default;
};

/// The collective operations of one communicator, of one process.
struct RankCollectives {
  Rank rank;
  std::optional<CommunicatorIndex> communicator;                     // of those that the program made
  PredefinedCommunicator predefined = PredefinedCommunicator::none;  // else
  CollectiveSequenceIndex sequence;
  std::optional<UndecidedFrom> undecided;  // its words are text of the job's
  std::optional<Neighbours> neighbours;    // none where they are not told
};

/// Processes whose messages are known, but for these.
struct KnownMessages {
  std::vector<MessagesLeftOut> left_out;  // words are text of the job's
  RankRanges ranks;
};

/// What one process is in the middle of.
struct RankPending {
  Rank rank;
  std::string problem;                       // why nothing is known, as a sentence; else empty
  std::vector<MessageOperation> operations;  // by their numbers in the file
  PendingFile file;
};

struct JobMessages {
  std::vector<MessageOperation> operations;
  std::vector<std::vector<SequenceElement>> sequences;  // elements' numbers are those of the job's operations
  std::vector<RankChannels> channels;
  std::vector<CollectiveOperation> collective_operations;
  std::vector<std::vector<SequenceElement>> collective_sequences;  // numbers are those of the collective operations
  std::vector<RankCollectives> collectives;
  std::vector<KnownMessages> known;
};

/// Sequences of one kind, each once.
class SequenceTable {
 public:
  explicit SequenceTable(std::vector<std::vector<SequenceElement>>& known) : known_(known) {}
  /// Its number; `elements` have numbers of the job's.
  std::uint32_t add(std::vector<SequenceElement>&& elements);

 private:
  std::vector<std::vector<SequenceElement>>& known_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;  // by hash
};

}  // namespace ddtscope::reporters
