// What may reach a terminal: colours where they are wanted, and never a control character of a trace.
#pragma once

#include <string>
#include <string_view>

namespace ddtscope::reporters {

enum class Colour : unsigned char { never, always };
enum class Role : unsigned char { heading, data, hole, warning, faint };

class Style {
 public:
  explicit Style(Colour colour) : colour_(colour) {}
  std::string operator()(Role role, std::string_view text) const;

 private:
  Colour colour_;
};

/// Control characters (C0, DEL, C1) and invalid UTF-8 as escapes such as \x1b.
std::string printable(std::string_view text);

/// Columns that a printable text takes: one for each code point.
std::size_t columns(std::string_view text);
/// A printable text of at most so many columns; "..." in its end says that it is cut.
std::string cut_to(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);
std::string padded_right(std::string_view text, std::size_t width);

}  // namespace ddtscope::reporters
