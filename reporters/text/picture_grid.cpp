// Types whose blocks stand in rows one pitch apart, as a matrix's memory cells.
#include <algorithm>
#include <numeric>
#include <vector>

#include "decoder/base/exact.h"
#include "decoder/layout/typemap.h"
#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t blocks_limit = 65536;
constexpr std::int64_t grid_columns_limit = 32;
constexpr std::int64_t grid_rows_limit = 32;
// Rows that are longer than any matrix's are told better as runs.
constexpr std::int64_t pitch_limit_bytes = std::int64_t{1} << 24;
// Bounds far from the data would shrink it to a mark.
constexpr std::int64_t bounds_rows_limit = 64;

struct Stretch {
  std::int64_t begin, end;
};

struct Pitch {
  std::int64_t bytes;
  std::int64_t origin;  // where some row begins
};

std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  return static_cast<std::int64_t>(floor_quotient(value, unit) * unit);
}

/// The distance that all block starts, or all block ends, have as a divisor, with an origin that no block crosses.
std::optional<Pitch> pitch_of(const std::vector<Stretch>& spans, std::int64_t cell) {
  const auto try_edges = [&](std::int64_t Stretch::*edge) -> std::optional<Pitch> {
    std::int64_t distance = 0;
    for (const Stretch& span : spans) {
      distance = std::gcd(distance, span.*edge - spans.front().*edge);
    }
    if (distance < 2 * cell || distance % cell != 0 || distance > pitch_limit_bytes) {
      return std::nullopt;
    }
    for (const std::int64_t origin : {std::int64_t{0}, spans.front().*edge}) {
      const bool fits = std::all_of(spans.begin(), spans.end(), [&](const Stretch& span) {
        const std::int64_t row = floor_to(span.begin - origin, distance) + origin;
        return span.end <= row + distance;
      });
      if (fits) {
        return Pitch{distance, origin};
      }
    }
    return std::nullopt;
  };
  const auto by_begin = try_edges(&Stretch::begin);
  const auto by_end = try_edges(&Stretch::end);
  // Of a triangle only one edge is straight; along the other one each row is longer by the slope.
  if (by_begin && by_end) {
    return by_begin->bytes <= by_end->bytes ? by_begin : by_end;
  }
  return by_begin ? by_begin : by_end;
}

/// The blocks that are drawn, in the typemap's order.
struct Blocks {
  std::vector<Stretch> spans;
  Exact cells = 0;  // in all of them
};

// Half of the 64 bits, so that distances cannot overflow.
constexpr std::int64_t reach = std::int64_t{1} << 62;

std::optional<Blocks> blocks_of(const Job& job, DefinitionId id, std::int64_t cell) {
  BlockCursor cursor(job.layouts, job.layouts.root(id));
  Blocks blocks;
  Block block;
  while (blocks.spans.size() < blocks_limit && cursor.next(block)) {
    const auto begin = block.displacement.to_int64();
    const auto end = (block.displacement + block.length).to_int64();
    if (!begin || !end || *begin < -reach || *end > reach) {
      return std::nullopt;
    }
    blocks.spans.push_back({*begin, *end});
    blocks.cells += Exact((*end - *begin) / cell);
  }
  return blocks.spans.size() < 2 ? std::nullopt : std::optional(std::move(blocks));
}

/// Rows of cells, and which of them are drawn.
struct Grid {
  std::int64_t cell;  // bytes
  Pitch pitch;
  std::int64_t first_row, last_row;  // where they begin

  std::int64_t row_at(std::int64_t byte) const { return floor_to(byte - pitch.origin, pitch.bytes) + pitch.origin; }
  std::int64_t rows() const { return (last_row - first_row) / pitch.bytes + 1; }
  std::int64_t columns() const { return pitch.bytes / cell; }
};

std::optional<Grid> grid_of(const std::vector<Stretch>& spans, std::int64_t cell) {
  const auto pitch = pitch_of(spans, cell);
  if (!pitch || (spans.front().begin - pitch->origin) % cell != 0) {
    return std::nullopt;
  }
  const auto [lowest, highest] = std::minmax_element(
      spans.begin(), spans.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  Grid grid{cell, *pitch, 0, 0};
  grid.first_row = grid.row_at(lowest->begin);
  grid.last_row = grid.row_at(highest->begin);
  return grid.first_row == grid.last_row ? std::nullopt : std::optional(grid);
}

/// The rows between the bounds belong to the picture: of a subarray they are the whole array.
void widen_to_bounds(Grid& grid, const Job& job, DefinitionId id) {
  const auto lb = job.layouts.lb(id).to_int64();
  const auto ub = (job.layouts.lb(id) + job.layouts.extent(id)).to_int64();
  if (!lb || !ub || *lb >= *ub || *lb < -reach || *ub > reach) return;
  const std::int64_t first = std::min(grid.first_row, grid.row_at(*lb));
  const std::int64_t last = std::max(grid.last_row, grid.row_at(*ub - 1));
  if ((last - first) / grid.pitch.bytes >= bounds_rows_limit) return;
  grid.first_row = first;
  grid.last_row = last;
}

/// Where there are more cells than fit, a mark stands for several.
struct Marks {
  std::int64_t rows_per_mark, columns_per_mark;
  std::vector<std::vector<std::int64_t>> filled;  // how many of each mark's cells are in the type
};

Marks marks_of(const Grid& grid, const std::vector<Stretch>& spans) {
  Marks marks{parts_of(grid.rows(), grid_rows_limit), parts_of(grid.columns(), grid_columns_limit), {}};
  const auto lines = static_cast<std::size_t>(parts_of(grid.rows(), marks.rows_per_mark));
  const auto of_a_line = static_cast<std::size_t>(parts_of(grid.columns(), marks.columns_per_mark));
  marks.filled.assign(lines, std::vector<std::int64_t>(of_a_line));
  for (const Stretch& span : spans) {
    const std::int64_t row = (grid.row_at(span.begin) - grid.first_row) / grid.pitch.bytes;
    const std::int64_t row_begin = grid.first_row + row * grid.pitch.bytes;
    std::int64_t column = (span.begin - row_begin) / grid.cell;
    const std::int64_t column_end = (span.end - row_begin) / grid.cell;
    std::vector<std::int64_t>& line = marks.filled[static_cast<std::size_t>(row / marks.rows_per_mark)];
    while (column < column_end) {
      const std::int64_t mark = column / marks.columns_per_mark;
      const std::int64_t next = std::min(column_end, (mark + 1) * marks.columns_per_mark);
      line[static_cast<std::size_t>(mark)] += next - column;
      column = next;
    }
  }
  return marks;
}

std::string legend_of(const Grid& grid, const Marks& marks, const std::string& basic) {
  std::string legend = "  rows of " + counted(static_cast<std::uint64_t>(grid.columns()), "cell", "cells") + " of " +
                       basic + ", " + counted(static_cast<std::uint64_t>(grid.pitch.bytes), "byte", "bytes") +
                       " apart; # in the type, . not";
  if (marks.rows_per_mark * marks.columns_per_mark > 1) {
    legend += "; each mark stands for " + grouped(Exact(marks.rows_per_mark)) + " x " +
              grouped(Exact(marks.columns_per_mark)) + " cells, + some of them in the type";
  }
  return legend;
}

std::string text_of(const Grid& grid, const Marks& marks, const Style& style) {
  const auto offset_of = [&](std::int64_t row) {
    return grouped(Exact(grid.first_row) + Exact(row) * Exact(grid.pitch.bytes));
  };
  constexpr std::size_t offset_width = 13;
  const std::size_t width = std::max({offset_width, offset_of(0).size(), offset_of(grid.rows() - 1).size()});
  std::string text;
  for (std::size_t at = 0; at < marks.filled.size(); ++at) {
    const auto row = static_cast<std::int64_t>(at) * marks.rows_per_mark;
    const std::int64_t rows_here = std::min(marks.rows_per_mark, grid.rows() - row);
    text += "  " + padded_left(offset_of(row), width) + "  ";
    const std::vector<std::int64_t>& line = marks.filled[at];
    for (std::size_t mark = 0; mark < line.size(); ++mark) {
      const std::int64_t column = static_cast<std::int64_t>(mark) * marks.columns_per_mark;
      const std::int64_t cells = rows_here * std::min(marks.columns_per_mark, grid.columns() - column);
      text += line[mark] == 0       ? style(Role::faint, ".")
              : line[mark] >= cells ? style(Role::data, "#")
                                    : style(Role::data, "+");
      text += mark + 1 < line.size() ? " " : "\n";
    }
  }
  return text;
}

}  // namespace

std::optional<Picture> draw_grid(const Job& job, TypeNumber number, const Style& style) {
  const DefinitionId id = job.type(number).definition;
  const LayoutFacts& facts = job.layouts.facts(id);
  if (!facts.uniform()) {
    return std::nullopt;
  }
  const PredefinedType& basic = job.store.predefined()[facts.first_type];
  const auto blocks = basic.size > 0 ? blocks_of(job, id, basic.size) : std::nullopt;
  auto grid = blocks ? grid_of(blocks->spans, basic.size) : std::nullopt;
  if (!grid) {
    return std::nullopt;
  }
  if (facts.entries == blocks->cells) widen_to_bounds(*grid, job, id);
  const Marks marks = marks_of(*grid, blocks->spans);
  Picture picture;
  picture.hidden = facts.entries - blocks->cells;
  picture.legend = legend_of(*grid, marks, printable(basic.name));
  picture.text = text_of(*grid, marks, style);
  return picture;
}

}  // namespace ddtscope::reporters
