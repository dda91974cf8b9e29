// A place in a text that is read from left to right, blanks between words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ddtscope {

inline std::string in_upper_case(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return upper;
}
inline bool is_same_in_any_case(std::string_view a, std::string_view b) { return in_upper_case(a) == in_upper_case(b); }

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  /// Of the next character that is no blank; the text's length at its end.
  std::size_t place() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_;
  }
  bool at_end() { return place() == text_.size(); }
  bool starts_with(std::string_view wanted) { return text_.substr(place(), wanted.size()) == wanted; }
  bool take(std::string_view wanted) {
    if (!starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  /// A name; empty where none begins here.
  std::string_view word() {
    place();
    return letters_here();
  }
  /// The same, without a blank before it.
  std::string_view letters_here() {
    const std::size_t begin = at_;
    if (begin < text_.size() && is_letter(text_[begin])) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::string_view rest() { return text_.substr(place()); }
  /// No farther than to the end.
  void skip(std::size_t characters) { at_ = std::min(at_ + characters, text_.size()); }
  void go_to(std::size_t place) { at_ = place; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace ddtscope
