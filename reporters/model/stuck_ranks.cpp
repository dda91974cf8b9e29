#include "reporters/model/stuck_ranks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ddtscope::reporters {
namespace {

using trace::PendingCall;

/// Takes those that can go on out of those that may be stuck, until nothing changes: what is left waits for nothing but
/// what is left.
class Stuck {
 public:
  explicit Stuck(WaitingRanks& waiting) {
    for (const RankWaiting& rank : waiting.ranks) {
      if (rank.state == RankState::waits || is_over(rank)) stuck_.insert(rank.rank);
    }
    bool has_changed = true;
    while (has_changed) {
      has_changed = false;
      for (const RankWaiting& rank : waiting.ranks) {
        const bool goes_on =
            rank.state == RankState::waits && stuck_.contains(rank.rank) &&
            !std::all_of(rank.calls.begin(), rank.calls.end(), [&](const WaitingCall& call) { return is_stuck(call); });
        if (goes_on) has_changed = stuck_.erase(rank.rank) != 0;
      }
    }
    for (RankWaiting& rank : waiting.ranks) {
      rank.is_stuck = rank.state == RankState::waits && stuck_.contains(rank.rank);
      for (WaitingCall& call : rank.calls) call.is_stuck = rank.is_stuck;
    }
  }

 private:
  static bool is_over(const RankWaiting& rank) {
    return rank.state == RankState::ended || rank.state == RankState::finalizes;
  }
  bool never_comes(const Need& need) const {
    if (need.partner != Partner::none) return false;
    const auto is_in = [&](Rank rank) { return stuck_.contains(rank); };
    return need.takes == Need::Takes::all ? std::any_of(need.of.begin(), need.of.end(), is_in)
                                          : std::all_of(need.of.begin(), need.of.end(), is_in);
  }
  /// Whether all of these are never complete together: a send may be complete without its receive, but where nothing
  /// else is missing it is what the call waits for.
  bool is_stuck_in_all(const std::vector<const Need*>& needs) const {
    bool all_others_are_there = true;
    bool has_send = false;
    bool are_sends_stuck = true;
    for (const Need* need : needs) {
      if (!need->is_soft) {
        if (never_comes(*need)) return true;
        all_others_are_there = false;
      } else {
        has_send = true;
        are_sends_stuck = are_sends_stuck && never_comes(*need);
      }
    }
    return all_others_are_there && has_send && are_sends_stuck;
  }
  bool is_stuck(const WaitingCall& call) const {
    std::vector<const Need*> needs;
    for (const Need& need : call.needs) needs.push_back(&need);
    for (const StartedOperation& request : call.requests) needs.push_back(&request.need);
    if (call.call != PendingCall::wait_any) {
      // With requests that are not known nobody can say that a send is all that is missing.
      if (!call.are_requests_whole) std::erase_if(needs, [](const Need* need) { return need->is_soft; });
      return is_stuck_in_all(needs);
    }
    return call.are_requests_whole && !needs.empty() &&
           std::all_of(needs.begin(), needs.end(), [&](const Need* need) { return never_comes(*need); });
  }

  std::set<Rank> stuck_;
};

/// The first one that a rank that is stuck waits for, and that is stuck, too.
std::optional<Rank> next_of(const RankWaiting& rank, const std::set<Rank>& stuck) {
  const auto first = [&](const Need& need) -> std::optional<Rank> {
    if (need.partner != Partner::none) return std::nullopt;
    const auto found = std::find_if(need.of.begin(), need.of.end(), [&](Rank one) { return stuck.contains(one); });
    return found != need.of.end() ? std::optional(*found) : std::nullopt;
  };
  for (const WaitingCall& call : rank.calls) {
    for (const Need& need : call.needs) {
      if (const auto found = first(need)) return found;
    }
    for (const StartedOperation& request : call.requests) {
      if (const auto found = first(request.need)) return found;
    }
  }
  return std::nullopt;
}

void add_cycles(WaitingRanks& waiting) {
  std::map<Rank, const RankWaiting*> by_rank;
  std::set<Rank> stuck;
  for (const RankWaiting& rank : waiting.ranks) {
    by_rank[rank.rank] = &rank;
    if (rank.is_stuck) stuck.insert(rank.rank);
  }
  std::set<Rank> seen;
  for (const Rank begin : stuck) {
    std::vector<Rank> way;
    std::optional<Rank> at = begin;
    while (at && !seen.contains(*at)) {
      seen.insert(*at);
      way.push_back(*at);
      at = next_of(*by_rank.at(*at), stuck);
    }
    const auto again = at ? std::find(way.begin(), way.end(), *at) : way.end();
    if (again != way.end()) waiting.cycles.emplace_back(again, way.end());
  }
}

}  // namespace

void find_stuck(WaitingRanks& waiting) {
  Stuck{waiting};
  add_cycles(waiting);
}

}  // namespace ddtscope::reporters
