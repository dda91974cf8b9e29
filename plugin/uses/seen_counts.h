// Counts of plain calls of which nothing is left to be found out that is found out but once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reporters/trace/format/counter_file.h"

namespace ddtscope::plugin {

/// By the record that counts a use, and a count. Each takes the place of another one that meets it: what is forgotten
/// is looked at anew. Not synchronised.
class SeenCounts {
 public:
  [[gnu::always_inline]] inline bool has(const trace::CounterRecord* record, std::uint64_t count) const {
    const Seen& seen = counts_[place_of(record, count)];
    return (seen.record == record && seen.count == count) || records_[place_of(record, 0)] == record;
  }
  void add(const trace::CounterRecord* record, std::uint64_t count) {
    counts_[place_of(record, count)] = {record, count};
  }
  /// Any count.
  void add_all(const trace::CounterRecord* record) { records_[place_of(record, 0)] = record; }

 private:
  struct Seen {
    const trace::CounterRecord* record = nullptr;
    std::uint64_t count = 0;
  };
  static constexpr unsigned bits = 10;
  static std::size_t place_of(const trace::CounterRecord* record, std::uint64_t count) {
    return static_cast<std::size_t>(
        ((reinterpret_cast<std::uintptr_t>(record) ^ (count << 20)) * 0x9E3779B97F4A7C15u) >> (64 - bits));
  }

  std::array<Seen, std::size_t{1} << bits> counts_{};
  std::array<const trace::CounterRecord*, std::size_t{1} << bits> records_{};
};

}  // namespace ddtscope::plugin
