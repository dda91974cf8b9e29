#include "reporters/json/json_text.h"

#include <charconv>
#include <sstream>

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

template <class Integer>
void append(std::string& text, Integer value) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  text.append(digits, static_cast<std::size_t>(end - digits));
}

}  // namespace

void JsonText::begin_value() {
  if (has_key_) {
    has_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.is_empty) text_ += ',';
  level.is_empty = false;
  if (level.shape == Shape::row) return;
  text_ += '\n';
  text_.append(indent(), ' ');
}

JsonText& JsonText::open(char bracket, Shape shape) {
  begin_value();
  text_ += bracket;
  levels_.push_back({shape});
  if (shape == Shape::lines) ++depth_of_lines_;
  return *this;
}

JsonText& JsonText::shut(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.shape == Shape::lines) {
    --depth_of_lines_;
    if (!level.is_empty) {
      text_ += '\n';
      text_.append(indent(), ' ');
    }
  }
  text_ += bracket;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  begin_value();
  text_ += '"';
  text_ += name;
  text_ += "\": ";
  has_key_ = true;
  return *this;
}

JsonText& JsonText::raw(std::string_view json) {
  begin_value();
  text_ += json;
  return *this;
}

JsonText& JsonText::string(std::string_view value) {
  if (!needs_no_escapes(value)) return this->value(Json(value));
  begin_value();
  text_ += '"';
  text_ += value;
  text_ += '"';
  return *this;
}

JsonText& JsonText::integer(std::int64_t value) {
  if (!is_exact_in_json(value)) return string(std::to_string(value));
  begin_value();
  append(text_, value);
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

void JsonText::flush_to(std::ostream& out) {
  if (text_.size() < worth_a_write) return;
  out << text_;
  text_.clear();
}

void JsonText::end_document(std::ostream& out) {
  out << text_ << '\n';
  text_.clear();
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
