// A table of all definitions, a line each.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/coverage/overlap.h"
#include "reporters/model/layout_groups.h"
#include "reporters/model/ordered_parallel_for.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
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
  const Counters total = job.instances.total(type.number);
  const bool is_whole = job.instances.are_all_counted(type.number);
  const ObservedBounds bounds = job.observed(type);
  cells[id] = text_of(type.number);
  cells[instances] = made_text(total.created + total.adopted, is_whole);
  cells[alive] = live_text(live(total, job.store[type.definition].call.combiner), is_whole);
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

/// The table, in two passes over pieces of the types: the first finds how wide it is, the second prints it. What took
/// the layouts to find out is kept between them as it will stand there.
class TypesTable {
 public:
  TypesTable(const Job& job, TypesOrder order)
      : job_(job), numbers_(ordered_types(job, order)), seen_(pieces_of(numbers_.size(), types_of_a_piece)) {
    whole_.widen(heading);
  }

  void measure() {
    ordered_parallel_for(
        seen_.size(), [&](std::size_t lane, std::size_t piece) { return see(layouts_[lane], piece); },
        [&](std::size_t piece, Seen&& result) {
          seen_[piece] = std::move(result.text);
          whole_.widen(result.widths);
        });
  }
  void print(std::ostream& out, const Style& style) const {
    std::string first_line;
    whole_.add_line(first_line, heading);
    out << style(Role::heading, first_line) << "\n";
    ordered_parallel_for(
        seen_.size(), [&](std::size_t, std::size_t piece) { return lines_of(piece); },
        [&](std::size_t, const std::string& text) { out << text; });
  }

 private:
  inline static const Table::Cells heading{
      "id",      "instances",         "live", "size", "extent", "true extent", "blocks", "of bytes", "holes",
      "overlap", "constructor, names"};
  struct Seen {
    std::string text;  // of each type: blocks, of_bytes, holes, overlap, a line feed after each
    Table widths = table();
  };

  std::span<const TypeNumber> types_of(std::size_t piece) const {
    return piece_of(std::span(numbers_), piece, types_of_a_piece);
  }
  Seen see(Layouts& layouts, std::size_t piece) const {
    Seen result;
    Table::Cells cells;
    for (const TypeNumber number : types_of(piece)) {
      const JobType& type = job_.type(number);
      see_layout(layouts, type.definition, cells);
      see_counters(job_, type, cells);
      result.widths.widen(cells);
      for (const Column column : of_layout) result.text += cells[column] + '\n';
      layouts.make_room(layout_memory);
    }
    result.text.shrink_to_fit();
    return result;
  }
  std::string lines_of(std::size_t piece) const {
    std::string text;
    Table::Cells cells;
    std::string_view rest = seen_[piece];
    const auto next = [&] {
      const std::size_t length = rest.find('\n');
      const std::string_view cell = rest.substr(0, length);
      rest.remove_prefix(length + 1);
      return cell;
    };
    for (const TypeNumber number : types_of(piece)) {
      const JobType& type = job_.type(number);
      see_counters(job_, type, cells);
      for (const Column column : of_layout) cells[column] = next();
      const std::string names = names_of(job_, type);
      cells[call] = call_of(job_, type.number) + (names.empty() ? "" : "  \"" + names + "\"");
      whole_.add_line(text, cells);
      text += '\n';
    }
    return text;
  }

  const Job& job_;
  const std::vector<TypeNumber> numbers_;
  std::vector<std::string> seen_;  // by piece
  Table whole_ = table();
  std::array<Layouts, lanes> layouts_{Layouts(job_.store, job_.observed_bounds),
                                      Layouts(job_.store, job_.observed_bounds)};
};

}  // namespace

void report_types(std::ostream& out, const TextContext& context, TypesOrder order) {
  if (context.job.types.empty()) {
    out << "The program made no derived datatype.\n";
    return;
  }
  TypesTable table(context.job, order);
  table.measure();
  table.print(out, context.style);
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

}  // namespace ddtscope::reporters
