// Pictures of a type's memory. Each one says which view it is and how many entries it hides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "decoder/base/exact.h"
#include "reporters/model/array_coverage.h"
#include "reporters/model/job.h"
#include "reporters/report/report_format.h"
#include "reporters/text/style.h"

namespace ddtscope::reporters {

std::string_view text_of(View view);
std::optional<View> view_of_text(std::string_view text);

struct Picture {
  std::string text;    // lines, each with its line feed
  std::string legend;  // what a mark is; may be empty
  Exact hidden = 0;    // entries that are not drawn
};

/// Members in the order of memory, with offsets, holes and bounds.
Picture draw_rows(const Job& job, TypeNumber number, const Style& style);
/// Cells of rows that stand one pitch apart; empty where the type's blocks have no common pitch.
std::optional<Picture> draw_grid(const Job& job, TypeNumber number, const Style& style);
/// Strided runs in the typemap's order.
Picture draw_runs(const Job& job, TypeNumber number, const Style& style);
/// The nested constructor calls.
Picture draw_tree(const Job& job, TypeNumber number, const Style& style);

/// The picture under a heading that names the view, with what it hides. Without `wanted` the view that
/// suits the type is chosen: rows for struct-like types, a grid where there is a pitch, else runs.
std::string picture_of(const Job& job, TypeNumber number, std::optional<View> wanted, const Style& style);

/// How many parts of `part` a length has, the last of which may be shorter.
constexpr std::int64_t parts_of(std::int64_t length, std::int64_t part) { return (length + part - 1) / part; }

/// Elements of the user's array, with how often they are touched; `copies` says by what.
std::string picture_in_array(const ArrayCoverage& coverage, const UserArray& array, const std::string& copies,
                             const Style& style);

}  // namespace ddtscope::reporters
