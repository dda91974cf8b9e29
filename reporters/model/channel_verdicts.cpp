#include "reporters/model/channel_verdicts.h"

#include <algorithm>

namespace ddtscope::reporters {

std::uint64_t ChannelVerdicts::length(SequenceIndex sequence) {
  const auto [found, is_new] = lengths_.try_emplace(sequence, 0);
  if (is_new) found->second = length_of(job_.messages.sequences[sequence.value]);
  return found->second;
}

const std::vector<std::uint32_t>& ChannelVerdicts::operations(SequenceIndex sequence) {
  const auto [found, is_new] = operations_.try_emplace(sequence);
  if (is_new) {
    std::vector<std::uint32_t>& all = found->second;
    for (const SequenceElement& element : job_.messages.sequences[sequence.value]) {
      if (element.times == 0) all.push_back(element.number);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.shrink_to_fit();
  }
  return found->second;
}

bool ChannelVerdicts::all_fine(const std::vector<std::uint32_t>& sent, const std::vector<std::uint32_t>& received) {
  constexpr std::size_t most = 4096;
  if (sent.size() > most || received.size() > most / std::max<std::size_t>(1, sent.size())) return false;
  for (const std::uint32_t one : sent) {
    for (const std::uint32_t other : received) {
      if (verdicts_.of({one}, {other}) != MessageVerdict::fine) return false;
    }
  }
  return true;
}

bool ChannelVerdicts::have_one_type(const std::vector<std::uint32_t>& operations) const {
  const auto& all = job_.messages.operations;
  return std::all_of(operations.begin(), operations.end(), [&](std::uint32_t one) {
    return all[one].type == all[operations.front()].type && all[one].elements == all[operations.front()].elements;
  });
}

/// As sets: which receive took which message is not known.
ChannelVerdict ChannelVerdicts::compare_unordered(const ComparedSequences& sequences) {
  const std::vector<std::uint32_t>& sent = operations(sequences.sent);
  const std::vector<std::uint32_t>& received = operations(sequences.received);
  if (!have_one_type(sent) || !have_one_type(received)) return {0, sequences.messages, {}};
  const MessageVerdict verdict = verdicts_.of({sent.front()}, {received.front()});
  if (verdict == MessageVerdict::fine) return {sequences.messages, 0, {}};
  return {0, 0, {{{sent.front()}, {received.front()}, verdict, sequences.messages, 0}}};
}

ChannelVerdict ChannelVerdicts::compare(const ComparedSequences& sequences) {
  if (all_fine(operations(sequences.sent), operations(sequences.received))) return {sequences.messages, 0, {}};
  if (sequences.is_unordered) return compare_unordered(sequences);
  std::uint64_t steps = std::min(steps_, most_pairing_steps);
  const std::uint64_t before = steps;
  const auto pairs =
      paired_operations_within(job_.messages.sequences[sequences.sent.value],
                               job_.messages.sequences[sequences.received.value], sequences.messages, steps);
  steps_ -= before - steps;
  if (!pairs) return {0, sequences.messages, {}};
  ChannelVerdict verdict;
  for (const PairedOperations& pair : *pairs) {
    const MessageVerdict one = verdicts_.of({pair.first}, {pair.second});
    if (one == MessageVerdict::fine) {
      verdict.fine += pair.count;
    } else {
      verdict.differing.push_back({{pair.first}, {pair.second}, one, pair.count, pair.place});
    }
  }
  return verdict;
}

const ChannelVerdict& ChannelVerdicts::of(const ComparedSequences& sequences) {
  constexpr std::size_t most_known = std::size_t{1} << 18;
  if (known_.size() >= most_known) known_.clear();
  const auto found = known_.find(sequences);
  return found != known_.end() ? found->second : known_.emplace(sequences, compare(sequences)).first->second;
}

}  // namespace ddtscope::reporters
