// Whether what is sent as one type may be received as another, without a job's messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "decoder/equality/match_grade.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

struct MatchParty {
  std::shared_ptr<const Job> job;
  TypeNumber type;
  std::int64_t count = 1;  // copies
  std::string name = {};   // of a predefined type, for which the job has a copy
};

struct TypeMatch {
  MatchParty send, receive;
  Match match;
  MatchGrade grade = MatchGrade::fine;
  bool is_truncated = false;  // fine, or the same bytes, as far as there is room
  /// Of the entry where they part; of the copy that it stands in.
  EntryOfCopy sent_at{0, 0}, received_at{0, 0};
};

TypeMatch match_of(MatchParty send, MatchParty receive);

/// The basic type at the entry where they part; empty where that side has ended.
std::string basic_at(const MatchParty& party, std::optional<PredefinedId> type);
/// "T3 'particle'", or the constructor call of a type that was written down.
std::string text_of(const MatchParty& party);

}  // namespace ddtscope::reporters
