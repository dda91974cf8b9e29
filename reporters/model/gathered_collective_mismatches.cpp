#include "reporters/model/gathered_collective_mismatches.h"

#include <algorithm>

namespace ddtscope::reporters {
namespace {

/// The worst one, and on its communicator the first one.
bool is_better_example(const CollectiveMismatch& one, const CollectiveMismatch& other) {
  if (one.verdict != other.verdict) return one.verdict > other.verdict;
  const bool are_of_one = one.communicator == other.communicator && one.predefined == other.predefined;
  return are_of_one &&
         std::tuple(one.call, one.rank, one.other_rank) < std::tuple(other.call, other.rank, other.other_rank);
}

}  // namespace

GatheredCollectiveMismatches::Key GatheredCollectiveMismatches::key_of(const CollectiveMismatch& one) const {
  const auto place_of = [&](CollectiveIndex index) {
    const CollectiveOperation& operation = job_.messages.collective_operations[index.value];
    return Place(operation.called, operation.site);
  };
  const auto type_of = [](const BlockRun& run) { return run.type ? run.type->value + 1 : 0; };
  return {one.kind,          place_of(one.operation), one.other ? place_of(*one.other) : Place(),
          type_of(one.sent), type_of(one.received),   one.is_sent_by_other};
}

void GatheredCollectiveMismatches::add(CollectiveMismatch&& one) {
  const Key key = key_of(one);
  of_calls_[key] = one.count;
  one.count = 0;
  const auto [found, is_new] = all_.try_emplace(key);
  Gathered& gathered = found->second;
  for (const RankRange& range : one.ranks.ranges()) gathered.ranks.add(range);
  for (const RankRange& range : one.other_ranks.ranges()) gathered.others.add(range);
  if (!is_new && !is_better_example(one, gathered.mismatch)) return;
  one.count = gathered.mismatch.count;
  gathered.mismatch = std::move(one);
}

void GatheredCollectiveMismatches::next_calls() {
  for (const auto& [key, count] : of_calls_) of_pair_[key] += count;
  of_calls_.clear();
}

void GatheredCollectiveMismatches::next_pair() {
  next_calls();
  for (const auto& [key, count] : of_pair_) {
    std::uint64_t& most = of_communicator_[key];
    most = std::max(most, count);
  }
  of_pair_.clear();
}

std::uint64_t GatheredCollectiveMismatches::next_communicator() {
  next_pair();
  std::uint64_t sum = 0;
  for (const auto& [key, count] : of_communicator_) {
    all_[key].mismatch.count += count;
    sum += count;
  }
  of_communicator_.clear();
  return sum;
}

std::vector<CollectiveMismatch> GatheredCollectiveMismatches::take() {
  std::vector<CollectiveMismatch> mismatches;
  for (auto& [key, gathered] : all_) {
    mismatches.push_back(std::move(gathered.mismatch));
    mismatches.back().ranks = gathered.ranks.take();
    mismatches.back().other_ranks = gathered.others.take();
  }
  std::stable_sort(mismatches.begin(), mismatches.end(),
                   [](const CollectiveMismatch& a, const CollectiveMismatch& b) { return a.count > b.count; });
  return mismatches;
}

}  // namespace ddtscope::reporters
