#include "reporters/json/match_json.h"

namespace ddtscope::reporters {
namespace {

Json party_json(const MatchParty& party, Exact entries) {
  const LayoutFacts& facts = party.job->layouts.facts(party.job->type(party.type).definition);
  return {{"type", party.job->rule_of_text ? text_of(party) : text_of(party.type)},
          {"count", json_integer(party.count)},
          {"entries", json_integer(entries)},
          {"bytes", json_integer(Exact(party.count) * facts.size)}};
}

Json place_json(const std::string& basic, Exact displacement, const EntryOfCopy& at) {
  if (basic.empty()) return nullptr;
  return {{"basic", basic},
          {"displacement", json_integer(displacement)},
          {"copy", json_integer(at.copy)},
          {"entry", json_integer(at.entry)}};
}

Json severity_json(MatchGrade grade) {
  if (grade == MatchGrade::wrong) return "error";
  return grade == MatchGrade::same_bytes ? Json("warning") : Json(nullptr);
}

}  // namespace

Json match_json(const TypeMatch& match) {
  Json difference = nullptr;
  if (match.match.difference) {
    const MatchDifference& first = *match.match.difference;
    difference = {
        {"entry", json_integer(first.entry)},
        {"send", place_json(basic_at(match.send, first.send), first.send_displacement, match.sent_at)},
        {"receive", place_json(basic_at(match.receive, first.receive), first.receive_displacement, match.received_at)}};
  }
  return {{"send", party_json(match.send, match.match.send_entries)},
          {"receive", party_json(match.receive, match.match.receive_entries)},
          {"result", text_of(match.match.result)},
          {"severity", severity_json(match.grade)},
          {"difference", std::move(difference)}};
}

}  // namespace ddtscope::reporters
