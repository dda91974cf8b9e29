// Members of a line's JSON object, with their types checked: what is wrong is said in one clause.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::members {

/// A value of the line that is being read; it lives until the next line is parsed.
using Value = simdjson::dom::element;
using ValueType = simdjson::dom::element_type;

// A compact array says in 30 bytes that it has 10^18 elements: what is expanded must be bounded.
inline constexpr std::int64_t array_length_limit = std::int64_t{1} << 28;
// What all compact arrays of a file may have together: a gigabyte.
inline constexpr std::uint64_t expansion_limit = std::uint64_t{1} << 27;

struct LineError {
  std::string what;
};

/// Text from a trace may go to a terminal within a message.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t limit = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return result + (text.size() > limit ? "...\"" : "\"");
}

inline std::string kind_of(const Value& value) {
  switch (value.type()) {
    case ValueType::NULL_VALUE:
      return "null";
    case ValueType::OBJECT:
      return "an object";
    case ValueType::ARRAY:
      return "an array of " + std::to_string(simdjson::dom::array(value).size());
    case ValueType::STRING:
      return "the string " + in_quotes(std::string_view(value));
    case ValueType::BOOL:
      return bool(value) ? "true" : "false";
    case ValueType::DOUBLE:
      return "a fraction";
    case ValueType::INT64:
      return "the number " + std::to_string(std::int64_t(value));
    case ValueType::UINT64:
      return "the number " + std::to_string(std::uint64_t(value));
    default:  // simdjson 4 has one more, for numbers of more than 64 bits, which it makes where asked to
      break;
  }
  return "something else";
}

template <class Integer>
std::optional<Integer> to_integer(const Value& value) {
  Integer number = 0;
  if (value.get(number) == simdjson::SUCCESS) {
    return number;
  }
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    return number_of_text<Integer>(text);
  }
  return std::nullopt;
}

/// An integer as JSON, or as a decimal string where it is outside of +-(2^53 - 1).
inline std::optional<std::int64_t> to_int64(const Value& value) { return to_integer<std::int64_t>(value); }
inline std::optional<std::uint64_t> to_uint64(const Value& value) { return to_integer<std::uint64_t>(value); }

/// The members of one object of a line; what is missing or of the wrong type throws a LineError.
class Members {
 public:
  explicit Members(const Value& object, const char* path = "") : path_(path) {
    if (object.get(object_) != simdjson::SUCCESS) {
      throw LineError{std::string(path) + " must be an object, but is " + kind_of(object)};
    }
    next_ = object_.begin();
  }

  Value need(const char* name) const {
    // Mostly asked for in the order in which they stand there.
    const std::string_view wanted = name;
    const simdjson::dom::object::iterator begin = next_;
    for (; next_ != object_.end(); ++next_) {
      if (next_.key_equals(wanted)) return (next_++).value();
    }
    for (next_ = object_.begin(); next_ != begin; ++next_) {
      if (next_.key_equals(wanted)) return (next_++).value();
    }
    throw LineError{"member " + full(name) + " is missing"};
  }
  bool has(const char* name) const { return object_.at_key(name).error() == simdjson::SUCCESS; }
  [[noreturn]] void refuse(const char* name, const char* wanted) const {
    throw LineError{"member " + full(name) + " must be " + wanted + ", but is " + kind_of(need(name))};
  }

  /// Lives as long as the line.
  std::string_view text(const char* name) const {
    std::string_view text;
    if (need(name).get(text) != simdjson::SUCCESS) {
      refuse(name, "a string");
    }
    return text;
  }
  std::optional<std::string> text_or_null(const char* name) const {
    return need(name).is_null() ? std::nullopt : std::optional<std::string>(text(name));
  }
  bool flag(const char* name) const {
    bool flag = false;
    if (need(name).get(flag) != simdjson::SUCCESS) {
      refuse(name, "true or false");
    }
    return flag;
  }
  std::int64_t integer(const char* name) const {
    const auto value = to_int64(need(name));
    if (!value) {
      refuse(name, "an integer of 64 bits");
    }
    return *value;
  }
  std::optional<std::int64_t> integer_or_null(const char* name) const {
    return need(name).is_null() ? std::nullopt : std::optional<std::int64_t>(integer(name));
  }
  std::uint64_t count(const char* name) const {
    const auto value = to_uint64(need(name));
    if (!value) {
      refuse(name, "an integer that is not negative");
    }
    return *value;
  }
  std::int32_t integer32(const char* name) const {
    const std::int64_t value = integer(name);
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
      refuse(name, "an integer of 32 bits");
    }
    return static_cast<std::int32_t>(value);
  }
  simdjson::dom::array array(const char* name) const {
    simdjson::dom::array array;
    if (need(name).get(array) != simdjson::SUCCESS) {
      refuse(name, "an array");
    }
    return array;
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> texts;
    for (const Value element : array(name)) {
      std::string_view text;
      if (element.get(text) != simdjson::SUCCESS) {
        throw LineError{"member " + full(name) + " must hold strings, but holds " + kind_of(element)};
      }
      texts.emplace_back(text);
    }
    return texts;
  }
  Members object(const char* name) const { return Members(need(name), name); }

  /// The number of a record that stands above; `known` of them do.
  template <class Record>
  FileNumber<Record> number_of(const char* name, std::size_t known, const char* what) const {
    const std::uint64_t value = count(name);
    if (value >= known) {
      throw LineError{"member " + full(name) + " names " + what + " " + std::to_string(value) + ", but only " +
                      std::to_string(known) + " stand above this line"};
    }
    return {static_cast<std::uint32_t>(value)};
  }
  /// The number of a record that stands above, of which there are `known`; invalid where there is null.
  template <class Record>
  FileNumber<Record> number_or_null(const char* name, std::size_t known, const char* what) const {
    return need(name).is_null() ? FileNumber<Record>{} : number_of<Record>(name, known, what);
  }

  std::string full(const char* name) const {
    return *path_ == '\0' ? "\"" + std::string(name) + "\"" : std::string(path_) + "." + name;
  }

 private:
  simdjson::dom::object object_;
  mutable simdjson::dom::object::iterator next_;  // behind the member that was found last
  const char* path_;
};

/// The elements of a short array; empty where it has more or fewer.
template <std::size_t size>
std::optional<std::array<Value, size>> elements_of(const Value& value) {
  simdjson::dom::array array;
  std::array<Value, size> elements;
  std::size_t n = 0;
  if (value.get(array) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  for (const Value element : array) {
    if (n == size) {
      return std::nullopt;
    }
    elements[n++] = element;
  }
  return n == size ? std::optional(elements) : std::nullopt;
}

/// An array of the contents, and how many elements it has by the envelope.
struct ArrayMember {
  const char* name;
  std::uint64_t expected;
};

/// Fills `values` from an integer array, `[first, step, n]` within it expanded; `expansions` counts the values that
/// come of these.
inline void expand(const Members& contents, const ArrayMember& member, std::uint64_t& expansions,
                   std::vector<std::int64_t>& values) {
  const char* const name = member.name;
  const std::uint64_t expected = member.expected;
  values.clear();
  if (expected > static_cast<std::uint64_t>(array_length_limit)) {
    throw LineError{"member " + contents.full(name) + " has " + std::to_string(expected) +
                    " elements, more than the 2^28 that ddtscope reads"};
  }
  const auto wrong_length = [&](const std::string& found) {
    throw LineError{"member " + contents.full(name) + " must have " + std::to_string(expected) +
                    " elements, as the envelope says, but has " + found};
  };
  for (const Value element : contents.array(name)) {
    if (!element.is_array()) {
      const auto value = to_int64(element);
      if (!value) {
        throw LineError{"member " + contents.full(name) + " must hold integers, but holds " + kind_of(element)};
      }
      values.push_back(*value);
      continue;
    }
    const auto three = elements_of<3>(element);
    const auto first = three ? to_int64((*three)[0]) : std::nullopt;
    const auto step = three ? to_int64((*three)[1]) : std::nullopt;
    const std::int64_t length = three ? to_int64((*three)[2]).value_or(-1) : -1;
    if (!first || !step || length < 0) {
      throw LineError{"member " + contents.full(name) + " holds an array that is not [first, step, n]"};
    }
    if (static_cast<std::uint64_t>(length) > expected - std::min<std::uint64_t>(expected, values.size())) {
      wrong_length("more");
    }
    expansions += static_cast<std::uint64_t>(length);
    if (expansions > expansion_limit) {
      throw LineError{"member " + contents.full(name) +
                      " brings the values in compact arrays of this file beyond the 2^27 that ddtscope reads"};
    }
    std::int64_t value = *first;
    for (std::int64_t i = 0; i < length; ++i) {
      values.push_back(value);
      if (i + 1 < length && __builtin_add_overflow(value, *step, &value)) {
        throw LineError{"member " + contents.full(name) + " holds a progression that leaves 64 bits"};
      }
    }
  }
  if (values.size() != expected) {
    wrong_length(std::to_string(values.size()));
  }
}

}  // namespace ddtscope::members
