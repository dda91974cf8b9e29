// Which ranks wait for what in a job that runs, hangs or was killed: what each is in the middle of, held against what
// the others have started. And those that can never go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Whether what an operation needs of others is there.
enum class Partner : std::uint8_t {
  exists,   // the other side was started, too; or a receive from any source may take it
  none,     // the other one has not started it
  unknown,  // the records do not tell
};

/// What a message, or a collective operation, waits for.
struct Need {
  trace::PendingDirection direction = trace::PendingDirection::receive;
  bool has_channel = false;         // else nothing is known but that it is there
  trace::PendingChannel channel{};  // the operation's own
  Partner partner = Partner::unknown;
  std::uint64_t started_there = 0;  // operations of the other side in the channel; 0 where several may be it
  /// Who has not started it: one, or where several may be it all of these. Needs of one collective operation share it,
  /// and so do receives from any source of one communicator: of these each rank finds itself among them, too.
  std::shared_ptr<const std::vector<Rank>> missing;
  const std::vector<Rank>& of() const {
    static const std::vector<Rank> nobody;
    return missing ? *missing : nobody;
  }
  enum class Takes : std::uint8_t { all, one } takes = Takes::all;  // of these
  bool is_soft = false;  // a send that may be complete without its receive (MPI-4.1 3.4)
};

struct StartedOperation {
  const MessageOperation* operation = nullptr;  // of the job's; never null
  Need need;
};

/// A call that a thread of a rank is in.
struct WaitingCall {
  trace::PendingCall call = trace::PendingCall::none;
  const MessageOperation* operation = nullptr;  // null where there was no room to say
  std::vector<Need> needs;                      // of a message or a collective operation
  std::vector<StartedOperation> requests;       // those of a wait that are known
  bool are_requests_whole = true;               // else there are more
  bool is_stuck = false;
};

enum class RankState : std::uint8_t {
  runs,          // in no call that waits
  waits,         // all of its threads that have called MPI
  finalizes,     // in MPI_Finalize
  ended,         // no message of it follows
  aborted,       // by MPI_Abort, so that nobody knows what would have followed
  switched_off,  // the program has stopped the recording
  not_recorded,  // nothing is known of it
};

struct RankWaiting {
  Rank rank;
  RankState state = RankState::not_recorded;
  const RankPending* records = nullptr;
  bool may_call_elsewhere = false;  // another thread than those that have called MPI may call it
  std::vector<WaitingCall> calls = {};
  std::vector<StartedOperation> started = {};
  bool is_stuck = false;  // it can never go on, if no other thread than those that are known calls MPI
};

struct WaitingRanks {
  std::vector<RankWaiting> ranks;         // ascending
  std::vector<std::vector<Rank>> cycles;  // of those that are stuck, each waits for the next, the last for the first
  bool has_stuck() const;
  /// Those that seemed to be stuck were on their way.
  void forget_stuck();
  /// Whether something is known of a rank.
  bool is_anything_known() const;
};

/// What was recorded of pending operations. `job` must outlive what is returned.
WaitingRanks waiting_ranks(const Job& job);

/// Whether none of those that are stuck has left its call since the job was read: their files are read again.
bool are_still_stuck(const Job& job, const WaitingRanks& waiting);

}  // namespace ddtscope::reporters
