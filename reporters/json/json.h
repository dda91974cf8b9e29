// How ddtscope writes values as JSON: exact integers (RFC 7493), and text that is always valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "decoder/base/exact.h"

namespace ddtscope::reporters {

using Json = nlohmann::ordered_json;

/// Whether every reader keeps it exactly as a number.
bool is_exact_in_json(std::int64_t value);
/// An integer; outside of +-(2^53 - 1) its decimal digits as a string.
Json json_integer(std::int64_t value);
Json json_count(std::uint64_t value);
/// What json_count() wrote. Throws where it is something else.
std::uint64_t count_of_json(const Json& value);
/// Null where the value does not fit 128 bits.
Json json_integer(Exact value);
Json json_integer(std::optional<std::int64_t> value);
/// Null where there is no text.
Json text_or_null(std::string_view text);

/// Indented, with short arrays of plain values on one line; invalid UTF-8 becomes U+FFFD. Ends in a line feed.
void write_json(std::ostream& out, const Json& value);
/// As a value within a document, without the line feed; its lines stand behind a margin.
void write_json_at(std::ostream& out, const Json& value, std::size_t indent);

// Documents that may be larger than memory, written as they come: the text is that of write_json of the whole.

/// An array of objects, element by element.
class JsonArrayWriter {
 public:
  explicit JsonArrayWriter(std::ostream& out) : JsonArrayWriter(out, 0) {}
  void add(const Json& object);
  /// After the last one.
  void end();

 private:
  friend class JsonObjectWriter;
  JsonArrayWriter(std::ostream& out, std::size_t indent) : out_(out), indent_(indent) {}

  std::ostream& out_;
  std::size_t indent_;
  bool is_empty_ = true;
};

/// An object, member by member; some member there must be.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(std::ostream& out) : out_(out) {}
  void add(std::string_view key, const Json& value);
  /// An array of objects: fill(writer) adds them.
  template <class Fill>
  void add_array(std::string_view key, Fill fill) {
    begin_member(key);
    JsonArrayWriter array(out_, indent);
    fill(array);
    array.end();
  }
  /// After the last one.
  void end();

 private:
  static constexpr std::size_t indent = 2;
  void begin_member(std::string_view key);

  std::ostream& out_;
  bool is_empty_ = true;
};

}  // namespace ddtscope::reporters
