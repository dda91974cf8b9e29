#include "reporters/model/chosen_operations.h"

#include <algorithm>

#include "reporters/model/folded_lengths.h"

namespace ddtscope::reporters {
namespace {

using Elements = std::span<const SequenceElement>;

void add_chosen(Elements elements, const IsChosen& is_chosen, std::vector<SequenceElement>& chosen) {
  while (!elements.empty()) {
    const SequenceElement& element = elements.front();
    if (element.times == 0) {
      if (is_chosen(element.number)) chosen.push_back(element);
      elements = elements.subspan(1);
      continue;
    }
    const std::size_t loop = chosen.size();
    chosen.push_back({element.times, 0});
    add_chosen(elements.subspan(1, element.number), is_chosen, chosen);
    chosen[loop].number = static_cast<std::uint32_t>(chosen.size() - loop - 1);
    if (chosen[loop].number == 0) chosen.pop_back();
    elements = elements.subspan(1 + std::size_t{element.number});
  }
}

}  // namespace

std::vector<SequenceElement> chosen_operations(Elements elements, const IsChosen& is_chosen) {
  std::vector<SequenceElement> chosen;
  add_chosen(elements, is_chosen, chosen);
  return chosen;
}

std::uint64_t chosen_before(Elements elements, const IsChosen& is_chosen, std::uint64_t places) {
  const std::vector<std::uint64_t> lengths = body_lengths(elements);
  const std::vector<std::uint64_t> chosen = body_lengths(elements, is_chosen);
  std::uint64_t before = 0;
  for (std::size_t at = 0; places != 0 && at < elements.size();) {
    const SequenceElement& element = elements[at];
    if (element.times == 0) {
      if (is_chosen(element.number)) ++before;
      --places;
      ++at;
      continue;
    }
    const std::uint64_t turns = std::min(element.times, places / lengths[at]);
    before += turns * chosen[at];
    places -= turns * lengths[at];
    at += 1 + (turns == element.times ? element.number : 0);  // else it ends within the next turn
  }
  return before;
}

std::uint64_t place_of_chosen(Elements elements, const IsChosen& is_chosen, std::uint64_t number) {
  const std::vector<std::uint64_t> lengths = body_lengths(elements);
  const std::vector<std::uint64_t> chosen = body_lengths(elements, is_chosen);
  std::uint64_t place = 0;
  for (std::size_t at = 0; at < elements.size();) {
    const SequenceElement& element = elements[at];
    if (element.times == 0) {
      if (is_chosen(element.number) && number-- == 0) break;
      ++place;
      ++at;
      continue;
    }
    const std::uint64_t turns = chosen[at] == 0 ? element.times : std::min(element.times, number / chosen[at]);
    number -= turns * chosen[at];
    place += turns * lengths[at];
    at += 1 + (turns == element.times ? element.number : 0);  // else it is in the next turn
  }
  return place;
}

}  // namespace ddtscope::reporters
