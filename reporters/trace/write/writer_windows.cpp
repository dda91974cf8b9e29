// The lines of a trace that say what one-sided calls reach, and in which windows.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::window(const WindowLine& line) {
  begin("window").key("id").integer(line.number.value).key("name").word(key_text(line.name));
  line_.key("flavour").word(name_of(line.flavour)).key("size");
  line.size ? line_.integer(*line.size) : line_.null();
  line_.key("displacement_unit");
  line.displacement_unit ? line_.integer(*line.displacement_unit) : line_.null();
  line_.key("called").string(line.called).key("binding").string(line.binding).key("site");
  number_or_null(line.site);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::accesses(const AccessesLine& line) {
  begin("accesses").key("window").integer(line.window.value).key("target").integer(line.target);
  argument_members(line);
  line_.key("site");
  number_or_null(line.site);
  line_.key("lowest").integer(line.lowest).key("highest").integer(line.highest).key("count");
  counter(line.count);
  if (is_merged()) ranks(line.ranks);
  finish();
}

}  // namespace ddtscope::trace
