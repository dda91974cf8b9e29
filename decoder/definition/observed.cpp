// A byte says which values are undefined; the others follow as differences from those that they mostly equal, seven
// bits to a byte.
#include "decoder/definition/observed.h"

#include <iterator>

namespace ddtscope {
namespace {

constexpr std::size_t no_place = SIZE_MAX;

using Value = std::optional<std::int64_t> ObservedBounds::*;
struct PackedValue {
  Value value;
  Value like;  // what stands before and is mostly equal
};
constexpr PackedValue packed_values[] = {{&ObservedBounds::size, nullptr},
                                         {&ObservedBounds::lb, nullptr},
                                         {&ObservedBounds::extent, &ObservedBounds::size},
                                         {&ObservedBounds::true_lb, &ObservedBounds::lb},
                                         {&ObservedBounds::true_extent, &ObservedBounds::extent}};

// Differences may leave 64 bits: they are taken without sign, where they wrap there and back.
std::uint64_t likely(const ObservedBounds& bounds, const PackedValue& row) {
  return row.like == nullptr ? 0 : static_cast<std::uint64_t>((bounds.*row.like).value_or(0));
}

/// Small for small values of both signs.
std::uint64_t folded(std::uint64_t difference) { return difference << 1 ^ (difference >> 63 != 0 ? UINT64_MAX : 0); }
std::uint64_t unfolded(std::uint64_t number) { return number >> 1 ^ ((number & 1) != 0 ? UINT64_MAX : 0); }

}  // namespace

void PackedObserved::add(DefinitionId id, const ObservedBounds& bounds) {
  if (places_.size() <= id.value) places_.resize(id.value + std::size_t{1}, no_place);
  places_[id.value] = bytes_.size();
  std::uint8_t undefined = 0;
  for (std::size_t i = 0; i < std::size(packed_values); ++i) {
    if (!(bounds.*packed_values[i].value)) undefined = static_cast<std::uint8_t>(undefined | 1U << i);
  }
  bytes_.push_back(undefined);
  for (const PackedValue& row : packed_values) {
    if (!(bounds.*row.value)) continue;
    std::uint64_t rest = folded(static_cast<std::uint64_t>(*(bounds.*row.value)) - likely(bounds, row));
    for (; rest >= 0x80; rest >>= 7) bytes_.push_back(static_cast<std::uint8_t>(rest | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(rest));
  }
}

std::optional<ObservedBounds> PackedObserved::observed(DefinitionId id) const {
  if (id.value >= places_.size() || places_[id.value] == no_place) return std::nullopt;
  const std::uint8_t* next = bytes_.data() + places_[id.value];
  const std::uint8_t undefined = *next++;
  ObservedBounds bounds;
  for (std::size_t i = 0; i < std::size(packed_values); ++i) {
    if ((undefined >> i & 1) != 0) continue;
    std::uint64_t number = 0;
    int shift = 0;
    for (; (*next & 0x80) != 0; shift += 7) number |= std::uint64_t{*next++ & 0x7fU} << shift;
    number |= std::uint64_t{*next++} << shift;
    bounds.*packed_values[i].value = static_cast<std::int64_t>(unfolded(number) + likely(bounds, packed_values[i]));
  }
  return bounds;
}

}  // namespace ddtscope
