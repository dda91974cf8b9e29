// The lines of a trace that say what was found wrong with a call.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::finding(const FindingLine& line) {
  begin("finding").key("id").integer(line.number.value).key("finding").string(line.finding);
  line_.key("severity").string(line.severity).key("type");
  name_or_number(line.predefined, line.definition);
  line_.key("called").string(line.called).key("binding").string(line.binding);
  line_.key("argument").string(line.argument).key("site");
  number_or_null(line.site);
  line_.key("message").string(line.message);
  if (!line.freed_by.empty()) {
    line_.key("freed").begin_object().key("called").string(line.freed_by).key("site");
    number_or_null(line.freed_at);
    line_.end_object();
  }
  if (line.other) other_argument(line);
  if (is_merged()) {
    line_.key("count");
    counter(line.count);
    ranks(line.ranks);
  }
  finish();
}

void Writer::other_argument(const FindingLine& line) {
  const OtherArgumentLine& other = *line.other;
  line_.key("access").string(line.access).key("elements");
  counter(line.elements);
  line_.key("other").begin_object().key("type");
  name_or_number(other.predefined, other.definition);
  line_.key("called").string(other.called).key("argument").string(other.argument).key("site");
  number_or_null(other.site);
  line_.key("access").string(other.access).key("elements");
  counter(other.elements);
  line_.key("distance").integer(other.distance).key("same_call").boolean(other.is_of_same_call);
  line_.end_object();
}

void Writer::finding_count(FindingNumber number, std::uint64_t count) {
  begin("finding_count").key("finding").integer(number.value).key("count");
  counter(count);
  finish();
}

}  // namespace ddtscope::trace
