// Mismatches of collective operations, those that agree in all but the place as one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reporters/model/collective_comparison.h"
#include "reporters/model/gathered_ranks.h"

namespace ddtscope::reporters {

class GatheredCollectiveMismatches {
 public:
  explicit GatheredCollectiveMismatches(const Job& job) : job_(job) {}

  /// Of one place of two sequences, and all that are alike: `count` is of these calls.
  void add(CollectiveMismatch&& one);
  /// Blocks of the same calls are not counted again.
  void next_calls();
  /// Counts of pairs of sequences are not added up: they are of the same calls.
  void next_pair();
  /// What of all communicators so far is of the last one. How many calls.
  std::uint64_t next_communicator();
  /// Most calls first.
  std::vector<CollectiveMismatch> take();

 private:
  /// Which function, called where.
  using Place = std::pair<std::string_view, std::optional<FrameIndex>>;
  using Key = std::tuple<CollectiveMismatch::Kind, Place, Place, std::uint32_t, std::uint32_t, bool>;
  Key key_of(const CollectiveMismatch& one) const;

  const Job& job_;
  struct Gathered {
    CollectiveMismatch mismatch;
    GatheredRanks ranks, others;
  };
  std::map<Key, Gathered> all_;
  std::map<Key, std::uint64_t> of_calls_, of_pair_, of_communicator_;
};

}  // namespace ddtscope::reporters
