// Text of JSON values.
#include "reporters/trace/write/json_line.h"

#include <algorithm>
#include <array>

namespace ddtscope::trace {
namespace {

/// Length of the UTF-8 sequence that starts at text[i], or 0 where it is none (RFC 3629).
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  if (length == 3 && ((lead == 0xE0 && byte(i + 1) < 0xA0) || (lead == 0xED && byte(i + 1) > 0x9F))) return 0;
  if (length == 4 && ((lead == 0xF0 && byte(i + 1) < 0x90) || (lead == 0xF4 && byte(i + 1) > 0x8F))) return 0;
  return length;
}

/// ASCII that needs no escape, as nearly all of a trace is.
constexpr bool stands_for_itself(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = stands_for_itself(static_cast<char>(i));
  return table;
}();

bool is_plain(char c) { return plain[static_cast<unsigned char>(c)]; }

/// "00" to "99".
constexpr std::array<char, 200> pairs_of_digits = [] {
  std::array<char, 200> table{};
  for (std::size_t i = 0; i < 100; ++i) {
    table[2 * i] = static_cast<char>('0' + i / 10);
    table[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

char* write_pair(char* at, std::uint32_t value) {
  std::memcpy(at, pairs_of_digits.data() + std::size_t{2} * value, 2);
  return at + 2;
}

}  // namespace

void JsonLine::grow(std::size_t bytes) {
  const std::size_t capacity = std::max<std::size_t>({4096, capacity_ * 2, length_ + bytes});
  std::unique_ptr<char[]> data(new char[capacity]);  // not zeroed
  if (length_ != 0) std::memcpy(data.get(), data_.get(), length_);
  data_ = std::move(data);
  capacity_ = capacity;
}

JsonLine& JsonLine::string(std::string_view value) {
  comma();
  append("\"");
  for (std::size_t i = 0; i < value.size();) {
    std::size_t end = i;
    while (end < value.size() && is_plain(value[end])) ++end;
    if (end != i) {
      append(value.substr(i, end - i));
      i = end;
      continue;
    }
    const std::size_t length = utf8_length(value, i);
    const char c = value[i];
    if (length == 0) {
      append("\xEF\xBF\xBD");
      ++i;
    } else if (c == '"' || c == '\\') {
      const char escaped[2] = {'\\', c};
      append({escaped, 2});
      ++i;
    } else if (const auto control = static_cast<unsigned char>(length == 1 ? c : value[i + 1]);
               (length == 1 && (control < 0x20 || control == 0x7F)) || (length == 2 && c == '\xC2' && control < 0xA0)) {
      // U+0080 to U+009F, too: a terminal that shows the file obeys them.
      constexpr char digits[] = "0123456789abcdef";
      const char escaped[6] = {'\\', 'u', '0', '0', digits[control >> 4], digits[control & 15]};
      append({escaped, 6});
      i += length;
    } else {
      append(value.substr(i, length));
      i += length;
    }
  }
  append("\"");
  return *this;
}

char* JsonLine::write_integer(char* at, std::int64_t value) {
  // Small numbers are most of what stands in argument arrays.
  if (const auto small = static_cast<std::uint64_t>(value); small < 10000) {
    const auto digits = static_cast<std::uint32_t>(small);
    if (digits >= 1000) return write_pair(write_pair(at, digits / 100), digits % 100);
    if (digits >= 100) {
      *at = static_cast<char>('0' + digits / 100);
      return write_pair(at + 1, digits % 100);
    }
    if (digits >= 10) return write_pair(at, digits);
    *at = static_cast<char>('0' + digits);
    return at + 1;
  }
  const bool quoted = value > largest_plain_integer || value < -largest_plain_integer;
  if (quoted) *at++ = '"';
  at = std::to_chars(at, at + 21, value).ptr;
  if (quoted) *at++ = '"';
  return at;
}

void JsonLine::append_integer(std::int64_t value) {
  char* begin = room(longest_integer);
  length_ += static_cast<std::size_t>(write_integer(begin, value) - begin);
}

JsonLine& JsonLine::integer(std::int64_t value) {
  comma();
  append_integer(value);
  return *this;
}

JsonLine& JsonLine::exact(Exact value) {
  if (!value.fits()) return null();
  if (const auto narrow = value.to_int64()) return integer(*narrow);
  return string(value.to_string());
}

JsonLine& JsonLine::raw(std::string_view json) {
  comma();
  append(json);
  return *this;
}

JsonLine& JsonLine::line_feed() {
  append("\n");
  return *this;
}

template <class Integer>
void JsonLine::append_singles(const Integer* values, std::size_t count) {
  char* begin = room(count * (longest_integer + 1));
  char* at = begin;
  for (std::size_t i = 0; i < count; ++i) {
    if (need_comma_) *at++ = ',';
    need_comma_ = true;
    at = write_integer(at, static_cast<std::int64_t>(values[i]));
  }
  length_ += static_cast<std::size_t>(at - begin);
}

template <class Integer>
void JsonLine::append_compact(const Integer* values, std::size_t count) {
  // Steps are compared as unsigned, where a difference that does not fit wraps alike on both sides.
  const auto step_at = [&](std::size_t i) {
    return static_cast<std::uint64_t>(values[i + 1]) - static_cast<std::uint64_t>(values[i]);
  };
  std::size_t begin = 0;  // values before it are written
  std::size_t i = 0;      // no run starts between begin and i
  while (i + shortest_run <= count) {
    // From the far end: where two steps differ, no run can hold both, and all starts before are ruled out.
    std::size_t k = i + shortest_run - 2;
    while (k > i && step_at(k) == step_at(k - 1)) --k;
    if (k > i) {
      i = k;
      continue;
    }
    std::int64_t step = 0;
    if (__builtin_sub_overflow(static_cast<std::int64_t>(values[i + 1]), static_cast<std::int64_t>(values[i]), &step)) {
      ++i;
      continue;
    }
    std::size_t run = shortest_run;
    while (i + run < count && step_at(i + run - 1) == step_at(i)) ++run;
    append_singles(values + begin, i - begin);
    comma();
    append("[");
    append_integer(static_cast<std::int64_t>(values[i]));
    append(",");
    append_integer(step);
    append(",");
    append_integer(static_cast<std::int64_t>(run));
    append("]");
    i += run;
    begin = i;
  }
  append_singles(values + begin, count - begin);
}

JsonLine& JsonLine::compact_elements(const IntegerArray& values) {
  if (values.width == 4) {
    append_compact(static_cast<const std::int32_t*>(values.data), values.length);
  } else {
    append_compact(static_cast<const std::int64_t*>(values.data), values.length);
  }
  return *this;
}

}  // namespace ddtscope::trace
