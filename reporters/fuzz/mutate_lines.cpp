#include "reporters/fuzz/mutate_lines.h"

#include <cctype>
#include <iterator>
#include <string_view>

namespace ddtscope::reporters::fuzz {
namespace {

constexpr const char* values[] = {"0",
                                  "1",
                                  "2",
                                  "3",
                                  "-1",
                                  "7",
                                  "16",
                                  "1000",
                                  "2147483647",
                                  "2147483648",
                                  "-2147483648",
                                  "4294967295",
                                  "4294967296",
                                  "9007199254740991",
                                  "\"9007199254740992\"",
                                  "\"9223372036854775807\"",
                                  "\"-9223372036854775808\"",
                                  "18446744073709551615",
                                  "99999999999999999999",
                                  "1.5",
                                  "null",
                                  "true",
                                  "[]",
                                  "{}",
                                  "[0,1,3]",
                                  "[0,8,1000000]",
                                  "[5,-3,4]",
                                  "\"\"",
                                  "\"MPI_INT\"",
                                  "\"MPI_UB\"",
                                  "\"\\u001b[31m\"",
                                  "\"\\ud83d\\ude00\""};

struct Piece {
  std::size_t begin, length;
};

class Mutation {
 public:
  Mutation(std::string& text, std::mt19937& random) : text_(text), random_(random) {}

  void act() {
    switch (below(8)) {
      case 0:
        take_line_twice();
        return;
      case 1:
        remove_line();
        return;
      case 2:
        cut();
        return;
      case 3:
      case 4:
        take_value_from_elsewhere();
        return;
      default:
        replace_value();
    }
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  Piece line() const {
    const std::size_t at = text_.empty() ? 0 : random_() % text_.size();
    const std::size_t before = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text_.find('\n', at);
    return {begin, (end == std::string::npos ? text_.size() : end + 1) - begin};
  }

  /// A number, word or string at or behind a random place.
  Piece value() const {
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '+';
    };
    std::size_t at = text_.empty() ? 0 : random_() % text_.size();
    while (at > 0 && is_part(text_[at - 1])) --at;
    while (at < text_.size() && !is_part(text_[at]) && text_[at] != '"') ++at;
    std::size_t end = at;
    if (at < text_.size() && text_[at] == '"') {
      end = text_.find('"', at + 1);
      return {at, (end == std::string::npos ? text_.size() : end + 1) - at};
    }
    while (end < text_.size() && is_part(text_[end])) ++end;
    return {at, end - at};
  }

  void take_line_twice() {
    const Piece piece = line();
    const std::string copy = text_.substr(piece.begin, piece.length);
    text_.insert(line().begin, copy);
  }
  void remove_line() {
    const Piece piece = line();
    text_.erase(piece.begin, piece.length);
  }
  void cut() { text_.resize(below(text_.size() + 1)); }
  void take_value_from_elsewhere() {
    const Piece from = value();
    const std::string copy = text_.substr(from.begin, from.length);
    const Piece to = value();
    text_.replace(to.begin, to.length, copy);
  }
  void replace_value() {
    const Piece piece = value();
    text_.replace(piece.begin, piece.length, values[below(std::size(values))]);
  }

  std::string& text_;
  std::mt19937& random_;
};

}  // namespace

std::string mutate_lines(std::string text, std::mt19937& random) {
  Mutation mutation(text, random);
  for (std::size_t n = 1 + random() % 4; n > 0; --n) mutation.act();
  return text;
}

}  // namespace ddtscope::reporters::fuzz
