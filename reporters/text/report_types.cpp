// A table of all definitions, a line each.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/coverage/overlap.h"
#include "reporters/model/layout_groups.h"
#include "reporters/text/columns.h"
#include "reporters/text/ordered_parallel_for.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

// A thread's part at a time.
constexpr std::size_t types_of_a_piece = 2048;

enum Column : std::size_t {
  id,
  instances,
  alive,
  size,
  extent,
  true_extent,
  blocks,
  of_bytes,
  holes,
  overlap,
  call,
  all_columns
};
constexpr Column of_layout[] = {blocks, of_bytes, holes, overlap};
using Table = Columns<all_columns>;

Table table() {
  std::array<Align, all_columns> alignment;
  alignment.fill(Align::right);
  alignment[id] = Align::left;
  alignment[call] = Align::none;
  return Table(alignment);
}

/// "8", "10.7" where they are not alike, nothing where there is none.
std::string bytes_of_a_block(const LayoutFacts& facts) {
  if (!facts.size.fits() || !facts.blocks.fits() || facts.blocks == Exact(0)) return "";
  const Int128 tenths = facts.size.value() * 10 / facts.blocks.value();
  const std::string whole = grouped(Exact(tenths / 10));
  return tenths % 10 == 0 ? whole : whole + "." + std::to_string(static_cast<int>(tenths % 10));
}

/// What needs the type's layout.
void see_layout(const Layouts& layouts, DefinitionId type, Table::Cells& cells) {
  const LayoutFacts& facts = layouts.facts(type);
  const TouchedBytes touched = touched_bytes(layouts, layouts.root(type));
  cells[blocks] = grouped_or_undefined(facts.blocks);
  cells[of_bytes] = bytes_of_a_block(facts);
  cells[overlap] = text_of(touched.overlap);
  cells[holes] = touched.covered ? grouped(facts.true_extent() - *touched.covered) : "?";
}

/// The rest but for the constructor.
void see_counters(const Job& job, const JobType& type, Table::Cells& cells) {
  const Counters total = total_counters(job, type.number);
  const auto parts = job.instances.of(type.number);
  const bool counted_all =
      std::all_of(parts.begin(), parts.end(), [](const Instances& part) { return part.counters.has_value(); });
  const ObservedBounds bounds = job.observed(type);
  cells[id] = text_of(type.number);
  cells[instances] = grouped(total.created + total.adopted) + (counted_all ? "" : "+?");
  cells[alive] = counted_all ? grouped(Exact(live(total, job.store[type.definition].call.combiner))) : "?";
  cells[size] = value_or_undefined(bounds.size);
  cells[extent] = value_or_undefined(bounds.extent);
  cells[true_extent] = value_or_undefined(bounds.true_extent);
}

std::string names_of(const Job& job, const JobType& type) {
  std::string text;
  for (const std::string& name : job.names(type.number)) {
    text += (text.empty() ? "" : ", ") + printable(name);
  }
  return text;
}

}  // namespace

void report_types(std::ostream& out, const TextContext& context, TypesOrder order) {
  const Job& job = context.job;
  if (job.types.empty()) {
    out << "The program made no derived datatype.\n";
    return;
  }
  const Table::Cells heading{
      "id",      "instances",         "live", "size", "extent", "true extent", "blocks", "of bytes", "holes",
      "overlap", "constructor, names"};
  Table whole = table();
  whole.widen(heading);
  const std::vector<TypeNumber> numbers = ordered_types(job, order);
  const std::size_t pieces = (numbers.size() + types_of_a_piece - 1) / types_of_a_piece;
  const auto types_of = [&](std::size_t piece) {
    const std::span<const TypeNumber> all = numbers;
    const std::size_t first = piece * types_of_a_piece;
    return all.subspan(first, std::min(types_of_a_piece, all.size() - first));
  };

  // First the widths. What took the layouts to find out is kept as it will stand there.
  struct Seen {
    std::string text;  // of each type: blocks, of_bytes, holes, overlap, a line feed after each
    Table widths = table();
  };
  std::array<Layouts, lanes> layouts{Layouts(job.store, job.observed_bounds), Layouts(job.store, job.observed_bounds)};
  std::vector<std::string> seen(pieces);
  const auto see = [&](std::size_t lane, std::size_t piece) {
    Seen result;
    Table::Cells cells;
    for (const TypeNumber number : types_of(piece)) {
      const JobType& type = job.type(number);
      see_layout(layouts[lane], type.definition, cells);
      see_counters(job, type, cells);
      result.widths.widen(cells);
      for (const Column column : of_layout) result.text += cells[column] + '\n';
      layouts[lane].make_room(layout_memory);
    }
    result.text.shrink_to_fit();
    return result;
  };
  ordered_parallel_for(pieces, see, [&](std::size_t piece, Seen&& result) {
    seen[piece] = std::move(result.text);
    whole.widen(result.widths);
  });

  std::string first_line;
  whole.add_line(first_line, heading);
  out << context.style(Role::heading, first_line) << "\n";
  const auto lines = [&](std::size_t, std::size_t piece) {
    std::string text;
    Table::Cells cells;
    std::string_view rest = seen[piece];
    const auto next = [&] {
      const std::size_t length = rest.find('\n');
      const std::string_view cell = rest.substr(0, length);
      rest.remove_prefix(length + 1);
      return cell;
    };
    for (const TypeNumber number : types_of(piece)) {
      const JobType& type = job.type(number);
      see_counters(job, type, cells);
      for (const Column column : of_layout) cells[column] = next();
      const std::string names = names_of(job, type);
      cells[call] = call_of(job, type.number) + (names.empty() ? "" : "  \"" + names + "\"");
      whole.add_line(text, cells);
      text += '\n';
    }
    return text;
  };
  ordered_parallel_for(pieces, lines, [&](std::size_t, const std::string& text) { out << text; });
}

void report_layout_groups(std::ostream& out, const TextContext& context) {
  const Job& job = context.job;
  if (job.types.empty()) {
    out << "The program made no derived datatype.\n";
    return;
  }
  const LayoutGroups groups(job);
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return groups.types(a) > groups.types(b); });
  for (const std::uint32_t number_of_group : order) {
    const LayoutGroup group = groups[number_of_group];
    out << context.style(Role::heading,
                         counted(static_cast<std::uint64_t>(group.types.size()), "definition", "definitions") + " of " +
                             counted(group.size, "byte", "bytes") + " in an extent of " +
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
