#include "reporters/json/json_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

namespace ddtscope::reporters {
namespace {

/// Looks at all characters, in a loop that has no branches and is done for many at once.
bool needs_no_escapes(std::string_view text) {
  unsigned escapes = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    escapes |= static_cast<unsigned>(byte < 0x20) | static_cast<unsigned>(byte >= 0x7f) |
               static_cast<unsigned>(byte == '"') | static_cast<unsigned>(byte == '\\');
  }
  return escapes == 0;
}

char* copied(char* at, std::string_view text) { return at + text.copy(at, text.size()); }

}  // namespace

JsonText JsonText::behind_an_element() const {
  JsonText next(base_);
  next.depth_of_lines_ = depth_of_lines_;
  next.levels_ = levels_;
  next.levels_.back().is_empty = false;
  return next;
}

void JsonText::grow(std::size_t length) { text_.resize(std::max(used_ + length, 2 * text_.size())); }

inline char* JsonText::room_for(std::size_t length) {
  if (text_.size() - used_ < length) grow(length);
  return text_.data() + used_;
}

inline void JsonText::end_at(const char* end) { used_ = static_cast<std::size_t>(end - text_.data()); }

char* JsonText::begin_value(std::size_t length) {
  if (has_key_) {
    has_key_ = false;
    return room_for(length);
  }
  if (levels_.empty()) return room_for(length);
  Level& level = levels_.back();
  const std::size_t margin = indent();
  char* at = room_for(length + margin + 2);
  if (!level.is_empty) *at++ = ',';
  level.is_empty = false;
  return level.shape == Shape::row ? at : begin_line(at, margin);
}

inline char* JsonText::begin_line(char* at, std::size_t margin) {
  *at++ = '\n';
  std::memset(at, ' ', margin);
  return at + margin;
}

JsonText& JsonText::open(char bracket, Shape shape) {
  char* const at = begin_value(1);
  *at = bracket;
  end_at(at + 1);
  levels_.push_back({shape});
  if (shape == Shape::lines) ++depth_of_lines_;
  return *this;
}

JsonText& JsonText::shut(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.shape == Shape::lines) --depth_of_lines_;
  char* at = room_for(indent() + 2);
  if (level.shape == Shape::lines && !level.is_empty) at = begin_line(at, indent());
  *at++ = bracket;
  end_at(at);
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  char* at = begin_value(name.size() + 4);
  *at++ = '"';
  at = copied(at, name);
  end_at(copied(at, "\": "));
  has_key_ = true;
  return *this;
}

JsonText& JsonText::raw(std::string_view json) {
  end_at(copied(begin_value(json.size()), json));
  return *this;
}

JsonText& JsonText::string(std::string_view value) {
  if (!needs_no_escapes(value)) return this->value(Json(value));
  char* at = begin_value(value.size() + 2);
  *at++ = '"';
  at = copied(at, value);
  *at++ = '"';
  end_at(at);
  return *this;
}

JsonText& JsonText::integer(std::int64_t value) {
  if (!is_exact_in_json(value)) return string(std::to_string(value));
  constexpr std::size_t most_digits = 20;
  char* const at = begin_value(most_digits);
  end_at(std::to_chars(at, at + most_digits, value).ptr);
  return *this;
}

JsonText& JsonText::count(std::uint64_t value) {
  const auto narrow = static_cast<std::int64_t>(value);
  return narrow >= 0 ? integer(narrow) : string(std::to_string(value));
}

JsonText& JsonText::exact(Exact value) {
  if (!value.fits()) return null();
  const auto narrow = value.to_int64();
  return narrow ? integer(*narrow) : string(value.to_string());
}

std::string JsonText::take() {
  text_.resize(used_);
  used_ = 0;
  return std::exchange(text_, {});
}

void JsonText::flush_to(std::ostream& out) {
  if (used_ < worth_a_write) return;
  out << text();
  used_ = 0;
}

void JsonText::end_document(std::ostream& out) {
  out << text() << '\n';
  used_ = 0;
}

JsonText& JsonText::strings(const std::vector<std::string>& values) {
  begin_row();
  for (const std::string& value : values) string(value);
  return end_row();
}

JsonText& JsonText::value(const Json& value) {
  std::ostringstream text;
  write_json_at(text, value, indent());
  return raw(text.str());
}

}  // namespace ddtscope::reporters
