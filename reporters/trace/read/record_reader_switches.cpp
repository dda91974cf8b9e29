// Lines that say where the program stopped the recording, and started it again.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_switch(const Members& members, std::size_t) {
  check_order(members, "id", end_.switches.size(), "switch");
  SwitchRecord record;
  record.of = words_.kept(members.text("of"));
  record.is_off = members.text("state") == "off";
  record.level = members.integer("level");
  record.called = words_.kept(members.text("called"));
  record.binding = words_.kept(members.text("binding"));
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  record.time = members.text("time");
  if (merged_) {
    record.count = members.count("count");
    record.ranks = ranks_of(members.need("ranks"));
  }
  end_.switches.push_back(std::move(record));
}

void RecordReader::read_switch_count(const Members& members, std::size_t) {
  const std::uint64_t number = members.count("switch");
  if (number >= end_.switches.size()) {
    members.refuse("switch", "the number of a switch that stands above this line");
  }
  end_.switches[number].count = members.count("count");
}

}  // namespace ddtscope
