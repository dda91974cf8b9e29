#include "reporters/trace/reduce/json_text.h"

#include <array>
#include <charconv>

#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::reduce {
namespace {

/// Behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const std::size_t quote = text.find('"', at + 1);
  if (quote == text.npos) return text.size() + 1;
  if (text[quote - 1] != '\\') return quote + 1;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

/// Whether a character is a quote or a bracket: numbers and what separates them, which most of an array is, cost one
/// look each.
constexpr std::array<bool, 256> is_mark = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '[', '{', ']', '}'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

/// Behind the array or object that begins at `at`.
std::size_t behind_nested(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (true) {
    while (at < text.size() && !is_mark[static_cast<unsigned char>(text[at])]) ++at;
    if (at >= text.size()) return at;
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    depth += c == '[' || c == '{' ? 1 : std::size_t(-1);
    ++at;
    if (depth == 0) return at;
  }
}

std::size_t behind_value(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',' || c == ']' || c == '}') return at;
    if (c == '"') return behind_string(text, at);
    if (c == '[' || c == '{') return behind_nested(text, at);
  }
  return at;
}

}  // namespace

JsonWalk::JsonWalk(std::string_view text) : text_(text), is_object_(text.starts_with('{')) {}

bool JsonWalk::next() {
  if (at_ < text_.size() && text_[at_] == ',') ++at_;
  if (at_ >= text_.size() || text_[at_] == ']' || text_[at_] == '}') return false;
  if (is_object_) {
    const std::size_t end = text_[at_] == '"' ? behind_string(text_, at_) : text_.size();
    if (end >= text_.size() || text_[end] != ':') return false;
    name_ = text_.substr(at_ + 1, end - at_ - 2);
    at_ = end + 1;
  }
  const std::size_t end = behind_value(text_, at_);
  if (end >= text_.size() || end == at_) return false;
  value_ = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool JsonWalk::next_integer(std::int64_t& value) {
  const std::size_t at = at_ < text_.size() && text_[at_] == ',' ? at_ + 1 : at_;
  if (is_object_ || at >= text_.size()) return false;
  const char* const last = text_.data() + text_.size();
  const auto [end, error] = std::from_chars(text_.data() + at, last, value);
  if (error != std::errc() || end == last || (*end != ',' && *end != ']')) return false;
  at_ = static_cast<std::size_t>(end - text_.data());
  value_ = text_.substr(at, at_ - at);
  return true;
}

std::string_view member_of(std::string_view object, std::string_view name) {
  for (JsonWalk walk(object); walk.next();) {
    if (walk.name() == name) return walk.value();
  }
  return {};
}

std::string_view record_of(std::string_view line) {
  const std::string_view kind = member_of(line, "record");
  return kind.size() < 2 ? kind : kind.substr(1, kind.size() - 2);
}

std::string text_of_string(std::string_view value) {
  std::string text;
  if (value.size() < 2) return text;
  value = value.substr(1, value.size() - 2);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) {
      ++i;
      unsigned code = 0;
      if (value[i] == 'u' && i + 4 < value.size() &&
          std::from_chars(value.data() + i + 1, value.data() + i + 5, code, 16).ec == std::errc() && code < 0x100) {
        if (code >= 0x80) text += static_cast<char>(0xc0 | (code >> 6));
        text += static_cast<char>(code < 0x80 ? code : 0x80 | (code & 0x3f));
        i += 4;
        continue;
      }
    }
    text += value[i];
  }
  return text;
}

std::uint64_t count_of(std::string_view value) {
  if (value.starts_with('"')) value.remove_prefix(1);
  std::uint64_t count = 0;
  std::from_chars(value.data(), value.data() + value.size(), count);
  return count;
}

std::optional<std::int64_t> integer_or_null_of(std::string_view value) {
  if (value.empty() || value == "null") return std::nullopt;
  if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
  return number_of_text<std::int64_t>(value).value_or(0);
}

}  // namespace ddtscope::reduce
