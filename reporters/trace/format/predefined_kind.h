// How the trace calls the kinds of predefined datatypes.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "decoder/definition/basic_type.h"

namespace ddtscope::trace {

inline constexpr std::array predefined_kinds = {
    std::pair(PredefinedKind::basic, std::string_view("basic")),
    std::pair(PredefinedKind::pair, std::string_view("pair")),
    std::pair(PredefinedKind::lb_marker, std::string_view("lb_marker")),
    std::pair(PredefinedKind::ub_marker, std::string_view("ub_marker")),
};

constexpr std::string_view name_of(PredefinedKind kind) {
  for (const auto& [known, name] : predefined_kinds) {
    if (known == kind) return name;
  }
  return {};
}

constexpr std::optional<PredefinedKind> predefined_kind_of_name(std::string_view name) {
  for (const auto& [kind, known] : predefined_kinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

}  // namespace ddtscope::trace
