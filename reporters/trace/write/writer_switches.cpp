// The lines of a trace that say where the program stopped the recording, and started it again.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::recording_switch(const SwitchLine& line) {
  begin("switch").key("id").integer(line.number.value).key("of").string(line.of).key("state").string(line.state);
  line_.key("level").integer(line.level).key("called").string(line.called).key("binding").string(line.binding);
  line_.key("site");
  number_or_null(line.site);
  line_.key("time").string(line.time);
  if (is_merged()) {
    line_.key("count");
    counter(line.count);
    ranks(line.ranks);
  }
  finish();
}

void Writer::switch_count(SwitchNumber number, std::uint64_t count) {
  begin("switch_count").key("switch").integer(number.value).key("count");
  counter(count);
  finish();
}

}  // namespace ddtscope::trace
