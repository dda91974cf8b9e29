// Whether what the processes of one communicator give to each collective operation fits what the others take.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "reporters/model/chosen_operations.h"
#include "reporters/model/class_pairs.h"
#include "reporters/model/collective_amounts.h"
#include "reporters/model/collective_classes.h"
#include "reporters/model/collective_comparison.h"
#include "reporters/model/collective_rules.h"
#include "reporters/model/gathered_collective_mismatches.h"
#include "reporters/model/neighbour_edges.h"

namespace ddtscope::reporters {

/// The ranks of a class's processes in their group; where a communicator has one group those in the communicator.
std::vector<std::int64_t> ranks_in_group(const JudgedCommunicator& judged, const SequenceClass& processes);

class CommunicatorAmounts {
 public:
  /// All must outlive it. What is found is added to the last two.
  struct Parts {
    const Job& job;
    const CollectiveCalls& calls;
    BlockVerdicts& verdicts;
    ClassPairs& pairs;
    GatheredCollectiveMismatches& mismatches;
    CollectiveComparison& result;
  };
  explicit CommunicatorAmounts(const Parts& parts) : parts_(parts) {}

  /// Of the first calls, in which all processes agree but for the amounts. Whether all was compared and is equal.
  bool compare(const JudgedCommunicator& judged, std::uint64_t calls);

 private:
  using Elements = std::vector<SequenceElement>;
  /// Processes whose calls of one function are the same.
  struct FunctionClass {
    Elements calls;           // of that function alone, folded as all of them are
    SequenceClass processes;  // with all calls of one of them
    bool gives = false, takes = false;
  };
  enum class Compared : std::uint8_t { no, block_by_block, as_a_whole };
  struct WrongBlocks {
    PairedOperations pair;
    MessageVerdict verdict;
    std::int64_t sender, receiver;
    const BlockRun *sent, *received;
    RankRanges senders, receivers;  // empty: the example alone
  };
  /// Whom a process is held against in reductions.
  struct Leader {
    const SequenceClass& processes;
    bool is_first = true;  // else that of an intercommunicator's other group
  };

  const std::vector<std::uint32_t>& operations(const Elements* elements);
  const CollectiveOperation& operation(CollectiveIndex index) const {
    return parts_.job.messages.collective_operations[index.value];
  }
  const BlocksOfSide& blocks(const CollectiveSide& side, bool is_for_each);
  bool note_what_is_not_compared(const JudgedCommunicator& judged, std::uint64_t calls);
  std::string_view why_not_compared(const JudgedCommunicator& judged, CollectiveIndex index, bool has_neighbours) const;
  Compared how_to_compare(const JudgedCommunicator& judged, CollectiveIndex index, const Leader& leader,
                          const SequenceClass& other) const;
  bool compare_reductions(const JudgedCommunicator& judged, std::uint64_t calls);
  bool compare_reductions(const JudgedCommunicator& judged, const Leader& leader, const SequenceClass& other,
                          std::uint64_t calls);
  bool not_paired() {
    is_too_irregular_ = true;
    return false;
  }
  IsChosen are_of(std::uint32_t function) const {
    return [this, function](std::uint32_t call) { return parts_.calls.function({call}) == function; };
  }
  bool gives_in_place(const CollectiveOperation& one) const;
  std::vector<FunctionClass> classes_of(const JudgedCommunicator& judged, std::uint32_t function);
  bool compare_blocks(const JudgedCommunicator& judged, std::uint64_t calls);
  bool compare_blocks(const JudgedCommunicator& judged, const FunctionClass& senders, const FunctionClass& receivers,
                      std::uint64_t calls);
  template <class Visit>
  bool at_own_places(std::span<const std::int64_t> processes, const BlocksOfSide& one, const BlocksOfSide& other,
                     Visit visit);
  bool compare_own_blocks(const JudgedCommunicator& judged, std::uint64_t calls);
  bool compare_own_blocks(const JudgedCommunicator& judged, const SequenceClass& of_class,
                          const PairedOperations& call);
  PairedOperations in_all_calls(const SequenceClass& processes, PairedOperations pair) const;
  bool compare_pair(const JudgedCommunicator& judged, const SequenceClass& senders, const SequenceClass& receivers,
                    const PairedOperations& pair);
  bool compare_gathered_in_place(const JudgedCommunicator& judged, const SequenceClass& senders,
                                 const SequenceClass& receivers, const PairedOperations& pair);
  bool has_neighbourhoods(const JudgedCommunicator& judged);
  bool compare_neighbours(const JudgedCommunicator& judged, std::uint64_t calls);
  bool compare_edge(const JudgedCommunicator& judged, const NeighbourEdge& edge,
                    const std::vector<PairedOperations>& paired);
  void add_blocks(const JudgedCommunicator& judged, WrongBlocks&& wrong);

  const Parts parts_;
  std::map<const Elements*, std::vector<std::uint32_t>> operations_;
  std::map<std::pair<const CollectiveSide*, BlockIs>, BlocksOfSide> blocks_;  // of one communicator
  std::uint64_t blocks_left_ = 0;                                             // of one communicator, as the next ones
  bool is_too_irregular_ = false;
  std::set<std::uint32_t> differs_;  // operations whose blocks are not what other processes take or give
};

}  // namespace ddtscope::reporters
