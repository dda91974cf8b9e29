// Where a rank's buffers were, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

/// A place in static memory, or in a thread's, names a module, whose number differs between ranks; all others stand as
/// they are.
void RankTrace::take_buffer(std::string_view line) {
  std::string body;
  append_argument(body, line);
  for (const char* member : {"position", "descriptor"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  const std::string_view in_thread = member_of(line, "thread");
  const std::string_view place = in_thread.empty() ? member_of(line, "static") : in_thread;
  append_number(body, place.empty() ? 0 : in_thread.empty() ? 1 : 2);
  if (place.empty()) {
    for (const char* member : {"stack", "stack_pointer", "held", "heap", "none"})
      append_text(body, member_of(line, member));
  } else {
    JsonWalk two(place);
    const std::uint64_t module = two.next() ? count_of(two.value()) : modules_.size();
    if (module >= modules_.size()) throw NotReduced("its trace was edited");
    append_number(body, modules_[module]);
    append_number(body, two.next() ? count_of(two.value()) : 0);
  }
  add_of_rank(RecordKind::buffer, std::move(body), buffers_++);
}

}  // namespace ddtscope::reduce
