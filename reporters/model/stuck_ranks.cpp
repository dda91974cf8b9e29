#include "reporters/model/stuck_ranks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace ddtscope::reporters {
namespace {

using trace::PendingCall;

/// Takes those that can go on out of those that may be stuck, until nothing changes: what is left waits for nothing but
/// what is left. Each rank is looked at again only where one that it waits for has gone on, and ranks that wait
/// together share whom they wait for: the time grows with the ranks, not with their pairs.
class Stuck {
 public:
  explicit Stuck(WaitingRanks& waiting) : ranks_(waiting.ranks), is_in_(waiting.ranks.size()) {
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
      places_[ranks_[i].rank] = i;
      is_in_[i] = ranks_[i].state == RankState::waits || is_over(ranks_[i]);
    }
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].state != RankState::waits) continue;
      for_each_need(ranks_[i], [&](const Need& need) {
        if (need.partner == Partner::none) group_of(need).waiting.push_back(i);
      });
      to_look_at_.push_back(i);
    }
    while (!to_look_at_.empty()) {
      const std::uint32_t rank = to_look_at_.back();
      to_look_at_.pop_back();
      if (is_in_[rank] && !is_stuck(ranks_[rank])) goes_on(rank);
    }
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
      RankWaiting& rank = ranks_[i];
      rank.is_stuck = rank.state == RankState::waits && is_in_[i];
      for (WaitingCall& call : rank.calls) call.is_stuck = rank.is_stuck;
    }
    add_cycles(waiting);
  }

 private:
  /// Ranks that have not started what others wait for.
  struct Group {
    std::size_t all = 0, stuck = 0;
    std::vector<std::uint32_t> waiting;  // for them
    std::vector<std::uint32_t> first;    // two that are stuck; looked for once nothing changes any more
    bool is_first_known = false;
  };

  static bool is_over(const RankWaiting& rank) {
    return rank.state == RankState::ended || rank.state == RankState::finalizes;
  }
  template <class See>
  static void for_each_need(const RankWaiting& rank, const See& see) {
    for (const WaitingCall& call : rank.calls) {
      for (const Need& need : call.needs) see(need);
      for (const StartedOperation& request : call.requests) see(request.need);
    }
  }
  Group& group_of(const Need& need) {
    const auto [found, is_new] = groups_.try_emplace(need.missing.get());
    Group& group = found->second;
    if (!is_new) return group;
    group.all = need.of().size();
    for (const Rank rank : need.of()) {
      const auto place = places_.find(rank);
      if (place == places_.end() || !is_in_[place->second]) continue;
      ++group.stuck;
      in_groups_[place->second].push_back(&group);
    }
    return group;
  }
  void goes_on(std::uint32_t rank) {
    is_in_[rank] = false;
    for (Group* const group : in_groups_[rank]) {
      const bool is_first = group->stuck == group->all;
      if (--group->stuck != 0 && !is_first) continue;  // for nobody that changes anything
      to_look_at_.insert(to_look_at_.end(), group->waiting.begin(), group->waiting.end());
    }
  }

  bool never_comes(const Need& need) {
    if (need.partner != Partner::none) return false;
    const Group& group = group_of(need);
    return need.takes == Need::Takes::all ? group.stuck != 0 : group.stuck == group.all;
  }
  /// Whether all of these are never complete together: a send may be complete without its receive, but where nothing
  /// else is missing it is what the call waits for.
  bool is_stuck_in_all(const std::vector<const Need*>& needs) {
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
  bool is_stuck(const WaitingCall& call) {
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
  bool is_stuck(const RankWaiting& rank) {
    return std::all_of(rank.calls.begin(), rank.calls.end(), [&](const WaitingCall& call) { return is_stuck(call); });
  }

  /// The first one that a rank that is stuck waits for, and that is stuck, too.
  std::optional<std::uint32_t> next_of(std::uint32_t rank) {
    std::optional<std::uint32_t> next;
    for_each_need(ranks_[rank], [&](const Need& need) {
      if (next || need.partner != Partner::none) return;
      Group& group = group_of(need);
      if (!group.is_first_known) {
        group.is_first_known = true;
        for (const Rank one : need.of()) {
          const auto place = places_.find(one);
          if (place == places_.end() || !ranks_[place->second].is_stuck) continue;
          group.first.push_back(place->second);
          if (group.first.size() == 2) break;
        }
      }
      // Who receives from any source is among those of whom it would.
      const auto other = std::find_if(group.first.begin(), group.first.end(), [&](auto one) { return one != rank; });
      if (other != group.first.end()) next = *other;
    });
    return next;
  }

  void add_cycles(WaitingRanks& waiting) {
    std::vector<bool> is_seen(ranks_.size());
    for (std::uint32_t begin = 0; begin < ranks_.size(); ++begin) {
      if (!ranks_[begin].is_stuck) continue;
      std::vector<std::uint32_t> way;
      std::optional<std::uint32_t> at = begin;
      while (at && !is_seen[*at]) {
        is_seen[*at] = true;
        way.push_back(*at);
        at = next_of(*at);
      }
      const auto again = at ? std::find(way.begin(), way.end(), *at) : way.end();
      if (again == way.end()) continue;
      std::vector<Rank>& cycle = waiting.cycles.emplace_back();
      for (auto rank = again; rank != way.end(); ++rank) cycle.push_back(ranks_[*rank].rank);
    }
  }

  std::vector<RankWaiting>& ranks_;
  std::map<Rank, std::uint32_t> places_;  // of `ranks_`, as all numbers here
  std::vector<bool> is_in_;               // waits, and may be stuck, or is over
  std::map<const std::vector<Rank>*, Group> groups_;
  std::map<std::uint32_t, std::vector<Group*>> in_groups_;  // of a rank
  std::vector<std::uint32_t> to_look_at_;
};

}  // namespace

void find_stuck(WaitingRanks& waiting) { Stuck{waiting}; }

}  // namespace ddtscope::reporters
