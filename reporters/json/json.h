// How ddtscope writes values as JSON: exact integers (RFC 7493), and text that is always valid UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "decoder/exact.h"

namespace ddtscope {

using Json = nlohmann::ordered_json;

/// An integer; outside of +-(2^53 - 1) its decimal digits as a string.
Json json_integer(std::int64_t value);
Json json_count(std::uint64_t value);
/// Null where the value does not fit 128 bits.
Json json_integer(Exact value);
Json json_integer(std::optional<std::int64_t> value);

/// Indented, with short arrays of plain values on one line; invalid UTF-8 becomes U+FFFD. Ends in a line feed.
void write_json(std::ostream& out, const Json& value);

/// The same text as write_json of an array of all elements, one after the other: they need not be kept.
class JsonArrayWriter {
 public:
  explicit JsonArrayWriter(std::ostream& out) : out_(out) {}
  void add(const Json& element);
  /// After the last one.
  void end();

 private:
  std::ostream& out_;
  bool is_empty_ = true;
};

}  // namespace ddtscope
