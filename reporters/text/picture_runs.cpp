// Any type as strided runs.
#include <vector>

#include "decoder/layout/strided_runs.h"
#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t runs_limit = 48;

Exact copies_of(const StridedRun& run) {
  Exact copies = 1;
  for (const auto& [count, stride] : run.repeat) {
    copies = copies * count;
  }
  return copies;
}

std::string loops_of(const StridedRun& run) {
  std::string text;
  for (const auto& [count, stride] : run.repeat) {
    text += ", " + grouped(count) + " x every " + counted(stride, "byte", "bytes");
  }
  return text;
}

}  // namespace

Picture draw_runs(const Job& job, TypeNumber number, const Style& style) {
  const DefinitionId id = job.type(number).definition;
  const StridedRuns all = strided_runs(job.layouts, job.layouts.root(id), runs_limit);
  Picture picture;
  Exact drawn = 0;
  struct Open {
    const std::vector<StridedRun>* runs;
    std::size_t next;
    Exact copies;  // of the group that the runs are in
  };
  std::vector<Open> open{{&all.runs, 0, 1}};
  while (!open.empty()) {
    if (open.back().next == open.back().runs->size()) {
      open.pop_back();
      continue;
    }
    const StridedRun& run = (*open.back().runs)[open.back().next++];
    const Exact copies = open.back().copies * copies_of(run);
    const std::string margin(2 * open.size(), ' ');
    const std::string place = (open.size() == 1 ? " at " : " at +") + grouped(run.displacement) + loops_of(run);
    if (run.type.valid()) {
      drawn += copies;
      picture.text += margin + style(Role::data, printable(job.store.predefined()[run.type].name)) + place + "\n";
    } else {
      picture.text += margin + "group" + place + ":\n";
      open.push_back({&run.group, 0, copies});
    }
  }
  if (all.truncated) {
    picture.text += "  ...\n";
  }
  if (all.runs.empty()) {
    picture.text += "  (no entries)\n";
  }
  picture.hidden = job.layouts.facts(id).entries - drawn;
  return picture;
}

}  // namespace ddtscope::reporters
