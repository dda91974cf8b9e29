// What the ranks found wrong with their calls, as lines of the merged trace.
#include <array>

#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {

/// The words that a line refers to.
struct MergedFile::OtherArgument {
  WrittenType type;
  std::string own_access, called, argument, access;
};

void MergedFile::read_other(BodyReader& body, trace::FindingLine& line, OtherArgument& other) const {
  if (body.number() == 0) return;
  trace::OtherArgumentLine& line_of_other = line.other.emplace();
  other.own_access = text_of_string(body.text());
  line.access = other.own_access;
  line.elements = body.number();
  other.type = written(body.text());
  line_of_other.definition = other.type.definition;
  line_of_other.predefined = other.type.predefined;
  for (std::string* text : {&other.called, &other.argument, &other.access}) *text = text_of_string(body.text());
  line_of_other.called = other.called;
  line_of_other.argument = other.argument;
  line_of_other.access = other.access;
  line_of_other.site = site(body.number());
  line_of_other.elements = body.number();
  std::string_view distance = body.text();
  if (distance.starts_with('"')) distance = distance.substr(1, distance.size() - 2);
  line_of_other.distance = number_of_text<std::int64_t>(distance).value_or(0);
  line_of_other.is_of_same_call = body.text() == "true";
}

void MergedFile::write_findings() {
  std::uint32_t number = 0;
  for (const Record& record : findings_) {
    if (record.parts.empty()) continue;
    BodyReader body(record.body);
    const WrittenType type = written(body.text());
    std::array<std::string, 5> what;
    for (std::string& text : what) text = text_of_string(body.text());
    trace::FindingLine line;
    line.number = {number++};
    line.definition = type.definition;
    line.predefined = type.predefined;
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
