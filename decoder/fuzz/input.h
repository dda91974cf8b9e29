// The fuzzer's bytes as a source of choices and numbers: zeros when they have run out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace ddtscope::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool is_empty() const { return bytes_.empty(); }

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

  /// One of 0 .. n - 1; n is in [1, 256].
  std::size_t choice(std::size_t n) { return byte() % n; }
  bool one_in(std::size_t n) { return choice(n) == n - 1; }

  /// Mostly small, for types whose typemap can be checked entry by entry; at times an end of some range.
  std::int64_t number() {
    const std::uint8_t first = byte();
    if (first < 192) return first % 24 - 6;
    if (first < 224) return ends[first % ends.size()];
    const std::size_t width = first % 8 + 1;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value = value << 8 | byte();
    // With the sign of the width that was read.
    const int unused = 64 - 8 * static_cast<int>(width);
    return static_cast<std::int64_t>(value << unused) >> unused;
  }
  int int_number() { return static_cast<int>(number()); }

  /// What is a length, a count or a size in a call that is to succeed.
  std::int64_t count() {
    const std::int64_t value = number();
    return value < 0 && !one_in(16) ? ~value : value;
  }

  std::string_view text(std::size_t most) {
    const std::size_t length = std::min(most, bytes_.size());
    const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()), length);
    bytes_ = bytes_.subspan(length);
    return taken;
  }

 private:
  static constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t greatest_int = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t least_int = std::numeric_limits<std::int32_t>::min();
  // Ends of ranges, their neighbours, and values that mean something else.
  static constexpr std::array<std::int64_t, 16> ends = {
      greatest,  least,     greatest_int, least_int, greatest_int + 1, greatest - 1, least + 1, greatest / 2,
      1LL << 53, 1LL << 62, -(1LL << 62), 1LL << 31, -32766,           -49767,       1LL << 20, 255};

  std::span<const std::uint8_t> bytes_;
};

}  // namespace ddtscope::fuzz
