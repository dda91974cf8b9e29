// The files that a rank opened, their views, and what it accessed in them, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

void RankTrace::take_opened_file(std::string_view line) {
  std::string body;
  for (const char* member : {"name", "communicator", "mode", "called", "binding"}) {
    append_text(body, member_of(line, member));
  }
  append_number(body, site_of(member_of(line, "site")));
  files_.push_back(add_of_rank(RecordKind::opened_file, std::move(body), files_.size()));
}

void RankTrace::take_view(std::string_view line) {
  std::string body;
  append_number(body, hash_in(files_, member_of(line, "file")));
  for (const char* member : {"etype", "filetype"}) append_text(body, type_in_body(member_of(line, member)));
  for (const char* member : {"datarep", "called", "binding"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  for (const char* member : {"lowest", "highest", "count"}) append_text(body, member_of(line, member));
  add_of_rank(RecordKind::view, std::move(body), views_++);
}

void RankTrace::take_file_accesses(std::string_view line) {
  std::string body;
  append_number(body, hash_in(files_, member_of(line, "file")));
  append_argument(body, line);
  append_number(body, site_of(member_of(line, "site")));
  append_text(body, member_of(line, "count"));
  add_of_rank(RecordKind::file_accesses, std::move(body), file_accesses_++);
}

}  // namespace ddtscope::reduce
