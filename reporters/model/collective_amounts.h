// Whether amounts that processes give to one collective operation, and take of it, are equal.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "reporters/model/collective_rules.h"
#include "reporters/model/message_comparison.h"

namespace ddtscope::reporters {

/// Blocks that must be equal, one each, looked up once for each two.
class BlockVerdicts {
 public:
  explicit BlockVerdicts(const Job& job);

  MessageVerdict of(const BlockRun& sent, const BlockRun& received);
  Match match(const BlockRun& sent, const BlockRun& received);

 private:
  MessageSide side_of(const BlockRun& block) {
    return {fingerprints_, layouts_, block.type.value_or(DefinitionId{0}), Exact(static_cast<Int128>(block.elements))};
  }

  Layouts layouts_;
  Fingerprints fingerprints_;
  using Block = std::pair<std::uint32_t, std::uint64_t>;
  std::map<std::pair<Block, Block>, MessageVerdict> known_;
};

/// Whether a side has a block for each process, or one alone.
enum class BlockIs : std::uint8_t { alone, for_each };

/// The blocks of one side, which must outlive it, by the processes that they are for.
class BlocksOfSide {
 public:
  BlocksOfSide(const CollectiveSide& side, BlockIs is);
  struct Place {
    const BlockRun* run = nullptr;  // null where there are fewer
    std::uint64_t end = 0;          // behind the last process that it is for
  };
  /// Of the process with this rank, or the neighbour at this place.
  Place at(std::uint64_t process) const;

 private:
  const std::vector<BlockRun>& runs_;
  std::vector<std::uint64_t> ends_;  // of the runs, in blocks
};

/// A block of one side, and processes of the other class for which it is, two at most.
struct BlockFor {
  const BlockRun* run = nullptr;
  std::int64_t process = -1, another = -1;  // ranks of the communicator
};

/// Each block of a side that some of the `processes` (ascending ranks of the communicator) meet, once for each run.
std::vector<BlockFor> blocks_for(const BlocksOfSide& side, std::span<const std::int64_t> processes);

/// Two blocks of one reduction that are not equal; empty runs where all are.
struct DifferingBlocks {
  BlockRun one, other;
  MessageVerdict verdict = MessageVerdict::fine;
};
DifferingBlocks compare_reduction(const CollectiveSide& one, const CollectiveSide& other, BlockVerdicts& verdicts);

}  // namespace ddtscope::reporters
