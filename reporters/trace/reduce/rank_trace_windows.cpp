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

/// Members that it does not have are empty texts.
void RankTrace::take_window_event(std::string_view line) {
  std::string body;
  const std::string_view type = member_of(line, "type");
  append_text(body, type.empty() ? std::string("null") : type_in_body(type));
  for (const char* member : {"elements", "called", "binding", "argument"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  for (const char* member : {"kind", "target", "group", "exclusive", "assert", "displacement", "times", "step", "op"}) {
    append_text(body, member_of(line, member));
  }
  Record& record = add(RecordKind::window_event, hash_of(body), window_events_.size());
  window_events_.push_back(record.key);
  record.body = std::move(body);
}

void RankTrace::take_epochs(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_number(body, hash_in(sequences_, member_of(line, "sequence")));
  append_text(body, member_of(line, "undecided"));
  Record& record = add(RecordKind::epochs, hash_of(body), epochs_++);
  record.body = std::move(body);
  add_count(record, 1);
}

void RankTrace::take_attached(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_text(body, member_of(line, "ranges"));
  Record& record = add(RecordKind::attached, hash_of(body), attached_++);
  record.body = std::move(body);
  add_count(record, 1);
}

}  // namespace ddtscope::reduce
