#include "reporters/report/type_match.h"

#include <utility>

#include "decoder/notation/constructor_code.h"

namespace ddtscope::reporters {

TypeMatch match_of(MatchParty send, MatchParty receive) {
  Fingerprints of_send(send.job->layouts);
  Fingerprints of_receive(receive.job->layouts);
  const MessageSide sent{of_send, send.job->layouts, send.job->type(send.type).definition, send.count};
  const MessageSide received{of_receive, receive.job->layouts, receive.job->type(receive.type).definition,
                             receive.count};
  TypeMatch result{std::move(send), std::move(receive), match(sent, received), MatchGrade::fine, false, {0, 0}, {0, 0}};
  result.grade = grade_of(sent, received, result.match);
  result.is_truncated = result.grade == MatchGrade::wrong && is_alike_but_longer(sent, received);
  if (result.match.difference) {
    if (result.match.difference->send) result.sent_at = entry_of_copy(sent, result.match.difference->entry);
    if (result.match.difference->receive && result.match.result != MatchResult::send_longer) {
      result.received_at = entry_of_copy(received, result.match.difference->entry);
    }
  }
  return result;
}

std::string basic_at(const MatchParty& party, std::optional<PredefinedId> type) {
  return type ? party.job->store.predefined()[*type].name : std::string();
}

std::string text_of(const MatchParty& party) {
  const Job& job = *party.job;
  if (!party.name.empty()) return party.name;
  const std::vector<std::string>& names = job.names(party.type);
  if (!job.rule_of_text) return text_of(party.type) + (names.empty() ? "" : " '" + names.front() + "'");
  return constructor_call_text(
      job.store, job.type(party.type).definition, [&](DefinitionId id) { return job.name_of(id); }, 6);
}

}  // namespace ddtscope::reporters
