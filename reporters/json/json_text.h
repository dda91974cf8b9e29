// JSON as text, written at once: the text that write_json gives of the same values, without making objects of them. For
// documents of millions of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "reporters/json/json.h"

namespace ddtscope::reporters {

/// Members and elements come in order; commas, line feeds and margins are set here.
class JsonText {
 public:
  /// `indent` is that of the document's first bracket.
  explicit JsonText(std::size_t indent = 0) : base_(indent) {}

  /// Goes on in the list that is open here, behind an element that is written elsewhere.
  JsonText behind_an_element() const;

  std::string_view text() const { return std::string_view(text_).substr(0, used_); }
  /// The text, which is then empty.
  std::string take();
  /// The text has been written elsewhere: it is empty, and goes on behind that.
  void forget() { used_ = 0; }
  /// Gives away what there is, once that is worth a write.
  void flush_to(std::ostream& out);
  /// After the last bracket, behind a line feed.
  void end_document(std::ostream& out);

  JsonText& begin_object() { return open('{', Shape::lines); }
  JsonText& end_object() { return shut('}'); }
  /// An array of objects.
  JsonText& begin_list() { return open('[', Shape::lines); }
  JsonText& end_list() { return shut(']'); }
  /// An array of plain values, or of such arrays: on one line.
  JsonText& begin_row() { return open('[', Shape::row); }
  JsonText& end_row() { return shut(']'); }
  /// `name` needs no escapes.
  JsonText& key(std::string_view name);

  JsonText& string(std::string_view value);
  JsonText& integer(std::int64_t value);
  JsonText& count(std::uint64_t value);
  JsonText& exact(Exact value);  // null where it does not fit
  JsonText& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonText& null() { return raw("null"); }
  /// A row of strings.
  JsonText& strings(const std::vector<std::string>& values);
  /// Any value, where there are few.
  JsonText& value(const Json& value);
  /// Text that is JSON already, with the margins of its place.
  JsonText& raw(std::string_view json);
  /// Where the next value's lines begin.
  std::size_t indent() const { return base_ + 2 * depth_of_lines_; }

 private:
  enum class Shape : std::uint8_t { lines, row };
  struct Level {
    Shape shape;
    bool is_empty = true;
  };
  JsonText& open(char bracket, Shape shape);
  JsonText& shut(char bracket);
  /// Writes what stands between the last value and the next. The next one's characters may then be put where the
  /// pointer says, `length` of them at most; end_at() tells where they end.
  char* begin_value(std::size_t length);
  static char* begin_line(char* at, std::size_t margin);
  char* room_for(std::size_t length);
  void grow(std::size_t length);
  void end_at(const char* end);

  static constexpr std::size_t worth_a_write = std::size_t{1} << 16;

  std::size_t base_;
  std::size_t depth_of_lines_ = 0;
  bool has_key_ = false;
  std::vector<Level> levels_;
  std::string text_;  // longer than what is used: appended to without a look at its end for each character
  std::size_t used_ = 0;
};

}  // namespace ddtscope::reporters
