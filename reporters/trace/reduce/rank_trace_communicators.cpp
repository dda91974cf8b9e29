// A rank's communicators, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

void RankTrace::take_communicator(std::string_view line) {
  std::string body;
  for (const char* member : {"name", "called", "binding", "groups"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  communicator_hashes_.push_back(add_of_rank(RecordKind::communicator, std::move(body), communicator_hashes_.size()));
}

}  // namespace ddtscope::reduce
