// What was done with types: a line for what reads alike, or sums by type or call site.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "reporters/model/uses.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t moved_limit = 5;

/// How an element lies in memory: "in 512 blocks of 8 B each".
std::string blocks_text(const Job& job, DefinitionId type) {
  const std::optional<std::int64_t> size = size_of_element(job, type);
  const Exact blocks = job.layouts.facts(type).blocks;
  if (!size || !blocks.fits() || *size == 0 || blocks <= Exact(1)) return "";
  const Int128 each = Exact(*size).value() / blocks.value();
  const bool is_even = each * blocks.value() == *size;
  return "in " + grouped(blocks) + " blocks of " + (is_even ? "" : "about ") + bytes_in_words(Exact(each)) + " each";
}

std::string counts_text(const trace::UseCounts& counts) {
  if (counts.smallest == counts.largest) return "count " + grouped(counts.largest);
  return "counts " + grouped(counts.smallest) + " to " + grouped(counts.largest);
}

/// Each text once, in the order in which they came first.
class DistinctTexts {
 public:
  void add(const std::string& text) {
    if (known_.insert(text).second) all_.push_back(text);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;
};

/// Uses that are told in one line: those that read alike, or all of one type or call site.
struct UsesRow {
  DistinctTexts types, called, arguments, places;  // of what has most bytes first
  std::string blocks;
  trace::UseCounts counts = {};
  Exact bytes = Exact(0);
  // Of those whose received bytes a status told.
  Exact posted = Exact(0), received = Exact(0);
};

void add_to(UsesRow& row, const Job& job, const TypeUse& use) {
  const bool is_first = row.types.all().empty();
  row.counts.smallest = is_first ? use.counts.smallest : std::min(row.counts.smallest, use.counts.smallest);
  row.counts.largest = std::max(row.counts.largest, use.counts.largest);
  row.counts.calls += use.counts.calls;
  row.bytes = row.bytes + bytes_of(job, use);
  if (use.counts.received) {
    row.posted = row.posted + bytes_of(job, use);
    row.received = row.received + Exact(static_cast<Int128>(*use.counts.received));
  }
  if (is_first) row.blocks = blocks_text(job, use.type);
  row.types.add(type_in_words(job, use.type));
  row.called.add(printable(use.called));
  row.arguments.add(std::string(trace::name_of(use.parameter)));
}

/// Of receives that were posted for more than came: ", 1.2 kB received".
std::string received_text(const UsesRow& row) {
  const bool is_all = row.received == row.posted;
  return is_all ? "" : ", " + bytes_in_words(row.received) + " received";
}

bool has_more_bytes(const UsesRow& a, const UsesRow& b) {
  // A sum that is not known may be any.
  if (!a.bytes.fits() || !b.bytes.fits()) return !a.bytes.fits() && b.bytes.fits();
  return b.bytes < a.bytes;
}

std::vector<UsesRow> rows_of(const TextContext& context, const UsesQuery& query) {
  std::vector<UsesRow> rows;
  std::map<std::array<std::string, 4>, std::size_t> known;
  std::map<std::optional<FrameIndex>, std::string> places;
  for (const TypeUse* use : selected_uses(context.job, query, context.symbols)) {
    const auto [place, is_new_place] = places.try_emplace(use->site);
    if (is_new_place) place->second = place_of(context.job, use->site, context.symbols);
    std::array<std::string, 4> key{type_in_words(context.job, use->type), std::string(use->called),
                                   std::string(trace::name_of(use->parameter)), place->second};
    if (query.by == UsesBy::type) key = {key[0]};
    if (query.by == UsesBy::site) key = {place->second};
    const auto [found, is_new] = known.try_emplace(std::move(key), rows.size());
    if (is_new) rows.emplace_back();
    add_to(rows[found->second], context.job, *use);
    rows[found->second].places.add(place->second);
  }
  if (query.by == UsesBy::calls) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const UsesRow& a, const UsesRow& b) { return a.counts.calls > b.counts.calls; });
  } else {
    std::stable_sort(rows.begin(), rows.end(), has_more_bytes);
  }
  return rows;
}

std::string listed_in_part(const std::vector<std::string>& texts) { return some_listed(texts, texts.size()); }

std::string places_text(const std::vector<std::string>& places) {
  if (places.size() == 1) return places[0];
  return places[0] + " and at " + counted(std::uint64_t{places.size() - 1}, "other call site", "other call sites");
}

/// A line for each kind of use, as it is asked for.
void print_uses(std::ostream& out, const TextContext& context, const UsesQuery& query) {
  const std::vector<UsesRow> rows = rows_of(context, query);
  if (rows.empty()) {
    out << "No type, function, argument or call site is \"" << printable(query.filter) << "\".\n";
    return;
  }
  constexpr std::size_t columns = 7;
  std::vector<std::array<std::string, columns>> lines;
  lines.push_back({"type", "calls", "bytes", "", "called", "argument", "where"});
  for (const UsesRow& row : rows) {
    const bool has_blocks = row.types.all().size() == 1 && !row.blocks.empty();
    lines.push_back({listed_in_part(row.types.all()), grouped(row.counts.calls), bytes_in_words(row.bytes),
                     counts_text(row.counts) + received_text(row) + (has_blocks ? ", " + row.blocks : ""),
                     listed_in_part(row.called.all()), listed_in_part(row.arguments.all()),
                     places_text(row.places.all())});
  }
  print_table<columns>(out, context.style, lines,
                       {Align::left, Align::right, Align::right, Align::left, Align::left, Align::left, Align::none});
}

}  // namespace

void report_uses(std::ostream& out, const TextContext& context, const UsesQuery& query) {
  if (is_of_messages(query.by)) {
    report_traffic(out, context, query);
    return;
  }
  if (query.by == UsesBy::file) {
    report_files(out, context, query);
    return;
  }
  if (query.by == UsesBy::window) {
    report_windows(out, context, query);
    return;
  }
  const Job& job = context.job;
  if (!std::any_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.uses; }) &&
      job.uses.empty()) {
    out << "No uses were recorded: "
        << (is_switched_off(job, "DDTSCOPE_USES")
                ? "DDTSCOPE_USES was off"
                : "this is of a process's memory or of an older ddtscope, or DDTSCOPE_USES was off")
        << ".\n";
    return;
  }
  if (job.uses.empty()) {
    out << "The program used no datatype in a call" << (uses_are_recorded(job) ? "" : " that was recorded") << ".\n";
  } else {
    print_uses(out, context, query);
  }
  report_switches(out, context);
  report_unrecorded_uses(out, context);
}

void report_moved_types(std::ostream& out, const TextContext& context) {
  const std::vector<MovedType> moved = moved_types(context.job);
  if (moved.empty()) return;
  Exact all(0);
  for (const MovedType& type : moved) all = all + type.bytes;
  out << "\n" << context.style(Role::heading, "Bytes moved by derived types") << ": " << bytes_in_words(all) << "\n";
  for (std::size_t i = 0; i < std::min(moved_limit, moved.size()); ++i) {
    const std::string blocks = blocks_text(context.job, moved[i].type);
    out << "  " << type_in_words(context.job, moved[i].type) << "  " << bytes_in_words(moved[i].bytes) << " in "
        << counted(moved[i].calls, "call", "calls") << (blocks.empty() ? "" : ", each element " + blocks) << "\n";
  }
  if (moved.size() > moved_limit) {
    out << "  ... and " << counted(static_cast<std::uint64_t>(moved.size() - moved_limit), "more type", "more types")
        << ": `ddtscope uses --by type` lists all\n";
  }
}

}  // namespace ddtscope::reporters
