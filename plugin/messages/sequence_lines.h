// Folded sequences as lines of the trace, each of them once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "plugin/messages/folded_sequence.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Writes sequences whose symbols are the same; the lines are numbered on from `next`, which others may share.
class SequenceLines {
 public:
  /// All must outlive it.
  struct Parts {
    const FoldedSymbols& symbols;
    trace::Writer& writer;
    std::uint32_t& next;
  };
  SequenceLines(const Parts& parts, SequenceOf of) : parts_(parts), of_(of) {}

  /// Of the sequence of these places of symbols, which is written unless it was before.
  SequenceNumber number_of(std::span<const std::uint32_t> places) {
    const auto [found, is_new] = numbers_.try_emplace(std::vector(places.begin(), places.end()));
    if (!is_new) return found->second;
    found->second = {parts_.next++};
    elements_.clear();
    for (const std::uint32_t place : places) add(place);
    parts_.writer.sequence(found->second, elements_, of_);
    return found->second;
  }

 private:
  /// A symbol's body are symbols that come before it: a few levels.
  void add(std::uint32_t place) {
    const FoldedSymbol& symbol = parts_.symbols[place];
    const std::size_t loop = elements_.size();
    if (symbol.repeat > 1) elements_.push_back({symbol.repeat, 0});
    if (symbol.body.empty()) elements_.push_back({0, symbol.number});
    for (const std::uint32_t part : symbol.body) add(part);
    if (symbol.repeat > 1) elements_[loop].number = static_cast<std::uint32_t>(elements_.size() - loop - 1);
  }

  const Parts parts_;
  const SequenceOf of_;
  std::map<std::vector<std::uint32_t>, SequenceNumber> numbers_;
  std::vector<SequenceElement> elements_;
};

}  // namespace ddtscope::plugin
