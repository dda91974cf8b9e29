// Struct-like types: one row for each member, in the order of memory.
#include <algorithm>
#include <vector>

#include "decoder/layout/typemap.h"
#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

constexpr std::size_t entries_limit = 65536;
constexpr std::size_t rows_limit = 64;

struct Row {
  Exact offset, bytes, count;
  PredefinedId type;
  std::size_t position;  // in the typemap's order of rows
};

std::string line(const Style& style, Role role, Exact offset, const std::string& bytes, const std::string& what) {
  return "  " + padded_left(grouped(offset), 12) + padded_left(bytes, 12) + "  " + style(role, what) + "\n";
}

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

}  // namespace

Picture draw_rows(const Job& job, TypeNumber number, const Style& style) {
  const DefinitionId id = job.type(number).definition;
  const Exact lb = job.layouts.lb(id);
  const Exact ub = lb + job.layouts.extent(id);
  Picture picture;
  Exact read = 0;
  std::vector<Row> rows = rows_of(job, job.layouts.root(id), read);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
  picture.text = "  " + padded_left("offset", 12) + padded_left("bytes", 12) + "  entries\n";

  const auto hole = [&](Exact from, Exact to) {
    if (from < to) {
      picture.text += line(style, Role::hole, from, grouped(to - from), "(hole)");
    }
  };
  bool lb_drawn = false;
  bool ub_drawn = false;
  const auto bound = [&](const char* name, Exact offset, bool& drawn) {
    if (!drawn) {
      picture.text += line(style, Role::faint, offset, "", name);
      drawn = true;
    }
  };
  // Where the bytes seen so far end; a hole is what lies between it and the next row or bound.
  std::optional<Exact> end;
  const auto advance = [&](Exact to) {
    const auto step = [&](Exact next) {
      if (end) {
        hole(*end, next);
      }
      end = end ? max(*end, next) : next;
    };
    if (!lb_drawn && lb <= to) {
      step(lb);
      bound("lb", lb, lb_drawn);
    }
    if (!ub_drawn && ub <= to && lb_drawn) {
      step(ub);
      bound("ub", ub, ub_drawn);
    }
    step(to);
  };
  bool in_order = true;
  std::size_t shown = 0;
  Exact drawn = 0;
  for (const Row& row : rows) {
    if (shown == rows_limit) {
      break;
    }
    in_order = in_order && row.position == shown;
    ++shown;
    drawn += row.count;
    advance(row.offset);
    const bool again = end && row.offset < *end;
    picture.text += line(style, again ? Role::warning : Role::data, row.offset, grouped(row.bytes),
                         (row.count == Exact(1) ? "" : grouped(row.count) + " x ") +
                             job.store.predefined()[row.type].name + (again ? "  (overlaps the bytes above)" : ""));
    const Exact row_end = row.offset + row.bytes;
    end = end ? max(*end, row_end) : row_end;
  }
  picture.hidden = job.layouts.facts(id).entries - drawn;
  if (picture.hidden == Exact(0)) {
    bound("lb", lb, lb_drawn);
    if (!ub_drawn && end && *end < ub) {
      picture.text += line(style, Role::hole, *end, grouped(ub - *end), "(padding)");
    }
    bound("ub", ub, ub_drawn);
  } else {
    picture.text += "  " + padded_left("...", 12) + "\n";
  }
  if (!in_order) {
    picture.legend = "rows stand in the order of memory, which is not the typemap's";
  }
  return picture;
}

}  // namespace ddtscope
