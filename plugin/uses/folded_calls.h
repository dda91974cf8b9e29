// Calls that are alike in what tells them apart (`Place`), as one: of a loop, however long it is, one is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ddtscope::plugin {

/// A number that calls have, each its own: the least and the greatest one, and how many calls there were.
struct FoldedNumbers {
  std::int64_t lowest = 0, highest = 0;
  std::uint64_t count = 0;
  void add(std::int64_t number) {
    const bool is_first = count++ == 0;
    lowest = is_first ? number : std::min(lowest, number);
    highest = is_first ? number : std::max(highest, number);
  }
};

/// Not synchronised. `Place` is compared by ==, and has `std::size_t hash() const`; `Amounts` are those of no call when
/// they are made.
template <class Place, class Amounts>
class FoldedCalls {
 public:
  struct Folded {
    Place place;
    Amounts amounts;
  };

  /// The amounts of the calls of one place, which a new one takes at most `most_bytes` of all for; null where there is
  /// no memory for it, which is counted.
  Amounts* find(const Place& place, std::size_t most_bytes) {
    if (last_ < all_.size() && all_[last_].place == place) return &all_[last_].amounts;
    constexpr std::size_t bytes_of_one = sizeof(Folded) + sizeof(Place) + 64;  // in the vector and the table
    auto found = places_.find(place);
    if (found == places_.end()) {
      if ((all_.size() + 1) * bytes_of_one > most_bytes) {
        ++without_memory_;
        return nullptr;
      }
      found = places_.emplace(place, all_.size()).first;
      all_.push_back({place, {}});
    }
    last_ = found->second;
    return &all_[last_].amounts;
  }
  /// In the order in which they came first.
  const std::vector<Folded>& all() const { return all_; }
  std::uint64_t without_memory() const { return without_memory_; }

 private:
  struct Hash {
    std::size_t operator()(const Place& place) const { return place.hash(); }
  };
  std::vector<Folded> all_;
  std::unordered_map<Place, std::size_t, Hash> places_;
  std::size_t last_ = 0;              // that was asked for
  std::uint64_t without_memory_ = 0;  // calls
};

}  // namespace ddtscope::plugin
