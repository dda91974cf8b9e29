// The text of a line that this version's writer wrote, taken apart member by member without being understood: joining
// traces moves most of them from file to file as they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ddtscope::reduce {

/// Walks over the members of an object or the elements of an array. Text that the writer does not write ends the walk.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text);
  /// Goes to the next one; false behind the last.
  bool next();
  /// Goes to the next element of an array where that is an integer of 64 bits, as JSON: its value. Else false, and
  /// nothing is done.
  bool next_integer(std::int64_t& value);
  std::string_view name() const { return name_; }    // without quotes; empty in an array
  std::string_view value() const { return value_; }  // as it stands there
  /// Where the value begins.
  std::size_t begin() const { return static_cast<std::size_t>(value_.data() - text_.data()); }

 private:
  std::string_view text_, name_, value_;
  std::size_t at_ = 1;
  bool is_object_;
};

/// The value of a member; empty where there is none.
std::string_view member_of(std::string_view object, std::string_view name);
/// The values of several, in the order of `names`, by one walk that ends where it has them all.
template <std::size_t count>
std::array<std::string_view, count> members_of(std::string_view object, const std::array<const char*, count>& names) {
  std::array<std::string_view, count> values;
  std::size_t missing = count;
  for (JsonWalk walk(object); missing != 0 && walk.next();) {
    for (std::size_t i = 0; i < count; ++i) {
      if (walk.name() != names[i] || !values[i].empty()) continue;
      values[i] = walk.value();
      --missing;
    }
  }
  return values;
}
/// A line's kind.
std::string_view record_of(std::string_view line);
/// What stands between a string's quotes, escapes undone. Knows those that JsonLine writes.
std::string text_of_string(std::string_view value);
/// An integer, as JSON or as a decimal string; 0 for everything else.
std::uint64_t count_of(std::string_view value);
/// The same of one that has a sign; nothing for null, and for what is not there.
std::optional<std::int64_t> integer_or_null_of(std::string_view value);

}  // namespace ddtscope::reduce
