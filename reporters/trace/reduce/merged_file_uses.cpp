// How the ranks used types, as lines of the merged trace.
#include <array>

#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {

void MergedFile::write_uses() {
  // Those of one type, function and argument that follow each other stand in one line.
  std::array<std::string, 4> what;
  std::vector<trace::SiteUses> sites;
  const auto write = [&] {
    if (sites.empty()) return;
    trace::UsesLine line;
    line.called = what[1];
    line.binding = what[2];
    line.sites = sites;
    line.parameter = trace::use_parameter_of(what[3]);
    const WrittenType type = written(what[0]);
    line.definition = type.definition;
    line.predefined = type.predefined;
    writer_.uses(line);
    sites.clear();
  };
  for (const Record& record : uses_) {
    if (record.parts.empty()) continue;
    BodyReader body(record.body);
    std::array<std::string, 4> next;
    next[0] = body.text();
    for (std::size_t i = 1; i < next.size(); ++i) next[i] = text_of_string(body.text());
    if (next != what) {
      write();
      what = std::move(next);
    }
    sites.push_back({site(body.number()), uses_of(record.parts[0]), record.parts[0].ranks.ranges()});
  }
  write();
}

}  // namespace ddtscope::reduce
