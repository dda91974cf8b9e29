// Where the ranks stopped the recording, and started it again, as lines of the merged trace.
#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {

void MergedFile::write_switches() {
  std::uint32_t number = 0;
  for (const Record& record : switches_) {
    BodyReader body(record.body);
    const std::string of = text_of_string(body.text());
    const std::string state = text_of_string(body.text());
    const auto level = number_of_text<int>(body.text());
    const std::string called = text_of_string(body.text());
    const std::string binding = text_of_string(body.text());
    const std::string time = text_of_string(record.first);
    writer_.recording_switch({.number = {number++},
                              .of = of,
                              .state = state,
                              .level = level.value_or(0),
                              .called = called,
                              .binding = binding,
                              .site = site(body.number()),
                              .time = time,
                              .count = record.parts[0].counts[0],
                              .ranks = record.parts[0].ranks.ranges()});
  }
}

}  // namespace ddtscope::reduce
