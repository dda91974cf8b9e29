// The line of a trace that says what a communicator is called in all its processes.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::communicator(const CommunicatorLine& line) {
  begin("communicator").key("id").integer(line.number.value).key("name");
  line.name ? line_.word(key_text(*line.name)) : line_.null();
  line_.key("called").string(line.called).key("binding").string(line.binding).key("site");
  number_or_null(line.site);
  line_.key("groups");
  if (line.groups.empty()) {
    line_.null();
  } else {
    line_.begin_array();
    for (const GroupRuns& group : line.groups) this->group(group);
    line_.end_array();
  }
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::group(std::span<const RankRun> runs) {
  line_.begin_array();
  for (const RankRun& run : runs) {
    line_.begin_array().integer(run.first).integer(run.last).integer(run.step).end_array();
  }
  line_.end_array();
}

}  // namespace ddtscope::trace
