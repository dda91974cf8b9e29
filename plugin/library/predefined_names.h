// The names in a library's table of its predefined types.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

namespace ddtscope::plugin {

/// Of the rows of an array, each with a member `name`.
template <const auto& rows>
std::span<const std::string_view> names_in() {
  static const auto names = [] {
    std::array<std::string_view, std::size(rows)> result;
    std::transform(std::begin(rows), std::end(rows), result.begin(), [](const auto& row) { return row.name; });
    return result;
  }();
  return names;
}

}  // namespace ddtscope::plugin
