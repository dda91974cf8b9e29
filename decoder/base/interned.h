// Values that stand for themselves once, each known by a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "decoder/base/index_table.h"

namespace ddtscope {

/// Numbers count from 0, in the order in which the values came first. `Hash` is a function object, whose hashes are
/// such as IndexTable wants. Not synchronised.
template <class T, class Hash>
class Interned {
 public:
  /// IndexTable::none where there is none.
  std::uint32_t find(const T& value) const { return find(value, Hash()(value)); }
  /// Its number, and whether it is new.
  std::pair<std::uint32_t, bool> intern(T value) {
    const std::uint64_t hash = Hash()(value);
    const std::uint32_t known = find(value, hash);
    if (known != IndexTable::none) return {known, false};
    const auto number = static_cast<std::uint32_t>(all_.size());
    all_.push_back(std::move(value));
    numbers_.insert(hash, number);
    return {number, true};
  }
  const T& operator[](std::uint32_t number) const { return all_[number]; }
  std::size_t size() const { return all_.size(); }
  const std::vector<T>& all() const { return all_; }

  /// About so many, without what the value points to.
  static constexpr std::size_t bytes_of_one = 2 * sizeof(T) + IndexTable::bytes_per_number;

 private:
  std::uint32_t find(const T& value, std::uint64_t hash) const {
    return numbers_.find(hash, [&](std::uint32_t number) { return all_[number] == value; });
  }

  std::vector<T> all_;
  IndexTable numbers_;
};

}  // namespace ddtscope
