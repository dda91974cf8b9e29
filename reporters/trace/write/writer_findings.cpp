// The lines of a trace that say what was found wrong with a call.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::finding(const FindingLine& line) {
  begin("finding").key("id").integer(line.number).key("finding").string(line.finding);
  line_.key("severity").string(line.severity).key("type");
  line.predefined.empty() ? line_or_null(line.definition) : static_cast<void>(line_.string(line.predefined));
  line_.key("called").string(line.called).key("binding").string(line.binding);
  line_.key("argument").string(line.argument).key("site");
  line_or_null(line.site);
  line_.key("message").string(line.message);
  if (!line.freed_by.empty()) {
    line_.key("freed").begin_object().key("called").string(line.freed_by).key("site");
    line_or_null(line.freed_at);
    line_.end_object();
  }
  if (is_merged()) {
    line_.key("count");
    counter(line.count);
    ranks(line.ranks);
  }
  finish();
}

void Writer::finding_count(LineId number, std::uint64_t count) {
  begin("finding_count").key("finding").integer(number).key("count");
  counter(count);
  finish();
}

}  // namespace ddtscope::trace
