// Where a rank's program stopped the recording, and started it again, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

void RankTrace::take_switch(std::string_view line) {
  std::string body;
  for (const char* member : {"of", "state", "level", "called", "binding"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  switches_.push_back(records_.size());
  Record& record = add(RecordKind::recording_switch, hash_of(body), switches_.size() - 1);
  record.body = std::move(body);
  record.first = member_of(line, "time");
  add_count(record, 1);
}

void RankTrace::take_switch_count(std::string_view line) {
  const std::uint64_t number = count_of(member_of(line, "switch"));
  if (number >= switches_.size()) throw NotReduced("its trace was edited");
  records_[switches_[number]].parts[0].counts[0] = count_of(member_of(line, "count"));
}

}  // namespace ddtscope::reduce
