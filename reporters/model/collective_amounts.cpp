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
      if (bytes_of(side_of(sent)) != bytes_of(side_of(received))) return found->second = MessageVerdict::wrong;
      break;
  }
  const bool is_same = grade_of(side_of(sent), side_of(received), match) == MatchGrade::same_bytes;
  return found->second = is_same ? MessageVerdict::same_bytes : MessageVerdict::wrong;
}

BlocksOfSide::BlocksOfSide(const CollectiveSide& side, BlockIs is) : runs_(side.runs) {
  if (is == BlockIs::alone) {
    if (!runs_.empty()) ends_.push_back(UINT64_MAX);
    return;
  }
  ends_.reserve(runs_.size());
  std::uint64_t end = 0;
  for (const BlockRun& run : runs_) ends_.push_back(end += run.times);
}

BlocksOfSide::Place BlocksOfSide::at(std::uint64_t process) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), process);
  if (end == ends_.end()) return {};
  return {&runs_[static_cast<std::size_t>(end - ends_.begin())], *end};
}

std::vector<BlockFor> blocks_for(const BlocksOfSide& side, std::span<const std::int64_t> processes) {
  std::vector<BlockFor> blocks;
  const auto is_before = [](std::int64_t process, std::uint64_t end) {
    return static_cast<std::uint64_t>(process) < end;
  };
  for (auto next = processes.begin(); next != processes.end();) {
    const auto [run, end] = side.at(static_cast<std::uint64_t>(*next));
    if (run == nullptr) break;
    const auto behind = std::lower_bound(next, processes.end(), end, is_before);
    blocks.push_back({run, *next, behind - next > 1 ? *(next + 1) : -1});
    next = behind;
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
