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
  windows_.push_back(add_of_rank(RecordKind::window, std::move(body), windows_.size()));
}

void RankTrace::take_window_name(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_text(body, member_of(line, "name"));
  add_of_rank(RecordKind::window_name, std::move(body), window_names_++);
}

void RankTrace::take_accesses(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_argument(body, line);
  append_number(body, site_of(member_of(line, "site")));
  for (const char* member : {"target", "lowest", "highest", "count"}) append_text(body, member_of(line, member));
  add_of_rank(RecordKind::accesses, std::move(body), accesses_++);
}

/// Members that it does not have are empty texts.
void RankTrace::take_window_event(std::string_view line) {
  std::string body;
  append_argument(body, line);
  append_number(body, site_of(member_of(line, "site")));
  for (const char* member : {"kind", "target", "group", "exclusive", "assert", "displacement", "times", "step", "op",
                             "accumulate_ordering"}) {
    append_text(body, member_of(line, member));
  }
  window_events_.push_back(add_by_body(RecordKind::window_event, std::move(body), window_events_.size()).key);
}

void RankTrace::take_epochs(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_number(body, hash_in(sequences_, member_of(line, "sequence")));
  append_text(body, member_of(line, "undecided"));
  add_of_rank(RecordKind::epochs, std::move(body), epochs_++);
}

void RankTrace::take_attached(std::string_view line) {
  std::string body;
  append_number(body, hash_in(windows_, member_of(line, "window")));
  append_text(body, member_of(line, "ranges"));
  add_of_rank(RecordKind::attached, std::move(body), attached_++);
}

}  // namespace ddtscope::reduce
