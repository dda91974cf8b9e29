// Whether the processes of each communicator call the same collective operations, and whether what each of them gives
// to one fits what the others take: their folded sequences side by side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/equality/match.h"
#include "reporters/model/job.h"
#include "reporters/model/message_comparison.h"

namespace ddtscope::reporters {

/// Calls that are wrong in the same way: by the same functions, at the same call sites, with the same types.
struct CollectiveMismatch {
  enum class Kind : std::uint8_t {
    call,       // another function
    root,       //
    op,         //
    ended,      // the other process made no further call
    blocks,     // what one sends is not what another one receives
    reduction,  // processes reduce other types, or other amounts
    own         // what one sends to itself is not what it receives of itself
  };
  Kind kind = Kind::call;
  bool has_amounts() const { return kind == Kind::blocks || kind == Kind::reduction || kind == Kind::own; }
  MessageVerdict verdict = MessageVerdict::wrong;  // of amounts: wrong or the same bytes
  CollectiveIndex operation;                       // of the root or of the lower rank
  std::optional<CollectiveIndex> other;            // none where it ended
  bool is_sent_by_other = false;                   // of blocks: the other one is who sends
  BlockRun sent, received;                         // of amounts, one block each; of a reduction the lower rank's first
  std::optional<Match> match;                      // the same
  std::uint64_t count = 0;                         // of calls: on each communicator, at least so many
  RankRanges ranks, other_ranks;                   // where each process has a block of its own: examples
  // The example: the first one on the first communicator.
  Rank rank, other_rank;
  std::optional<CommunicatorIndex> communicator;  // of those that the program made
  PredefinedCommunicator predefined = PredefinedCommunicator::none;
  std::uint64_t call = 0;  // on the communicator, counted from 0
};

/// A call that all processes of a communicator make is one.
struct CollectiveCount {
  std::uint64_t communicators = 0, calls = 0;
};

struct CollectiveComparison {
  CollectiveCount all;     // those that are not judged among them
  CollectiveCount agreed;  // communicators on which all is right, and calls that agree in all that was compared
  std::uint64_t mismatched_communicators = 0;  // on which processes call other operations
  std::uint64_t calls_behind = 0;              // such a call, on its communicator
  std::uint64_t differing_calls = 0;           // of which amounts differ: at least so many
  /// By why: what could not be decided. A communicator counts for each reason.
  std::map<std::string, CollectiveCount, std::less<>> undecided;
  /// By why: calls that agree, but whose amounts were not compared.
  std::map<std::string, std::uint64_t, std::less<>> amounts_not_compared;
  std::vector<CollectiveMismatch> mismatches;
};

/// Takes time that grows with the distinct sequences of each communicator and with its processes.
CollectiveComparison compare_collectives(const Job& job);

}  // namespace ddtscope::reporters
