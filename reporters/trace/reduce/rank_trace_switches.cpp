// Where a rank's program stopped the recording, and started it again, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

void RankTrace::take_switch(std::string_view line) {
  std::string body;
  for (const char* member : {"of", "state", "level", "called", "binding"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  add_counted(RecordKind::recording_switch, std::move(body), member_of(line, "time"), switches_);
}

}  // namespace ddtscope::reduce
