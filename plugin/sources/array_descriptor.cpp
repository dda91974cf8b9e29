#include "plugin/sources/array_descriptor.h"

#include <array>
#include <span>

namespace ddtscope::plugin {
namespace {

using Element = ArrayDescriptor::Element;

// libgfortran.h: the address, an offset, dtype (bytes of an element; version, rank, type and attribute in one word),
// the span, and for each dimension the stride and the bounds.
constexpr std::size_t words_of_head = 5, words_of_dimension = 3, most_dimensions = 15;

std::optional<Element> element_of(std::uintptr_t type) {
  constexpr std::array<Element, 6> elements{Element::integer, Element::logical, Element::real,
                                            Element::complex, Element::derived, Element::character};
  if (type < 1 || type > elements.size()) return std::nullopt;
  return elements[type - 1];
}

bool may_have(Element element, std::uintptr_t bytes) {
  const bool is_power = (bytes & (bytes - 1)) == 0;
  switch (element) {
    case Element::integer:
    case Element::logical:
      return is_power && bytes >= 1 && bytes <= 16;
    case Element::real:
      return is_power && bytes >= 2 && bytes <= 16;
    case Element::complex:
      return is_power && bytes >= 4 && bytes <= 32;
    case Element::character:
    case Element::derived:
      break;
  }
  constexpr std::uintptr_t most_bytes = std::uintptr_t{1} << 31;
  return bytes >= 1 && bytes < most_bytes;
}

/// Whether the elements follow each other; nothing where the bounds make no sense.
std::optional<bool> is_section(std::span<const std::uintptr_t> dimensions, std::uintptr_t span, std::uintptr_t bytes) {
  constexpr std::intptr_t farthest = std::intptr_t{1} << 46;
  bool has_gaps = false;
  std::intptr_t elements = 1;
  for (std::size_t d = 0; d + words_of_dimension <= dimensions.size(); d += words_of_dimension) {
    const auto stride = static_cast<std::intptr_t>(dimensions[d]);
    const auto lower = static_cast<std::intptr_t>(dimensions[d + 1]);
    const auto upper = static_cast<std::intptr_t>(dimensions[d + 2]);
    // The last length of an array of assumed size is not known.
    const bool is_open = d + words_of_dimension == dimensions.size() && upper < lower;
    if (lower < -farthest || lower > farthest || upper > farthest || upper < -farthest) return std::nullopt;
    const std::intptr_t length = is_open ? 1 : upper - lower + 1;
    if (length < 0 || stride < -farthest || stride > farthest) return std::nullopt;
    has_gaps |= length > 1 && stride != elements;
    if (__builtin_mul_overflow(elements, length, &elements)) return std::nullopt;
  }
  const bool is_one_element = elements <= 1;
  return !is_one_element && (has_gaps || (span != 0 && span != bytes));
}

}  // namespace

std::optional<ArrayDescriptor> described_array(const OwnMemory& memory, std::uintptr_t descriptor,
                                               std::uintptr_t buffer) noexcept {
  std::array<std::uintptr_t, words_of_head + most_dimensions * words_of_dimension> words;
  if (sizeof(std::uintptr_t) != 8 || descriptor % sizeof(std::uintptr_t) != 0) return std::nullopt;
  const std::size_t read = memory.read(descriptor, words);
  if (read < words_of_head || words[0] != buffer) return std::nullopt;
  const std::uintptr_t bytes = words[2];
  const std::uintptr_t version = words[3] & 0xFFFFFFFF;
  const std::uintptr_t rank = (words[3] >> 32) & 0xFF;
  const std::optional<Element> element = element_of((words[3] >> 40) & 0xFF);
  const bool is_sane = version == 0 && rank <= most_dimensions && read >= words_of_head + rank * words_of_dimension;
  if (!element || !is_sane || !may_have(*element, bytes)) return std::nullopt;
  const auto has_gaps = is_section(std::span(words).subspan(words_of_head, rank * words_of_dimension), words[4], bytes);
  if (!has_gaps) return std::nullopt;
  return ArrayDescriptor{*element, static_cast<std::uint32_t>(bytes), *has_gaps};
}

}  // namespace ddtscope::plugin
