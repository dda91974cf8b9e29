// A rank's windows, and what it reached in them, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

void RankTrace::take_window(std::string_view line) {
  std::string body;
  for (const char* member : {"name", "flavour", "size", "displacement_unit", "called", "binding"}) {
    append_text(body, member_of(line, member));
  }
  append_number(body, site_of(member_of(line, "site")));
  Record& record = add(RecordKind::window, hash_of(body), windows_.size());
  windows_.push_back(record.key);
  record.body = std::move(body);
  add_count(record, 1);
}

void RankTrace::take_accesses(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_text(body, type_in_body(member_of(line, "type")));
  for (const char* member : {"elements", "called", "binding", "argument"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  for (const char* member : {"target", "lowest", "highest", "count"}) append_text(body, member_of(line, member));
  Record& record = add(RecordKind::accesses, hash_of(body), accesses_++);
  record.body = std::move(body);
  add_count(record, 1);
}

}  // namespace ddtscope::reduce
