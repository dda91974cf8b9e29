// What was done with types: a line for each use, or sums.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "reporters/model/uses.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

constexpr std::size_t moved_limit = 5;

/// "3.1 MB"
std::string bytes_text(Exact bytes) {
  if (!bytes.fits()) return "an unknown number of bytes";
  const auto value = static_cast<double>(bytes.value());
  constexpr std::array<const char*, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  double scaled = value;
  while (scaled >= 999.95 && unit + 1 < units.size()) {
    scaled /= 1000;
    ++unit;
  }
  if (unit == 0) return grouped(bytes) + " B";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", scaled, units[unit]);
  return text.data();
}

std::string type_text(const Job& job, DefinitionId type) {
  const TypeNumber number = job.number_of(type);
  return number.valid() ? id_and_name(job, number) : job.name_of(type);
}

/// How an element lies in memory: "in 512 blocks of 8 B each".
std::string blocks_text(const Job& job, DefinitionId type) {
  const std::optional<std::int64_t> size = size_of_element(job, type);
  const Exact blocks = job.layouts.facts(type).blocks;
  if (!size || !blocks.fits() || *size == 0 || blocks <= Exact(1)) return "";
  const Int128 each = Exact(*size).value() / blocks.value();
  const bool is_even = each * blocks.value() == *size;
  return "in " + grouped(blocks) + " blocks of " + (is_even ? "" : "about ") + bytes_text(Exact(each)) + " each";
}

std::string counts_text(const trace::UseCounts& counts) {
  if (counts.smallest == counts.largest) return "count " + grouped(counts.largest);
  return "counts " + grouped(counts.smallest) + " to " + grouped(counts.largest);
}

}  // namespace

void report_uses(std::ostream& out, const TextContext& context, UsesBy by) {
  const Job& job = context.job;
  if (!std::any_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.uses; }) &&
      job.uses.empty()) {
    out << "No uses were recorded: the trace is of an older ddtscope, or DDTSCOPE_USES was off.\n";
    return;
  }
  if (job.uses.empty()) {
    out << "The program used no datatype in a call.\n";
    return;
  }
  std::vector<const TypeUse*> uses;
  for (const TypeUse& use : job.uses) uses.push_back(&use);
  if (by == UsesBy::calls) {
    std::stable_sort(uses.begin(), uses.end(),
                     [](const TypeUse* a, const TypeUse* b) { return a->counts.calls > b->counts.calls; });
  } else if (by == UsesBy::type || by == UsesBy::site) {
    // Together what is alike, in the order of what has most bytes.
    std::map<std::uint32_t, std::size_t> order;
    const auto group = [&](const TypeUse* use) {
      return by == UsesBy::type ? use->type.value : use->site ? use->site->value + 1 : 0;
    };
    for (const TypeUse* use : uses) order.try_emplace(group(use), order.size());
    std::stable_sort(uses.begin(), uses.end(),
                     [&](const TypeUse* a, const TypeUse* b) { return order[group(a)] < order[group(b)]; });
  }
  constexpr std::size_t columns = 7;
  std::vector<std::array<std::string, columns>> lines;
  lines.push_back({"type", "calls", "bytes", "", "called", "argument", "where"});
  for (const TypeUse* use : uses) {
    const std::string blocks = blocks_text(job, use->type);
    lines.push_back({type_text(job, use->type), grouped(use->counts.calls), bytes_text(bytes_of(job, *use)),
                     counts_text(use->counts) + (blocks.empty() ? "" : ", " + blocks), printable(use->called),
                     std::string(trace::name_of(use->parameter)), place_of(job, use->site, context.symbols)});
  }
  print_columns<columns>(lines,
                         {Align::left, Align::right, Align::right, Align::left, Align::left, Align::left, Align::none},
                         [&](std::size_t line, const std::string& text) {
                           out << (line == 0 ? context.style(Role::heading, text) : text) << "\n";
                         });
}

void report_moved_types(std::ostream& out, const TextContext& context) {
  const std::vector<MovedType> moved = moved_types(context.job);
  if (moved.empty()) return;
  Exact all(0);
  for (const MovedType& type : moved) all = all + type.bytes;
  out << "\n" << context.style(Role::heading, "Bytes moved by derived types") << ": " << bytes_text(all) << "\n";
  for (std::size_t i = 0; i < std::min(moved_limit, moved.size()); ++i) {
    const std::string blocks = blocks_text(context.job, moved[i].type);
    out << "  " << type_text(context.job, moved[i].type) << "  " << bytes_text(moved[i].bytes) << " in "
        << counted(moved[i].calls, "call", "calls") << (blocks.empty() ? "" : ", each element " + blocks) << "\n";
  }
  if (moved.size() > moved_limit) {
    out << "  ... and " << counted(static_cast<std::uint64_t>(moved.size() - moved_limit), "more type", "more types")
        << ": `ddtscope uses --by type` lists all\n";
  }
}

}  // namespace ddtscope
