// Two sides of a channel, compared once for each two sequences.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "reporters/model/message_verdicts.h"
#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters {

/// Messages of one channel that are not right, or are not decided.
struct DifferingMessages {
  OperationIndex sent, received;
  MessageVerdict verdict = MessageVerdict::wrong;
  std::uint64_t count = 0;
  std::uint64_t message = 0;  // the first one, counted from 0
};

struct ChannelVerdict {
  std::uint64_t fine = 0;
  std::uint64_t not_compared = 0;  // their order is not known, or their loops have too little in common
  std::vector<DifferingMessages> differing;
};

/// Which two sequences, so many messages of them, and whether in their order.
struct ComparedSequences {
  SequenceIndex sent, received;
  std::uint64_t messages = 0;
  bool is_unordered = false;
  friend auto operator<=>(const ComparedSequences&, const ComparedSequences&) = default;
};

class ChannelVerdicts {
 public:
  explicit ChannelVerdicts(const Job& job) : job_(job), verdicts_(job) {}

  const ChannelVerdict& of(const ComparedSequences& sequences);
  std::uint64_t length(SequenceIndex sequence);
  Match match(OperationIndex sent, OperationIndex received) { return verdicts_.match(sent, received); }

 private:
  ChannelVerdict compare(const ComparedSequences& sequences);
  /// Whether each of the one side may meet each of the other.
  bool all_fine(const std::vector<std::uint32_t>& sent, const std::vector<std::uint32_t>& received);
  ChannelVerdict compare_unordered(const ComparedSequences& sequences);
  /// Each operation of a sequence once.
  const std::vector<std::uint32_t>& operations(SequenceIndex sequence);
  bool have_one_type(const std::vector<std::uint32_t>& operations) const;

  const Job& job_;
  MessageVerdicts verdicts_;
  std::uint64_t steps_ = std::uint64_t{1} << 27;  // that all comparisons may take together: seconds
  std::map<SequenceIndex, std::uint64_t> lengths_;
  std::map<SequenceIndex, std::vector<std::uint32_t>> operations_;
  std::map<ComparedSequences, ChannelVerdict> known_;
};

}  // namespace ddtscope::reporters
