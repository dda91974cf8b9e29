// The ranks' communicators as lines of the merged trace.
#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {

GroupRuns MergedFile::runs_of(std::string_view group) {
  GroupRuns runs;
  for (JsonWalk walk(group); walk.next();) {
    JsonWalk three(walk.value());
    RankRun run;
    for (std::int64_t* const number : {&run.first, &run.last, &run.step}) {
      if (three.next()) *number = number_of_text<std::int64_t>(three.value()).value_or(0);
    }
    runs.push_back(run);
  }
  return runs;
}

void MergedFile::write_communicators() {
  std::uint32_t number = 0;
  for (const Record& record : communicators_) {
    communicator_numbers_.emplace(record.key, number);
    BodyReader body(record.body);
    const std::string_view name = body.text();
    const std::string called = text_of_string(body.text());
    const std::string binding = text_of_string(body.text());
    const std::string_view groups_text = body.text();
    std::vector<GroupRuns> groups;
    if (groups_text != "null") {
      for (JsonWalk walk(groups_text); walk.next();) groups.push_back(runs_of(walk.value()));
    }
    writer_.communicator({.number = {number++},
                          .name = name == "null" ? std::nullopt : key_from_text(text_of_string(name)),
                          .called = called,
                          .binding = binding,
                          .site = site(body.number()),
                          .groups = groups,
                          .ranks = record.parts[0].ranks.ranges()});
  }
}

}  // namespace ddtscope::reduce
