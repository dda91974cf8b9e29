// Tables: cells under one another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "reporters/text/style.h"

namespace ddtscope::reporters {

enum class Align : std::uint8_t {
  left,
  right,
  none,  // for the last column: not padded
};

/// How wide the cells of each column are, and how they stand in it.
template <std::size_t n>
class Columns {
 public:
  using Cells = std::array<std::string, n>;  // printable texts

  explicit Columns(const std::array<Align, n>& alignment) : alignment_(alignment) {}

  void widen(const Cells& cells) {
    for (std::size_t i = 0; i < n; ++i) {
      if (alignment_[i] != Align::none) widths_[i] = std::max(widths_[i], columns(cells[i]));
    }
  }
  void widen(const Columns& others) {
    for (std::size_t i = 0; i < n; ++i) widths_[i] = std::max(widths_[i], others.widths_[i]);
  }
  /// Adds the line to the text, two blanks between the cells.
  void add_line(std::string& text, const Cells& cells) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (i != 0) text += "  ";
      const std::size_t padding = alignment_[i] == Align::none ? 0 : widths_[i] - columns(cells[i]);
      if (alignment_[i] == Align::right) text.append(padding, ' ');
      text += cells[i];
      if (alignment_[i] == Align::left) text.append(padding, ' ');
    }
  }

 private:
  std::array<Align, n> alignment_;
  std::array<std::size_t, n> widths_{};
};

/// Calls `print(number of the line, its text)` for each line: cells as wide as the widest of their column. Cells are
/// printable texts.
template <std::size_t n, class Print>
void print_columns(const std::vector<std::array<std::string, n>>& lines, const std::array<Align, n>& alignment,
                   const Print& print) {
  Columns<n> all(alignment);
  for (const auto& line : lines) all.widen(line);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::string text;
    all.add_line(text, lines[at]);
    print(at, text);
  }
}

/// The first line is a heading.
template <std::size_t n>
void print_table(std::ostream& out, const Style& style, const std::vector<std::array<std::string, n>>& lines,
                 const std::array<Align, n>& alignment) {
  print_columns<n>(lines, alignment, [&](std::size_t line, const std::string& text) {
    out << (line == 0 ? style(Role::heading, text) : text) << "\n";
  });
}

}  // namespace ddtscope::reporters
