// Which one-sided calls conflict in their target's memory (MPI-4.1 12.7): those that touch a byte in common, unless
// none of them writes it or all are accumulates that are atomic for each other. Exact, or "undecided".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "decoder/base/intervals.h"
#include "decoder/coverage/overlap.h"
#include "decoder/coverage/overlap_between.h"
#include "decoder/layout/layout.h"
#include "reporters/trace/format/records.h"

namespace ddtscope::reporters {

/// What a call does to the target's memory. `accumulate` stands for all functions that have an op, those that fetch,
/// too (MPI-4.1 12.3.4).
enum class AccessKind : std::uint8_t { put, get, accumulate, compare_and_swap };

/// What calls have in common that differ in their places at most.
struct AccessShape {
  AccessKind kind = AccessKind::put;
  DefinitionId type;  // the target's, as the next one
  std::uint64_t elements = 0;
  std::string_view op = {};  // of accumulates, "MPI_SUM"; must outlive what it is given to
  AccumulateOrdering ordering = {};
  bool fetches = false;  // an accumulate that reads, too
  friend bool operator==(const AccessShape&, const AccessShape&) = default;
};

/// One call, at one place.
struct PlacedAccess {
  std::uint32_t party = 0;   // its shape, by the number that it was given
  std::int64_t at = 0;       // target displacement, in bytes
  bool is_repeated = false;  // there is another call like it
  /// Of one process's calls: two meet where each is pending since before the other one is over. Those that write are
  /// never over; `until` is for those that only read.
  std::uint32_t since = 0, until = never_over;
  static constexpr std::uint32_t never_over = UINT32_MAX;
  /// Of several processes' calls: whose it is, and whether others did the very same, each of them.
  std::uint32_t origin = 0;
  bool are_several = false;
};

/// Two parties of two processes or of one that conflict, and where they do first.
struct AccessConflict {
  std::size_t first = 0,
              second = 0;         // two accesses of these parties, by their places in what was given; may be the same
  std::optional<Interval> bytes;  // that both touch, the lowest ones; where these are known
};
struct AccessConflicts {
  std::vector<AccessConflict> conflicts;  // each two parties of each two origins once
  std::uint64_t undecided = 0;            // pairs of accesses of which it could not be decided
};

/// How far it goes before accesses are held against each other by their hulls, and pair by pair.
struct ConflictLimits {
  std::size_t blocks_of_one = 4096, blocks = std::size_t{1} << 20;
  /// Pairs of which one is larger than that: looked at, and decided exactly.
  std::size_t pairs = std::size_t{1} << 22, exact_pairs = 4096;
};

/// Layouts must outlive it, and keep what they have meanwhile.
class ConflictSearch {
 public:
  explicit ConflictSearch(const Layouts& layouts, const ConflictLimits& limits = {})
      : layouts_(layouts), limits_(limits) {}

  /// Its number: one for calls whose conflicts are to be told together. Equal shapes may have several.
  std::uint32_t add_party(const AccessShape& shape);
  const AccessShape& shape(std::uint32_t party) const { return parties_[party].shape; }

  /// Among the calls of one process. Its accumulates at one place have an order, whatever their ops are, where elements
  /// of one predefined type lie at the same places (MPI-4.1 12.7.2, the default of the info key accumulate_ordering).
  /// Where that key leaves them without one, they are concurrent, as those of different processes: with the same op, or
  /// MPI_NO_OP, each is still atomic, and which comes first is not told; with different ops they conflict.
  /// O(n log n) in their blocks, where no single one is large.
  AccessConflicts within(std::span<const PlacedAccess> accesses) { return search(accesses, Between::calls_of_one); }
  /// Between those of different processes, by their `origin`; all are pending all the time.
  AccessConflicts among(std::span<const PlacedAccess> accesses) { return search(accesses, Between::origins); }

  /// Bytes from the first that it touches to the last, from the displacement on; empty where it touches none, or where
  /// they do not fit 64 bits.
  std::optional<Interval> hull(std::uint32_t party) const { return parties_[party].hull; }
  /// Bytes, from the displacement on, and where in a step of the leaf their first element begins.
  struct TouchedBlock {
    Interval bytes;
    std::int64_t phase = 0;
  };
  /// All that a call of it touches; empty where that are too many blocks, or none.
  std::span<const TouchedBlock> touched(std::uint32_t party) { return blocks_of(parties_[party]).blocks; }
  /// How many blocks it is looked at by; at least 1.
  std::size_t weight(std::uint32_t party) {
    if (!parties_[party].hull) return 1;
    return std::max<std::size_t>(blocks_of(parties_[party]).blocks.size(), 1);
  }

  enum class Between : std::uint8_t { calls_of_one, origins };
  /// Whether two blocks of calls conflict that have some bytes in common; both at their places.
  bool conflict(std::uint32_t a, const TouchedBlock& of_a, std::uint32_t b, const TouchedBlock& of_b,
                Between which) const;

  bool writes(std::uint32_t party) const { return parties_[party].writes; }
  /// Whether calls of the two conflict where they touch a byte in common: never, only where elements lie partly over
  /// each other, or always.
  enum class Meeting : std::uint8_t { allowed, allowed_in_step, conflict };
  Meeting meeting(std::uint32_t a, std::uint32_t b, Between which) const;

 private:
  struct Party {
    AccessShape shape;
    bool writes = false, is_atomic = false;
    DefinitionId leaf;      // of one that is atomic: the only predefined type that it is made of; else invalid
    std::int64_t step = 1;  // from one element of that to the next one, where they adjoin
    std::optional<Interval> hull;
    bool is_beyond = false;    // what it touches does not fit 64 bits
    std::uint32_t blocks = 0;  // in blocks_
  };
  struct Blocks {
    bool is_known = false;  // else there are too many
    std::vector<TouchedBlock> blocks;
  };
  struct Piece {
    std::int64_t begin, end;
    std::uint32_t access, group;
  };
  class Found;
  class WrittenBytes;

  AccessConflicts search(std::span<const PlacedAccess> accesses, Between which);
  void sweep(std::span<const PlacedAccess> accesses, Between which, Found& found);
  void meet_those_over(std::span<const PlacedAccess> accesses, std::span<const std::size_t> pending,
                       std::vector<std::size_t>& over, Found& found);
  void pair_large(std::span<const PlacedAccess> accesses, Between which, std::span<const std::size_t> large,
                  Found& found);
  const Blocks& blocks_of(Party& party);
  Blocks make_blocks(const Party& party) const;
  std::optional<std::int64_t> phase_of(const Party& party) const;
  DefinitionId leaf_of(DefinitionId type) const;
  SharedByte shared(const PlacedAccess& a, const PlacedAccess& b);

  const Layouts& layouts_;
  const ConflictLimits limits_;
  std::vector<Party> parties_;
  std::vector<Blocks> blocks_;  // 0: not asked for yet
  using BlocksKey = std::tuple<std::uint32_t, std::uint64_t, bool>;
  std::map<BlocksKey, std::uint32_t> blocks_index_;  // by type, elements, whether phases are told
  using SharedKey = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t, std::int64_t>;
  std::map<SharedKey, SharedByte> shared_;
  std::size_t exact_pairs_left_ = 0;
  std::vector<Piece> pieces_;  // of the search that goes on
};

}  // namespace ddtscope::reporters
