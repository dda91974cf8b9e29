// Tables: cells under one another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reporters/text/style.h"

namespace ddtscope {

enum class Align : std::uint8_t {
  left,
  right,
  none,  // for the last column: not padded
};

/// Calls `print(number of the line, its text)` for each line: cells as wide as the widest of their column, two blanks
/// between them. Cells are printable texts.
template <std::size_t n, class Print>
void print_columns(const std::vector<std::array<std::string, n>>& lines, const std::array<Align, n>& alignment,
                   const Print& print) {
  std::array<std::size_t, n> widths{};
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < n; ++i) widths[i] = std::max(widths[i], columns(line[i]));
  }
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string& cell = lines[at][i];
      if (i != 0) text += "  ";
      text += alignment[i] == Align::left    ? padded_right(cell, widths[i])
              : alignment[i] == Align::right ? padded_left(cell, widths[i])
                                             : cell;
    }
    print(at, text);
  }
}

}  // namespace ddtscope
