// Folded sequences of operations, side by side: which operation of the one stands at the place of which of the other,
// and how often. Loops of both are walked through together, once for all of their common periods.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::reporters {

/// How many operations the elements are when they are unfolded: fewer than 2^63, as the reader has it.
std::uint64_t length_of(std::span<const SequenceElement> elements);

/// Two operations that stand at the same places.
struct PairedOperations {
  std::uint32_t first = 0, second = 0;  // numbers of operations
  std::uint64_t count = 0;              // places
  std::uint64_t place = 0;              // the first of them, counted from 0
};

/// Of the first `length` places, which both sequences must have; in order of their first places. Empty where the loops
/// of the two have so little in common that it would take more than `most_steps`, beside a step for each element.
inline constexpr std::uint64_t most_pairing_steps = std::uint64_t{1} << 22;
std::optional<std::vector<PairedOperations>> paired_operations(std::span<const SequenceElement> first,
                                                               std::span<const SequenceElement> second,
                                                               std::uint64_t length,
                                                               std::uint64_t most_steps = most_pairing_steps);
/// The same, where `steps` are those that are left for many such: they get fewer.
std::optional<std::vector<PairedOperations>> paired_operations_within(std::span<const SequenceElement> first,
                                                                      std::span<const SequenceElement> second,
                                                                      std::uint64_t length, std::uint64_t& steps);

/// Several folded sequences side by side, folded as they are.
struct JoinedSequences {
  std::vector<SequenceElement> elements;         // numbers of rows
  std::vector<std::vector<std::uint32_t>> rows;  // each once: of each sequence the operation
};
/// Of sequences of different lengths the shorter ones go on with `of_ended`. Empty where it takes too many steps, as
/// above.
std::optional<JoinedSequences> joined_sequences(std::span<const std::span<const SequenceElement>> sequences,
                                                std::uint32_t of_ended, std::uint64_t& steps);
/// The operation at a place, of which the sequence has more.
std::uint32_t operation_at(std::span<const SequenceElement> elements, std::uint64_t place);

/// How often an operation stands in a sequence from some place on.
struct CountedOperation {
  std::uint32_t operation = 0;
  std::uint64_t count = 0;
};
/// In order of numbers; `from` is at most the sequence's length.
std::vector<CountedOperation> operations_from(std::span<const SequenceElement> elements, std::uint64_t from);

}  // namespace ddtscope::reporters
