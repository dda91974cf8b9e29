// Types whose blocks stand in rows one pitch apart, as a matrix's memory cells.
#include <algorithm>
#include <numeric>
#include <vector>

#include "decoder/layout/typemap.h"
#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

constexpr std::size_t blocks_limit = 65536;
constexpr std::int64_t columns_limit = 32;
constexpr std::int64_t rows_limit = 32;
// Rows that are longer than any matrix's are told better as runs.
constexpr std::int64_t pitch_limit_bytes = std::int64_t{1} << 24;
// Bounds far from the data would shrink it to a mark.
constexpr std::int64_t bounds_rows_limit = 64;

struct Span {
  std::int64_t begin, end;
};

struct Pitch {
  std::int64_t bytes;
  std::int64_t origin;  // where some row begins
};

std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  const std::int64_t rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

/// The distance that all block starts, or all block ends, have as a divisor, with an origin that no block crosses.
std::optional<Pitch> pitch_of(const std::vector<Span>& spans, std::int64_t cell) {
  const auto try_edges = [&](std::int64_t Span::*edge) -> std::optional<Pitch> {
    std::int64_t distance = 0;
    for (const Span& span : spans) {
      distance = std::gcd(distance, span.*edge - spans.front().*edge);
    }
    if (distance < 2 * cell || distance % cell != 0 || distance > pitch_limit_bytes) {
      return std::nullopt;
    }
    for (const std::int64_t origin : {std::int64_t{0}, spans.front().*edge}) {
      const bool fits = std::all_of(spans.begin(), spans.end(), [&](const Span& span) {
        const std::int64_t row = floor_to(span.begin - origin, distance) + origin;
        return span.end <= row + distance;
      });
      if (fits) {
        return Pitch{distance, origin};
      }
    }
    return std::nullopt;
  };
  const auto by_begin = try_edges(&Span::begin);
  const auto by_end = try_edges(&Span::end);
  // Of a triangle only one edge is straight; along the other one each row is longer by the slope.
  if (by_begin && by_end) {
    return by_begin->bytes <= by_end->bytes ? by_begin : by_end;
  }
  return by_begin ? by_begin : by_end;
}

std::int64_t steps(std::int64_t length, std::int64_t limit) { return (length + limit - 1) / limit; }

}  // namespace

std::optional<Picture> draw_grid(const Job& job, TypeNumber number, const Style& style) {
  const DefinitionId id = job.type(number).definition;
  const LayoutFacts& facts = job.layouts.facts(id);
  if (!facts.uniform()) {
    return std::nullopt;
  }
  const std::int64_t cell = job.store.predefined()[facts.first_type].size;
  if (cell <= 0) {
    return std::nullopt;
  }
  BlockCursor cursor(job.layouts, job.layouts.root(id));
  std::vector<Span> spans;
  Exact drawn = 0;
  Block block;
  // Half of the 64 bits, so that distances cannot overflow.
  constexpr std::int64_t reach = std::int64_t{1} << 62;
  while (spans.size() < blocks_limit && cursor.next(block)) {
    const auto begin = block.displacement.to_int64();
    const auto end = (block.displacement + block.length).to_int64();
    if (!begin || !end || *begin < -reach || *end > reach) {
      return std::nullopt;
    }
    spans.push_back({*begin, *end});
    drawn += Exact((*end - *begin) / cell);
  }
  if (spans.size() < 2) {
    return std::nullopt;
  }
  const auto pitch = pitch_of(spans, cell);
  if (!pitch || (spans.front().begin - pitch->origin) % cell != 0) {
    return std::nullopt;
  }
  const auto [lowest, highest] =
      std::minmax_element(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  const auto row_at = [&](std::int64_t byte) { return floor_to(byte - pitch->origin, pitch->bytes) + pitch->origin; };
  std::int64_t first_row = row_at(lowest->begin);
  std::int64_t last_row = row_at(highest->begin);
  if (first_row == last_row) {
    return std::nullopt;
  }
  // The rows between the bounds belong to the picture: of a subarray they are the whole array.
  const auto lb = job.layouts.lb(id).to_int64();
  const auto ub = (job.layouts.lb(id) + job.layouts.extent(id)).to_int64();
  if (facts.entries == drawn && lb && ub && *lb < *ub && *lb >= -reach && *ub <= reach) {
    const std::int64_t first = std::min(first_row, row_at(*lb));
    const std::int64_t last = std::max(last_row, row_at(*ub - 1));
    if ((last - first) / pitch->bytes < bounds_rows_limit) {
      first_row = first;
      last_row = last;
    }
  }
  const std::int64_t row_count = (last_row - first_row) / pitch->bytes + 1;
  const std::int64_t column_count = pitch->bytes / cell;
  const std::int64_t rows_per_mark = steps(row_count, rows_limit);
  const std::int64_t columns_per_mark = steps(column_count, columns_limit);
  const auto lines = static_cast<std::size_t>(steps(row_count, rows_per_mark));
  const auto marks = static_cast<std::size_t>(steps(column_count, columns_per_mark));
  std::vector<std::vector<std::int64_t>> filled(lines, std::vector<std::int64_t>(marks));
  for (const Span& span : spans) {
    const std::int64_t row = (row_at(span.begin) - first_row) / pitch->bytes;
    const std::int64_t row_begin = first_row + row * pitch->bytes;
    std::int64_t column = (span.begin - row_begin) / cell;
    const std::int64_t column_end = (span.end - row_begin) / cell;
    while (column < column_end) {
      const std::int64_t mark = column / columns_per_mark;
      const std::int64_t next = std::min(column_end, (mark + 1) * columns_per_mark);
      filled[static_cast<std::size_t>(row / rows_per_mark)][static_cast<std::size_t>(mark)] += next - column;
      column = next;
    }
  }
  Picture picture;
  picture.hidden = facts.entries - drawn;
  const std::string basic = job.store.predefined()[facts.first_type].name;
  picture.legend = "  rows of " + counted(static_cast<std::uint64_t>(column_count), "cell", "cells") + " of " + basic +
                   ", " + counted(static_cast<std::uint64_t>(pitch->bytes), "byte", "bytes") +
                   " apart; # in the type, . not";
  if (rows_per_mark * columns_per_mark > 1) {
    picture.legend += "; each mark stands for " + std::to_string(rows_per_mark) + " x " +
                      std::to_string(columns_per_mark) + " cells, + some of them in the type";
  }
  for (std::size_t at = 0; at < lines; ++at) {
    const auto row = static_cast<std::int64_t>(at) * rows_per_mark;
    const std::int64_t rows_here = std::min(rows_per_mark, row_count - row);
    picture.text += "  " + padded_left(grouped(Exact(first_row) + Exact(row) * Exact(pitch->bytes)), 13) + "  ";
    for (std::size_t mark = 0; mark < marks; ++mark) {
      const std::int64_t cells =
          rows_here * std::min(columns_per_mark, column_count - static_cast<std::int64_t>(mark) * columns_per_mark);
      const std::int64_t in_type = filled[at][mark];
      picture.text += in_type == 0       ? style(Role::faint, ".")
                      : in_type >= cells ? style(Role::data, "#")
                                         : style(Role::data, "+");
      picture.text += mark + 1 < marks ? " " : "\n";
    }
  }
  return picture;
}

}  // namespace ddtscope
