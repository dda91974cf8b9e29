// A table of all definitions, a line each.
#include <algorithm>
#include <array>
#include <vector>

#include "decoder/diagnosis.h"
#include "decoder/overlap.h"
#include "reporters/model/layout_groups.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

std::string holes_of(const Job& job, DefinitionId id) {
  const auto covered = bytes_covered(job.layouts, job.layouts.root(id));
  const LayoutFacts& facts = job.layouts.facts(id);
  return covered ? grouped(facts.true_ub - facts.true_lb - *covered) : "?";
}

std::string names_of(const Job& job, const JobType& type) {
  std::string text;
  for (const std::string& name : job.names(type.number)) {
    text += (text.empty() ? "" : ", ") + printable(name);
  }
  return text;
}

}  // namespace

void report_types(std::ostream& out, const ReportContext& context) {
  const Job& job = context.job;
  if (job.types.empty()) {
    out << "The program made no derived datatype.\n";
    return;
  }
  constexpr std::size_t width = 9;
  using Line = std::array<std::string, width>;
  const Line heading{"id",      "instances",         "live", "size", "extent", "true extent", "holes",
                     "overlap", "constructor, names"};
  std::vector<Line> lines{heading};
  for (const JobType& type : job.types) {
    const Counters total = job.instances.total(type.number);
    const ObservedBounds& bounds = job.observed(type);
    bool counted_all = true;
    for (const Instances& instances : job.instances.of(type.number)) {
      counted_all = counted_all && instances.counters.has_value();
    }
    const std::string names = names_of(job, type);
    lines.push_back({text_of(type.number), grouped(total.created + total.adopted) + (counted_all ? "" : "+?"),
                     counted_all ? grouped(Exact(live(total, job.store[type.definition].call.combiner))) : "?",
                     value_or_undefined(bounds.size), value_or_undefined(bounds.extent),
                     value_or_undefined(bounds.true_extent), holes_of(job, type.definition),
                     std::string(text_of(overlap_within(job.layouts, job.layouts.root(type.definition)))),
                     call_of(job, type.number) + (names.empty() ? "" : "  \"" + names + "\"")});
  }
  std::array<Align, width> alignment;
  alignment.fill(Align::right);
  alignment.front() = Align::left;
  alignment.back() = Align::none;
  print_columns(lines, alignment, [&](std::size_t at, const std::string& text) {
    out << (at == 0 ? context.style(Role::heading, text) : text) << "\n";
  });
}

void report_layout_groups(std::ostream& out, const ReportContext& context) {
  const Job& job = context.job;
  if (job.types.empty()) {
    out << "The program made no derived datatype.\n";
    return;
  }
  std::vector<LayoutGroup> groups = layout_groups(job);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const LayoutGroup& a, const LayoutGroup& b) { return a.types.size() > b.types.size(); });
  for (const LayoutGroup& group : groups) {
    const DefinitionId id = job.type(group.types.front()).definition;
    out << context.style(Role::heading,
                         counted(static_cast<std::uint64_t>(group.types.size()), "definition", "definitions") + " of " +
                             counted(job.layouts.facts(id).size, "byte", "bytes") + " in an extent of " +
                             grouped_or_undefined(group.extent))
        << (group.lb == Exact(0) ? "" : ", lower bound " + grouped_or_undefined(group.lb)) << "; layout "
        << (group.layout ? text_of(*group.layout) : std::string("unknown")) << "\n";
    for (const TypeNumber number : group.types) {
      const std::string names = names_of(job, job.type(number));
      out << "  " << padded_right(text_of(number), 6) << call_of(job, number)
          << (names.empty() ? "" : "  \"" + names + "\"") << "\n";
    }
  }
}

}  // namespace ddtscope
