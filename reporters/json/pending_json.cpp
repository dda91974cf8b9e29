#include "reporters/json/pending_json.h"

#include <string>

#include "reporters/json/type_json.h"

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

Json ranks_json(const std::vector<Rank>& ranks) {
  Json array = Json::array();
  for (const Rank rank : ranks) array.push_back(text_of(rank));
  return array;
}

class PendingJson {
 public:
  PendingJson(const ReportContext& context, Rank rank) : context_(context), rank_(rank) {}

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
            {"waits_for", ranks_json(need.of())},
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

 private:
  Json communicator(const trace::PendingChannel& channel) const {
    if (channel.predefined == 1) return "MPI_COMM_WORLD";
    if (channel.predefined == 2) return "MPI_COMM_SELF";
    return channel.communicator != 0 ? Json(key_text(channel.communicator)) : Json(nullptr);
  }

  const ReportContext& context_;
  const Rank rank_;
};

}  // namespace

Json pending_json(const ReportContext& context, const WaitingRanks& waiting) {
  Json ranks = Json::array();
  Json stuck = Json::array();
  bool may_call_elsewhere = false;
  for (const RankWaiting& rank : waiting.ranks) {
    const PendingJson json(context, rank.rank);
    Json calls = Json::array();
    for (const WaitingCall& call : rank.calls) calls.push_back(json.call(call));
    Json started = Json::array();
    for (const StartedOperation& operation : rank.started) started.push_back(json.started(operation));
    const bool is_read = rank.records != nullptr && rank.records->problem.empty();
    ranks.push_back({{"rank", text_of(rank.rank)},
                     {"state", word_of(rank.state)},
                     {"problem", rank.records != nullptr ? text_or_null(rank.records->problem) : Json(nullptr)},
                     {"calls", std::move(calls)},
                     {"started", std::move(started)},
                     {"left_out", is_read ? json_count(rank.records->file.header.started_left_out) : Json(nullptr)},
                     {"is_stuck", rank.is_stuck}});
    if (!rank.is_stuck) continue;
    stuck.push_back(text_of(rank.rank));
    may_call_elsewhere = may_call_elsewhere || rank.may_call_elsewhere;
  }
  Json cycles = Json::array();
  for (const std::vector<Rank>& cycle : waiting.cycles) cycles.push_back(ranks_json(cycle));
  return {{"ranks", std::move(ranks)},
          {"stuck", std::move(stuck)},
          {"cycles", std::move(cycles)},
          {"unless_other_threads", may_call_elsewhere}};
}

}  // namespace ddtscope::reporters
