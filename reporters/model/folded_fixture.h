// Folded sequences of operations that tests write down, or draw, and the same ones unfolded.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::reporters::test {

using Elements = std::vector<SequenceElement>;

/// A loop over what stands in `body`.
inline Elements loop(std::uint64_t times, const Elements& body) {
  Elements elements{{times, static_cast<std::uint32_t>(body.size())}};
  elements.insert(elements.end(), body.begin(), body.end());
  return elements;
}
inline Elements operations(std::initializer_list<std::uint32_t> numbers) {
  Elements elements;
  for (const std::uint32_t number : numbers) elements.push_back({0, number});
  return elements;
}
inline Elements operator+(Elements one, const Elements& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

inline void unfold(std::span<const SequenceElement> elements, std::vector<std::uint32_t>& numbers) {
  while (!elements.empty()) {
    const SequenceElement element = elements.front();
    const std::size_t body = element.times == 0 ? 0 : element.number;
    if (element.times == 0) numbers.push_back(element.number);
    for (std::uint64_t turn = 0; turn < element.times; ++turn) unfold(elements.subspan(1, body), numbers);
    elements = elements.subspan(1 + body);
  }
}

/// Fewer than 400 operations or so.
inline Elements random_elements(std::mt19937& random, std::uint64_t room, int depth) {
  const auto number = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
  };
  Elements elements;
  for (std::uint64_t i = number(1, 4); i > 0; --i) {
    if (depth == 3 || room < 4 || number(0, 1) == 0) {
      elements = elements + operations({static_cast<std::uint32_t>(number(0, 3))});
    } else {
      const std::uint64_t times = number(2, room / 2);
      elements = elements + loop(times, random_elements(random, room / times, depth + 1));
    }
  }
  return elements;
}

}  // namespace ddtscope::reporters::test
