// Members of a line's JSON object, with their types checked: what is wrong is said in one clause.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace ddtscope::members {

using nlohmann::json;

// A compact array says in 30 bytes that it has 10^18 elements: what is expanded must be bounded.
inline constexpr std::int64_t array_length_limit = std::int64_t{1} << 28;
// The same for all compact arrays of a file together: a gigabyte.
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

inline std::string kind_of(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array of " + std::to_string(value.size());
    case json::value_t::string:
      return "the string " + in_quotes(value.get_ref<const std::string&>());
    case json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case json::value_t::number_float:
      return "a fraction";
    default:
      return "the number " + value.dump();
  }
}

/// An integer as JSON, or as a decimal string where it is outside of +-(2^53 - 1).
inline std::optional<std::int64_t> to_int64(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      return number;
    }
  }
  return std::nullopt;
}

inline std::optional<std::uint64_t> to_uint64(const json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>();
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      return number;
    }
  }
  return std::nullopt;
}

/// The members of one object of a line; what is missing or of the wrong type throws a LineError.
class Members {
 public:
  explicit Members(const json& object, std::string path = {}) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) {
      throw LineError{path_ + " must be an object, but is " + kind_of(object)};
    }
  }

  const json& need(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) {
      throw LineError{"member " + full(name) + " is missing"};
    }
    return *found;
  }
  [[noreturn]] void refuse(const char* name, const char* wanted) const {
    throw LineError{"member " + full(name) + " must be " + wanted + ", but is " + kind_of(need(name))};
  }

  const std::string& text(const char* name) const {
    const json& value = need(name);
    if (!value.is_string()) {
      refuse(name, "a string");
    }
    return value.get_ref<const std::string&>();
  }
  std::optional<std::string> text_or_null(const char* name) const {
    return need(name).is_null() ? std::nullopt : std::optional<std::string>(text(name));
  }
  bool flag(const char* name) const {
    const json& value = need(name);
    if (!value.is_boolean()) {
      refuse(name, "true or false");
    }
    return value.get<bool>();
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
  const json& array(const char* name) const {
    const json& value = need(name);
    if (!value.is_array()) {
      refuse(name, "an array");
    }
    return value;
  }
  Members object(const char* name) const { return Members(need(name), full(name)); }

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
  template <class Record>
  std::optional<FileNumber<Record>> number_or_null(const char* name, std::size_t known, const char* what) const {
    return need(name).is_null() ? std::nullopt
                                : std::optional<FileNumber<Record>>(number_of<Record>(name, known, what));
  }

  std::string full(const char* name) const {
    return path_.empty() ? "\"" + std::string(name) + "\"" : path_ + "." + name;
  }

 private:
  const json& object_;
  std::string path_;
};

/// Expands `[first, step, n]` within an integer array.
inline std::vector<std::int64_t> expanded(const Members& contents, const char* name, std::uint64_t expected,
                                          std::uint64_t& expansions) {
  const json& elements = contents.array(name);
  std::vector<std::int64_t> values;
  if (expected > static_cast<std::uint64_t>(array_length_limit)) {
    throw LineError{"member " + contents.full(name) + " has " + std::to_string(expected) +
                    " elements, more than the 2^28 that ddtscope reads"};
  }
  const auto wrong_length = [&](const std::string& found) {
    throw LineError{"member " + contents.full(name) + " must have " + std::to_string(expected) +
                    " elements, as the envelope says, but has " + found};
  };
  for (const json& element : elements) {
    if (!element.is_array()) {
      const auto value = to_int64(element);
      if (!value) {
        throw LineError{"member " + contents.full(name) + " must hold integers, but holds " + kind_of(element)};
      }
      values.push_back(*value);
      continue;
    }
    const bool has_three = element.size() == 3;
    const auto first = has_three ? to_int64(element[0]) : std::nullopt;
    const auto step = has_three ? to_int64(element[1]) : std::nullopt;
    const std::int64_t length = has_three ? to_int64(element[2]).value_or(-1) : -1;
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
  return values;
}

}  // namespace ddtscope::members
