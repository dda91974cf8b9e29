#include "reporters/text/picture.h"

#include <iterator>

#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

// A struct with more entries is better told as runs.
constexpr std::int64_t rows_entries_limit = 512;

/// Made as a struct, or of more than one basic type.
bool is_struct_like(const Job& job, DefinitionId id) {
  const LayoutFacts& facts = job.layouts.facts(id);
  if (!(facts.entries <= Exact(rows_entries_limit))) {
    return false;
  }
  DefinitionId made = id;
  while (job.store[made].call.combiner == Combiner::dup || job.store[made].call.combiner == Combiner::resized) {
    made = job.store[made].call.datatypes.front();
  }
  return !facts.uniform() || job.store[made].call.combiner == Combiner::structure;
}

struct Drawn {
  View view;
  Picture picture;
  std::string remark;
};

Drawn draw(const Job& job, TypeNumber number, std::optional<View> wanted, const Style& style) {
  const DefinitionId id = job.type(number).definition;
  if (wanted == View::rows || (!wanted && is_struct_like(job, id))) {
    return {View::rows, draw_rows(job, number, style), {}};
  }
  if (wanted == View::tree) {
    return {View::tree, draw_tree(job, number, style), {}};
  }
  if (wanted == View::grid || !wanted) {
    if (auto grid = draw_grid(job, number, style)) {
      return {View::grid, std::move(*grid), {}};
    }
    if (wanted) {
      return {View::runs, draw_runs(job, number, style), "no grid: its blocks do not stand in rows of a common pitch"};
    }
  }
  if (!wanted && job.layouts.facts(id).blocks <= Exact(1)) {
    return {View::rows, draw_rows(job, number, style), {}};
  }
  return {View::runs, draw_runs(job, number, style), {}};
}

}  // namespace

std::string_view text_of(View view) {
  switch (view) {
    case View::rows:
      return "rows";
    case View::grid:
      return "grid";
    case View::runs:
      return "runs";
    case View::tree:
      return "tree";
  }
  return "";
}

std::optional<View> view_of_text(std::string_view text) {
  for (const View view : {View::rows, View::grid, View::runs, View::tree}) {
    if (text_of(view) == text) {
      return view;
    }
  }
  return std::nullopt;
}

std::string picture_of(const Job& job, TypeNumber number, std::optional<View> wanted, const Style& style) {
  const Drawn drawn = draw(job, number, wanted, style);
  const Exact entries = job.layouts.facts(job.type(number).definition).entries;
  std::string heading = "view: " + std::string(text_of(drawn.view)) + (wanted ? "" : " (chosen)");
  heading += drawn.remark.empty() ? "" : "; " + drawn.remark;
  heading += drawn.picture.hidden == Exact(0)
                 ? "; hides none of " + counted(entries, "entry", "entries")
                 : "; hides " + grouped(drawn.picture.hidden) + " of " + counted(entries, "entry", "entries");
  std::string text = style(Role::heading, heading) + "\n";
  if (!drawn.picture.legend.empty()) {
    text += drawn.picture.legend + "\n";
  }
  return text + drawn.picture.text;
}

}  // namespace ddtscope::reporters
