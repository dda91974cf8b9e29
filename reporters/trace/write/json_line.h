// Builds one line of JSON fast: what is written while the job runs must not cost more than the write.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "decoder/base/exact.h"
#include "decoder/definition/definition.h"

namespace ddtscope::trace {

/// Outside of +-(2^53 - 1) integers are written as strings (RFC 7493).
inline constexpr std::int64_t largest_plain_integer = (std::int64_t{1} << 53) - 1;

/// One JSON object as text. The caller gives members in order; commas are set here.
class JsonLine {
 public:
  void clear() {
    length_ = 0;
    need_comma_ = false;
  }
  std::string_view text() const { return {data_.get(), length_}; }

  JsonLine& begin_object() { return open('{'); }
  JsonLine& end_object() { return shut('}'); }
  JsonLine& begin_array() { return open('['); }
  JsonLine& end_array() { return shut(']'); }
  /// `name` must need no escapes. In line: nearly all of a line is keys, whose lengths the compiler knows.
  JsonLine& key(std::string_view name) {
    char* at = quoted(room(name.size() + 4), name);
    *at++ = ':';
    length_ = static_cast<std::size_t>(at - data_.get());
    need_comma_ = false;
    return *this;
  }
  /// A string that needs no escapes: a word of ours or the standard's.
  JsonLine& word(std::string_view value) {
    length_ = static_cast<std::size_t>(quoted(room(value.size() + 3), value) - data_.get());
    need_comma_ = true;
    return *this;
  }
  JsonLine& string(std::string_view value);  // escaped; bytes that are not UTF-8 become U+FFFD
  JsonLine& integer(std::int64_t value);
  JsonLine& exact(Exact value);  // null where it does not fit
  JsonLine& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonLine& null() { return raw("null"); }
  /// Text that is JSON already.
  JsonLine& raw(std::string_view json);
  /// The values as an array in which a constant step over `shortest_run` values or more is written
  /// [first, step, n]. Opens no array: elements are appended to the one that is open.
  JsonLine& compact_elements(const IntegerArray& values);
  JsonLine& line_feed();

  static constexpr std::size_t shortest_run = 8;

 private:
  JsonLine& open(char bracket) {
    comma();
    *room(1) = bracket;
    ++length_;
    need_comma_ = false;
    return *this;
  }
  JsonLine& shut(char bracket) {
    *room(1) = bracket;
    ++length_;
    need_comma_ = true;
    return *this;
  }
  /// Behind a comma where one is needed; `at` has room. Where it ends.
  char* quoted(char* at, std::string_view text) const {
    if (need_comma_) *at++ = ',';
    *at++ = '"';
    std::memcpy(at, text.data(), text.size());
    at += text.size();
    *at++ = '"';
    return at;
  }
  void comma() {
    if (need_comma_) *room(1) = ',', ++length_;
    need_comma_ = true;
  }
  char* room(std::size_t bytes) {
    if (length_ + bytes > capacity_) grow(bytes);
    return data_.get() + length_;
  }
  void grow(std::size_t bytes);
  void append(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    length_ += text.size();
  }
  static constexpr std::size_t longest_integer = 23;  // sign, 19 digits, quotes
  static char* write_integer(char* at, std::int64_t value);
  void append_integer(std::int64_t value);
  template <class Integer>
  void append_singles(const Integer* values, std::size_t count);
  template <class Integer>
  void append_compact(const Integer* values, std::size_t count);

  std::unique_ptr<char[]> data_;
  std::size_t length_ = 0;
  std::size_t capacity_ = 0;
  bool need_comma_ = false;
};

}  // namespace ddtscope::trace
