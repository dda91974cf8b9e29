#include "reporters/model/collective_amounts.h"

#include <algorithm>
#include <utility>

namespace ddtscope::reporters {

BlockVerdicts::BlockVerdicts(const Job& job) : layouts_(job.store, job.observed_bounds), fingerprints_(layouts_) {}

Match BlockVerdicts::match(const BlockRun& sent, const BlockRun& received) {
  return ddtscope::match(side_of(sent), side_of(received));
}

MessageVerdict BlockVerdicts::of(const BlockRun& sent, const BlockRun& received) {
  const auto key = [](const BlockRun& run) { return Block(run.type ? run.type->value + 1 : 0, run.elements); };
  if (sent.elements == received.elements && (sent.elements == 0 || sent.type == received.type)) {
    return MessageVerdict::fine;
  }
  const auto [found, is_new] = known_.try_emplace({key(sent), key(received)}, MessageVerdict::wrong);
  if (!is_new) return found->second;
  const Match match = this->match(sent, received);
  switch (match.result) {
    case MatchResult::equal:
    case MatchResult::packed:
      return found->second = MessageVerdict::fine;
    case MatchResult::undecided:
      return found->second = MessageVerdict::undecided;
    case MatchResult::receive_longer:  // which messages may be, and these may not
    case MatchResult::send_longer:
      return found->second = MessageVerdict::wrong;
    case MatchResult::different_types:
      if (match.send_entries != match.receive_entries) return found->second = MessageVerdict::wrong;
      break;
    case MatchResult::bytes_and_types:
      break;
  }
  const bool is_same = grade_of(side_of(sent), side_of(received), match) == MatchGrade::same_bytes;
  return found->second = is_same ? MessageVerdict::same_bytes : MessageVerdict::wrong;
}

std::vector<BlockFor> blocks_for(const CollectiveSide& side, BlockIs is, std::span<const std::int64_t> processes) {
  std::vector<BlockFor> blocks;
  if (side.runs.empty() || processes.empty()) return blocks;
  const auto another = [&](std::size_t i) { return i < processes.size() ? processes[i] : -1; };
  if (is == BlockIs::alone) return {{&side.runs.front(), processes[0], another(1)}};
  std::size_t next = 0;
  std::uint64_t begin = 0;
  for (const BlockRun& run : side.runs) {
    const std::uint64_t end = begin + run.times;
    const auto is_behind = [&](std::size_t i) { return static_cast<std::uint64_t>(processes[i]) >= end; };
    if (next < processes.size() && !is_behind(next)) {
      blocks.push_back(
          {&run, processes[next], next + 1 < processes.size() && !is_behind(next + 1) ? processes[next + 1] : -1});
      next = static_cast<std::size_t>(
          std::lower_bound(
              processes.begin() + static_cast<std::ptrdiff_t>(next), processes.end(), end,
              [](std::int64_t process, std::uint64_t wanted) { return static_cast<std::uint64_t>(process) < wanted; }) -
          processes.begin());
    }
    if (next == processes.size()) break;
    begin = end;
  }
  return blocks;
}

DifferingBlocks compare_reduction(const CollectiveSide& one, const CollectiveSide& other, BlockVerdicts& verdicts) {
  DifferingBlocks worst;
  std::size_t i = 0;
  std::size_t k = 0;
  std::uint64_t left = one.runs.empty() ? 0 : one.runs[0].times;
  std::uint64_t other_left = other.runs.empty() ? 0 : other.runs[0].times;
  while (i < one.runs.size() && k < other.runs.size()) {
    const MessageVerdict verdict = verdicts.of(one.runs[i], other.runs[k]);
    if (verdict > worst.verdict) worst = {one.runs[i], other.runs[k], verdict};
    const std::uint64_t both = std::min(left, other_left);
    left -= both;
    other_left -= both;
    if (left == 0 && ++i < one.runs.size()) left = one.runs[i].times;
    if (other_left == 0 && ++k < other.runs.size()) other_left = other.runs[k].times;
  }
  return worst;
}

}  // namespace ddtscope::reporters
