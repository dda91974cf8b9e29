// What a rank found wrong with its calls, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

/// What ranks say alike is the body, up to the numbers in the sentence: there the first rank's word holds.
void RankTrace::take_finding(std::string_view line) {
  std::string body;
  append_text(body, type_in_body(member_of(line, "type")));
  for (const char* member : {"finding", "severity", "called", "binding", "argument"}) {
    append_text(body, member_of(line, member));
  }
  append_number(body, site_of(member_of(line, "site")));
  const std::string_view freed = member_of(line, "freed");
  append_text(body, freed.empty() ? freed : member_of(freed, "called"));
  append_number(body, freed.empty() ? 0 : site_of(member_of(freed, "site")));
  const std::string_view other = member_of(line, "other");
  append_number(body, other.empty() ? 0 : 1);
  if (!other.empty()) {
    append_text(body, member_of(line, "access"));
    append_number(body, count_of(member_of(line, "elements")));
    append_text(body, type_in_body(member_of(other, "type")));
    for (const char* member : {"called", "argument", "access"}) append_text(body, member_of(other, member));
    append_number(body, site_of(member_of(other, "site")));
    append_number(body, count_of(member_of(other, "elements")));
    for (const char* member : {"distance", "same_call"}) append_text(body, member_of(other, member));
  }
  add_counted(RecordKind::finding, std::move(body), member_of(line, "message"), findings_);
}

}  // namespace ddtscope::reduce
