// A type in the array that the user has in mind: a wrong stride is a diagonal at one look.
#include <algorithm>
#include <vector>

#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::int64_t array_columns_limit = 48;
constexpr std::int64_t array_rows_limit = 48;

/// Elements that one mark stands for.
struct Mark {
  std::int64_t elements = 0, touched = 0, partly = 0;
  int most = 0;  // times that one of them is touched
};

std::string drawn(const Mark& mark, const Style& style) {
  if (mark.touched == 0) return style(Role::faint, ".");
  if (mark.most > 1) return style(Role::warning, mark.most > 9 ? "*" : std::to_string(mark.most));
  return style(Role::data, mark.partly != 0 || mark.touched < mark.elements ? "+" : "#");
}

class ArrayPicture {
 public:
  ArrayPicture(const ArrayCoverage& coverage, const UserArray& array, const Style& style)
      : coverage_(coverage),
        array_(array),
        style_(style),
        rows_per_mark_(parts_of(coverage.rows, array_rows_limit)),
        columns_per_mark_(parts_of(coverage.columns, array_columns_limit)) {}

  std::string legend() const {
    std::string text = "  # touched, . not, + in part";
    if (rows_per_mark_ * columns_per_mark_ > 1) {
      text += "; each mark stands for " + grouped(Exact(rows_per_mark_)) + " x " + grouped(Exact(columns_per_mark_)) +
              " elements, + some of them";
    }
    if (coverage_.touched_twice != 0) text += "; 2 to 9, * touched so often, or oftener";
    return text + "\n";
  }

  std::string lines() const {
    std::size_t width = 0;
    for (std::int64_t row = 0; row < coverage_.rows; row += rows_per_mark_) width = std::max(width, label(row).size());
    std::string text;
    if (columns_per_mark_ == 1) {  // the last digits of the columns
      text = "  " + std::string(width, ' ') + " ";
      for (std::int64_t column = 0; column < coverage_.columns; ++column) text += " " + std::to_string(column % 10);
      text += "\n";
    }
    for (std::int64_t row = 0; row < coverage_.rows; row += rows_per_mark_) {
      text += "  " + padded_right(label(row), width) + " ";
      for (std::int64_t column = 0; column < coverage_.columns; column += columns_per_mark_) {
        text += " " + drawn(mark_at(row, column), style_);
      }
      text += "\n";
    }
    return text;
  }

 private:
  std::string label(std::int64_t row) const { return "u" + indices_of(array_, row, std::nullopt); }

  Mark mark_at(std::int64_t first_row, std::int64_t first_column) const {
    Mark mark;
    for (std::int64_t row = first_row; row < std::min(first_row + rows_per_mark_, coverage_.rows); ++row) {
      const std::int64_t end = std::min(first_column + columns_per_mark_, coverage_.columns);
      for (std::int64_t column = first_column; column < end; ++column) {
        const auto element = static_cast<std::size_t>(row * coverage_.columns + column);
        const int times = coverage_.times[element];
        ++mark.elements;
        mark.touched += times != 0;
        mark.partly += coverage_.is_partly[element];
        mark.most = std::max(mark.most, times);
      }
    }
    return mark;
  }

  const ArrayCoverage& coverage_;
  const UserArray& array_;
  const Style& style_;
  std::int64_t rows_per_mark_, columns_per_mark_;
};

std::string heading_of(const ArrayCoverage& coverage, const UserArray& array, const std::string& copies) {
  std::string sizes;
  for (const std::int64_t size : array.sizes) sizes += "[" + std::to_string(size) + "]";
  std::string at;
  for (std::size_t i = 0; i < array.sizes.size(); ++i) {
    at += "[" + std::to_string(i < array.at.size() ? array.at[i] : 0) + "]";
  }
  return "view: array u" + sizes + " of " + printable(coverage.element) + ", " +
         counted(Exact(coverage.row_bytes), "byte", "bytes") + " a row; " + copies + " from u" + at + " on";
}

}  // namespace

std::string picture_in_array(const ArrayCoverage& coverage, const UserArray& array, const std::string& copies,
                             const Style& style) {
  const ArrayPicture picture(coverage, array, style);
  std::string text = style(Role::heading, heading_of(coverage, array, copies)) + "\n" + picture.legend() +
                     picture.lines() + counted(coverage.touched, "element is", "elements are") + " touched";
  if (coverage.touched_twice != 0) text += ", " + grouped(coverage.touched_twice) + " of them twice or oftener";
  if (coverage.partly != 0) {
    text += ", " + grouped(coverage.partly) + " of them in part, or by entries that do not stand on them";
  }
  text += ".\n";
  if (coverage.outside != 0) {
    text += style(Role::warning, counted(coverage.outside, "entry lies", "entries lie") + " outside of the elements") +
            ": the first at byte " + grouped(*coverage.first_outside) + " of the array.\n";
  }
  if (coverage.hidden > Exact(0)) {
    text += counted(coverage.hidden, "more entry was", "more entries were") + " not looked at.\n";
  }
  return text;
}

}  // namespace ddtscope::reporters
