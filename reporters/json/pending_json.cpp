#include "reporters/json/pending_json.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reporters/json/type_json.h"
#include "reporters/model/gathered_ranks.h"

namespace ddtscope::reporters {
namespace {

using trace::PendingCall;
using trace::PendingDirection;

const char* word_of(RankState state) {
  switch (state) {
    case RankState::runs:
      return "runs";
    case RankState::waits:
      return "waits";
    case RankState::finalizes:
      return "finalizes";
    case RankState::ended:
      return "ended";
    case RankState::aborted:
      return "aborted";
    case RankState::switched_off:
      return "switched off";
    case RankState::not_recorded:
      break;
  }
  return "not recorded";
}

const char* word_of(Partner partner) {
  switch (partner) {
    case Partner::exists:
      return "exists";
    case Partner::none:
      return "none";
    case Partner::unknown:
      break;
  }
  return "unknown";
}

const char* word_of(PendingDirection direction) {
  switch (direction) {
    case PendingDirection::send:
      return "send";
    case PendingDirection::receive:
      return "receive";
    case PendingDirection::collective:
      return "collective";
    case PendingDirection::probe:
      break;
  }
  return "probe";
}

const char* word_of(PendingCall call) {
  switch (call) {
    case PendingCall::message:
      return "message";
    case PendingCall::wait_all:
      return "wait for all";
    case PendingCall::wait_any:
      return "wait for one";
    case PendingCall::collective:
      return "collective";
    case PendingCall::none:
    case PendingCall::finalize:
      break;
  }
  return "finalize";
}

Json names_json(const std::vector<Rank>& ranks) {
  Json array = Json::array();
  for (const Rank rank : ranks) array.push_back(text_of(rank));
  return array;
}

/// Whom needs wait for: each list once, as ranges, for all the needs that wait for the same ranks.
class WaitedFor {
 public:
  /// The list's number; null of nobody.
  Json number(const Need& need) {
    if (need.of().empty()) return nullptr;
    const auto [found, is_new] = numbers_.try_emplace(need.missing.get());
    if (is_new) found->second = number_of(need.of());
    return found->second;
  }
  Json take() { return std::move(lists_); }

 private:
  std::size_t number_of(const std::vector<Rank>& ranks) {
    std::vector<RankRange> ranges;
    for (const Rank rank : ranks) ranges.push_back({rank.number, rank.number, rank.world});
    Json list = ranks_json(joined_ranks(std::move(ranges)));
    const auto [found, is_new] = same_.try_emplace(list.dump(), lists_.size());
    if (is_new) lists_.push_back(std::move(list));
    return found->second;
  }

  std::map<const std::vector<Rank>*, std::size_t> numbers_;
  std::map<std::string, std::size_t> same_;  // by the list, as it is written
  Json lists_ = Json::array();
};

/// Ranks of which the same is told: it is written once for all of them.
class AlikeRanks {
 public:
  void add(Rank rank, Json told) {
    const auto [found, is_new] =
        numbers_.try_emplace(told.dump(-1, ' ', false, Json::error_handler_t::replace), entries_.size());
    if (is_new) entries_.push_back({std::move(told), {}});
    entries_[found->second].ranks.add(rank);
  }
  /// In the order of the first of each.
  Json take() {
    Json all = Json::array();
    for (Entry& entry : entries_) {
      Json whole = {{"ranks", ranks_json(entry.ranks.take())}};
      whole.update(entry.told);
      all.push_back(std::move(whole));
    }
    return all;
  }

 private:
  struct Entry {
    Json told;
    GatheredRanks ranks;
  };
  std::map<std::string, std::size_t> numbers_;  // by what is told, as it is written
  std::vector<Entry> entries_;
};

class PendingJson {
 public:
  PendingJson(const ReportContext& context, WaitedFor& waited_for, Rank rank)
      : context_(context), waited_for_(waited_for), rank_(rank) {}

  Json need(const Need& need) const {
    if (!need.has_channel) return nullptr;
    const bool is_collective = need.direction == PendingDirection::collective;
    const auto or_any = [&](std::int32_t value) { return value == trace::pending_any ? Json("any") : Json(value); };
    Json peer = nullptr;
    if (!is_collective) {
      peer =
          need.channel.peer == trace::pending_any ? Json("any") : Json(text_of(Rank{rank_.world, need.channel.peer}));
    }
    return {{"direction", word_of(need.direction)},
            {"communicator", communicator(need.channel)},
            {"peer", std::move(peer)},
            {"tag", is_collective ? Json(nullptr) : or_any(need.channel.tag)},
            {"partner", word_of(need.partner)},
            {"started_there", json_count(need.started_there)},
            {"waits_for", waited_for_.number(need)},
            {"takes", need.takes == Need::Takes::all ? "all" : "one"}};
  }
  Json operation(const MessageOperation* operation) const {
    if (operation == nullptr) return {{"called", nullptr}, {"binding", nullptr}, {"call_site", Json::array()}};
    return {{"called", operation->called},
            {"binding", operation->binding},
            {"call_site", call_site_json(context_.job, operation->site, context_.symbols)}};
  }
  Json started(const StartedOperation& started) const {
    Json json = operation(started.operation);
    json["type"] = started.operation->type ? Json(context_.job.name_of(*started.operation->type)) : Json(nullptr);
    json["elements"] = json_count(started.operation->elements);
    json["need"] = need(started.need);
    return json;
  }
  Json call(const WaitingCall& call) const {
    Json json = operation(call.operation);
    json["kind"] = word_of(call.call);
    json["needs"] = Json::array();
    for (const Need& each : call.needs) {
      if (each.has_channel) json["needs"].push_back(need(each));
    }
    json["requests"] = Json::array();
    for (const StartedOperation& request : call.requests) json["requests"].push_back(started(request));
    json["are_requests_whole"] = call.are_requests_whole;
    json["is_stuck"] = call.is_stuck;
    return json;
  }
  /// All but who it is.
  Json rank(const RankWaiting& rank) const {
    Json calls = Json::array();
    for (const WaitingCall& each : rank.calls) calls.push_back(call(each));
    Json operations = Json::array();
    for (const StartedOperation& operation : rank.started) operations.push_back(started(operation));
    const bool is_read = rank.records != nullptr && rank.records->problem.empty();
    return {{"state", word_of(rank.state)},
            {"problem", rank.records != nullptr ? text_or_null(rank.records->problem) : Json(nullptr)},
            {"calls", std::move(calls)},
            {"started", std::move(operations)},
            {"left_out", is_read ? json_count(rank.records->file.header.started_left_out) : Json(nullptr)},
            {"is_stuck", rank.is_stuck}};
  }

 private:
  Json communicator(const trace::PendingChannel& channel) const {
    if (channel.predefined == 1) return "MPI_COMM_WORLD";
    if (channel.predefined == 2) return "MPI_COMM_SELF";
    return channel.communicator != 0 ? Json(key_text(channel.communicator)) : Json(nullptr);
  }

  const ReportContext& context_;
  WaitedFor& waited_for_;
  const Rank rank_;
};

}  // namespace

Json pending_json(const ReportContext& context, const WaitingRanks& waiting) {
  AlikeRanks alike;
  Json stuck = Json::array();
  WaitedFor waited_for;
  bool may_call_elsewhere = false;
  for (const RankWaiting& rank : waiting.ranks) {
    alike.add(rank.rank, PendingJson(context, waited_for, rank.rank).rank(rank));
    if (!rank.is_stuck) continue;
    stuck.push_back(text_of(rank.rank));
    may_call_elsewhere = may_call_elsewhere || rank.may_call_elsewhere;
  }
  Json cycles = Json::array();
  for (const std::vector<Rank>& cycle : waiting.cycles) cycles.push_back(names_json(cycle));
  return {{"ranks", alike.take()},
          {"stuck", std::move(stuck)},
          {"cycles", std::move(cycles)},
          {"waited_for", waited_for.take()},
          {"unless_other_threads", may_call_elsewhere}};
}

}  // namespace ddtscope::reporters
