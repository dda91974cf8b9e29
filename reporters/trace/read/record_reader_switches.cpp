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
  read_call(members, record);
  record.time = members.text("time");
  if (merged_) {
    record.count = members.count("count");
    record.ranks = ranks_of(members.need("ranks"));
  }
  end_.switches.push_back(std::move(record));
}

}  // namespace ddtscope
