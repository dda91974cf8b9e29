#include "reporters/model/message_verdicts.h"

#include <map>
#include <utility>

namespace ddtscope::reporters {

MessageVerdicts::MessageVerdicts(const Job& job)
    : job_(job), layouts_(job.store, job.observed_bounds), fingerprints_(layouts_) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known;
  data_.reserve(job.messages.operations.size());
  for (const MessageOperation& one : job.messages.operations) {
    const auto number = static_cast<std::uint32_t>(known.size());
    data_.push_back(known.try_emplace({one.type ? one.type->value + 1 : 0, one.elements}, number).first->second);
  }
}

MessageSide MessageVerdicts::side_of(OperationIndex operation) {
  const MessageOperation& one = job_.messages.operations[operation.value];
  // Where nobody knows the type there is no element of it.
  return {fingerprints_, layouts_, one.type.value_or(DefinitionId{0}), Exact(static_cast<Int128>(one.elements))};
}

Match MessageVerdicts::match(OperationIndex sent, OperationIndex received) {
  return ddtscope::match(side_of(sent), side_of(received));
}

MessageVerdict MessageVerdicts::of(OperationIndex sent, OperationIndex received) {
  if (job_.messages.operations[sent.value].elements == 0) return MessageVerdict::fine;
  const std::uint64_t both = std::uint64_t{data_[sent.value]} << 32 | data_[received.value];
  const auto [found, is_new] = verdicts_.try_emplace(both, MessageVerdict::fine);
  if (!is_new) return found->second;
  const Match found_match = match(sent, received);
  switch (grade_of(side_of(sent), side_of(received), found_match)) {
    case MatchGrade::fine:
      break;
    case MatchGrade::undecided:
      found->second = MessageVerdict::undecided;
      break;
    case MatchGrade::same_bytes:
      found->second = MessageVerdict::same_bytes;
      break;
    case MatchGrade::wrong:
      found->second =
          found_match.result == MatchResult::send_longer || is_alike_but_longer(side_of(sent), side_of(received))
              ? MessageVerdict::truncated
              : MessageVerdict::wrong;
      break;
  }
  return found->second;
}

}  // namespace ddtscope::reporters
