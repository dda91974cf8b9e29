// Whether what was sent is what was received: the channels of all processes joined, and the two sides of each compared
// as they are folded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/equality/match_grade.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// What is to be said of a message that a receive took.
enum class MessageVerdict : std::uint8_t {
  fine,
  undecided,   // a length does not fit 128 bits
  same_bytes,  // erroneous by MPI-4.1 3.3.1, but the same bytes arrive here
  truncated,   // right as far as the receive goes, but the message is longer
  wrong,
};

/// Whether messages were recorded at all: older traces have none.
bool messages_are_recorded(const Job& job);

/// Which channel a message was on.
struct MessagePlace {
  Rank source, destination;
  std::optional<CommunicatorIndex> communicator;  // of those that the program made
  PredefinedCommunicator predefined = PredefinedCommunicator::none;
  std::int32_t tag = 0;
  bool is_partitioned = false;
};

/// Messages that are wrong in the same way: of the same types, sent and received at the same call sites.
struct MessageMismatch {
  /// Against what: the other side's operation, or nothing.
  enum class Kind : std::uint8_t { differs, unmatched_send, unmatched_receive };
  Kind kind = Kind::differs;
  MessageVerdict verdict = MessageVerdict::wrong;  // the worst of them
  std::optional<OperationIndex> sent, received;    // of the example
  std::optional<Match> match;                      // the same
  std::uint64_t count = 0;                         // of messages
  RankRanges senders, receivers;
  // The example: the first one by ranks of those that are worst.
  MessagePlace place;
  std::uint64_t message = 0;     // on its channel, counted from 0
  std::uint64_t on_channel = 0;  // so many of the channel's are wrong in this way
  bool is_unordered = false;     // then `message` says nothing
};

/// Messages and channels that have something in common.
struct MessageCount {
  std::uint64_t channels = 0, messages = 0;
};

struct MessageComparison {
  MessageCount all;      // on channels, those that are not judged among them; a message with its receive is one
  MessageCount matched;  // channels on which all messages are right; and all messages that are
  std::uint64_t wrong = 0, same_bytes = 0, truncated = 0;  // messages
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0;
  /// By why: what could not be decided. A channel counts for each reason.
  std::map<std::string, MessageCount, std::less<>> undecided;
  /// What processes left out of their channels, by why.
  std::map<std::string, std::uint64_t, std::less<>> left_out;
  RankRanges unknown_ranks;  // whose messages are not known
  std::vector<MessageMismatch> mismatches;
};

/// Takes memory for some millions of channels at a time, and time that grows with the folded sequences.
MessageComparison compare_messages(const Job& job);

}  // namespace ddtscope::reporters
