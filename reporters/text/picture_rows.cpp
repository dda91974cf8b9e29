// Struct-like types: one row for each member, in the order of memory.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decoder/layout/typemap.h"
#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t entries_limit = 65536;
constexpr std::size_t drawn_rows_limit = 64;

struct Row {
  Exact offset, bytes, count;
  PredefinedId type;
  std::size_t position;  // in the typemap's order of rows
};

/// Entries of one basic type that follow each other without a gap are one row.
std::vector<Row> rows_of(const Job& job, LayoutId root, Exact& read) {
  TypemapCursor cursor(job.layouts, root);
  std::vector<Row> rows;
  TypemapEntry entry;
  for (std::size_t i = 0; i < entries_limit && cursor.next(entry); ++i) {
    const Exact size = job.store.predefined()[entry.type].size;
    read += 1;
    if (!rows.empty() && rows.back().type == entry.type &&
        rows.back().offset + rows.back().bytes == entry.displacement) {
      rows.back().bytes += size;
      rows.back().count += 1;
    } else {
      rows.push_back({entry.displacement, size, 1, entry.type, rows.size()});
    }
  }
  return rows;
}

/// Draws a type's rows in the order of memory, with what lies between them, and its bounds where they are.
class RowDrawing {
 public:
  RowDrawing(const Job& job, DefinitionId id, const Style& style)
      : job_(job), style_(style), lb_(job.layouts.lb(id)), ub_(lb_ + job.layouts.extent(id)) {}

  void draw(const Row& row) {
    advance(row.offset);
    const bool again = end_ && row.offset < *end_;
    line(again ? Role::warning : Role::data, row.offset, grouped(row.bytes),
         (row.count == Exact(1) ? "" : grouped(row.count) + " x ") + printable(job_.store.predefined()[row.type].name) +
             (again ? "  (overlaps the bytes above)" : ""));
    const Exact row_end = row.offset + row.bytes;
    end_ = end_ ? max(*end_, row_end) : row_end;
  }
  /// All rows have been drawn.
  std::string whole() {
    draw_lb();
    if (!is_ub_drawn_ && end_ && *end_ < ub_) {
      line(Role::hole, *end_, grouped(ub_ - *end_), "(padding)");
    }
    draw_ub();
    return std::move(text_);
  }
  /// There are rows that have not been drawn.
  std::string cut() { return std::move(text_) + "  " + padded_left("...", 12) + "\n"; }

 private:
  /// The next row is at `to`.
  void advance(Exact to) {
    if (!is_lb_drawn_ && lb_ <= to) {
      step(lb_);
      draw_lb();
    }
    if (!is_ub_drawn_ && ub_ <= to && is_lb_drawn_) {
      step(ub_);
      draw_ub();
    }
    step(to);
  }
  void step(Exact next) {
    if (end_ && *end_ < next) line(Role::hole, *end_, grouped(next - *end_), "(hole)");
    end_ = end_ ? max(*end_, next) : next;
  }
  void draw_lb() {
    if (!std::exchange(is_lb_drawn_, true)) line(Role::faint, lb_, "", "lb");
  }
  void draw_ub() {
    if (!std::exchange(is_ub_drawn_, true)) line(Role::faint, ub_, "", "ub");
  }

  void line(Role role, Exact offset, const std::string& bytes, const std::string& what) {
    text_ += "  " + padded_left(grouped(offset), 12) + padded_left(bytes, 12) + "  " + style_(role, what) + "\n";
  }

  const Job& job_;
  const Style& style_;
  const Exact lb_, ub_;
  bool is_lb_drawn_ = false, is_ub_drawn_ = false;
  std::optional<Exact> end_;  // of the bytes seen so far: a hole lies between it and the next row or bound
  std::string text_ = "  " + padded_left("offset", 12) + padded_left("bytes", 12) + "  entries\n";
};

}  // namespace

Picture draw_rows(const Job& job, TypeNumber number, const Style& style) {
  const DefinitionId id = job.type(number).definition;
  Exact read = 0;
  std::vector<Row> rows = rows_of(job, job.layouts.root(id), read);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
  RowDrawing drawing(job, id, style);
  bool in_order = true;
  Exact drawn = 0;
  for (std::size_t i = 0; i < std::min(rows.size(), drawn_rows_limit); ++i) {
    in_order = in_order && rows[i].position == i;
    drawn += rows[i].count;
    drawing.draw(rows[i]);
  }
  Picture picture;
  picture.hidden = job.layouts.facts(id).entries - drawn;
  picture.text = picture.hidden == Exact(0) ? drawing.whole() : drawing.cut();
  if (!in_order) {
    picture.legend = "rows stand in the order of memory, which is not the typemap's";
  }
  return picture;
}

}  // namespace ddtscope::reporters
