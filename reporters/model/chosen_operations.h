// Folded sequences of operations, of which some are asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::reporters {

/// Whether the operation with this number is asked for.
using IsChosen = std::function<bool(std::uint32_t)>;

/// Those alone, folded as they are.
std::vector<SequenceElement> chosen_operations(std::span<const SequenceElement> elements, const IsChosen& is_chosen);
/// How many they are of the first `places` operations, which the sequence has.
std::uint64_t chosen_before(std::span<const SequenceElement> elements, const IsChosen& is_chosen, std::uint64_t places);
/// The place in the sequence of chosen operation `number`, counted from 0, which it has.
std::uint64_t place_of_chosen(std::span<const SequenceElement> elements, const IsChosen& is_chosen,
                              std::uint64_t number);

}  // namespace ddtscope::reporters
