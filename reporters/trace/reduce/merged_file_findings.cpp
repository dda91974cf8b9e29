// What the ranks found wrong with their calls, as lines of the merged trace.
#include <array>

#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

/// The words that a line refers to.
struct MergedFile::OtherArgument {
  std::string own_access, name, called, argument, access;
};

void MergedFile::read_other(BodyReader& body, trace::FindingLine& line, OtherArgument& other) const {
  if (body.number() == 0) return;
  trace::OtherArgumentLine& written = line.other.emplace();
  other.own_access = text_of_string(body.text());
  line.access = other.own_access;
  line.elements = body.number();
  const std::string_view type = body.text();
  if (type.starts_with(key_mark)) {
    written.definition = number_of_text<trace::LineId>(with_numbers(type)).value_or(trace::no_line);
  } else {
    other.name = text_of_string(type);
    written.predefined = other.name;
  }
  for (std::string* text : {&other.called, &other.argument, &other.access}) *text = text_of_string(body.text());
  written.called = other.called;
  written.argument = other.argument;
  written.access = other.access;
  written.site = site(body.number());
  written.elements = body.number();
  std::string_view distance = body.text();
  if (distance.starts_with('"')) distance = distance.substr(1, distance.size() - 2);
  written.distance = number_of_text<std::int64_t>(distance).value_or(0);
  written.is_of_same_call = body.text() == "true";
}

void MergedFile::write_findings() {
  trace::LineId number = 0;
  for (const Record& record : findings_) {
    if (record.parts.empty()) continue;
    BodyReader body(record.body);
    const std::string_view type = body.text();
    std::array<std::string, 5> what;
    for (std::string& text : what) text = text_of_string(body.text());
    trace::FindingLine line;
    line.number = number++;
    std::string name;
    if (type.starts_with(key_mark)) {
      line.definition = number_of_text<trace::LineId>(with_numbers(type)).value_or(trace::no_line);
    } else if (type != "null") {
      name = text_of_string(type);
      line.predefined = name;
    }
    line.finding = what[0];
    line.severity = what[1];
    line.called = what[2];
    line.binding = what[3];
    line.argument = what[4];
    line.site = site(body.number());
    const std::string message = text_of_string(record.first);
    line.message = message;
    const std::string_view freed = body.text();
    const std::string freed_by = freed.empty() ? std::string() : text_of_string(freed);
    line.freed_by = freed_by;
    line.freed_at = site(body.number());
    OtherArgument other;
    read_other(body, line, other);
    line.count = record.parts[0].counts[0];
    line.ranks = record.parts[0].ranks.ranges();
    writer_.finding(line);
  }
}

}  // namespace ddtscope::reduce
