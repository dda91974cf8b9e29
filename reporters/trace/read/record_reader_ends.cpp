// Lines that say how processes ended.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_process(const Members& members, std::size_t) {
  if (!merged_) {
    return;
  }
  ProcessRecord process;
  const Value rank = members.need("rank");
  process.rank = rank_of(rank);
  if (!process.rank && !rank.is_null()) {
    members.refuse("rank",
                   worlds_.empty() ? "null or from 0 to 2^31 - 1" : "null or a rank of one of the header's worlds");
  }
  process.host = members.text("host");
  process.pid = members.integer("pid");
  process.started = members.text("started");
  if (members.has("program")) {
    process.program = members.text("program");
    process.arguments = members.texts("arguments");
  }
  process.verify = members.flag("verify");
  for (const RecordedPart& part : recorded_parts) {
    if (members.has(part.name)) process.*part.of_process = members.flag(part.name);
  }
  if (!members.need("end").is_null()) {
    const Members end = members.object("end");
    process.end = EndRecord{end.flag("complete"), std::string(end.text("reason")), std::string(end.text("ended"))};
  }
  process.stopped = members.text_or_null("stopped");
  process.last_line_cut = members.flag("last_line_cut");
  const Value counts = members.need("counts");
  if (!counts.is_null()) {
    const auto four = elements_of<4>(counts);
    if (!four || !take_counters(*four, merged_counter_limit, process.counts.emplace())) {
      members.refuse("counts", "[created, adopted, committed, freed] or null");
    }
  }
  sink_.process(std::move(process));
}

void RecordReader::read_end(const Members& members, std::size_t) {
  EndRecord end;
  end.complete = members.flag("complete");
  end.reason = members.text("reason");
  end.ended = members.text("ended");
  if (members.has("without_facts")) end.without_facts = members.count("without_facts");
  for (const Value element : members.array("unrecorded")) {
    const Members unrecorded(element, "an element of \"unrecorded\"");
    UnrecordedRecord& record = end_.unrecorded.emplace_back();
    record.called = unrecorded.text("called");
    record.count = unrecorded.count("count");
    record.why = unrecorded.text("why");
    if (unrecorded.has("site")) {
      record.site = unrecorded.number_or_null<FrameRecord>("site", frames_, "frame");
    }
    if (merged_) {
      record.ranks = ranks_of(unrecorded.need("ranks"));
    }
  }
  end_.end = std::move(end);
  end_.counted = true;
}

}  // namespace ddtscope
