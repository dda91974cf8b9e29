// The line of a trace that says how a type was used.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::uses(const UsesLine& line) {
  begin("uses").key("type");
  name_or_number(line.predefined, line.definition);
  line_.key("called").string(line.called).key("binding").string(line.binding);
  line_.key("argument").string(name_of(line.parameter)).key("counts").begin_array();
  for (const SiteUses& site : line.sites) {
    line_.begin_array();
    number_or_null(site.site);
    for (const std::uint64_t count :
         {site.counts.calls, site.counts.elements, site.counts.smallest, site.counts.largest}) {
      counter(count);
    }
    if (site.counts.received || site.counts.sent_calls != 0) {
      if (site.counts.received) {
        counter(*site.counts.received);
      } else {
        line_.null();
      }
      counter(site.counts.sent_calls);
      counter(site.counts.sent_elements);
    }
    if (is_merged()) ranges(site.ranks);
    line_.end_array();
  }
  line_.end_array();
  finish();
}

}  // namespace ddtscope::trace
