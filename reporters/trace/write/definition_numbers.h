// Which number each definition has in a trace file: kept by whoever has the definitions, not by the file's writer.
#pragma once

#include <cstdint>
#include <vector>

#include "decoder/definition/definition.h"
#include "reporters/trace/format/file_number.h"

namespace ddtscope::trace {

/// Made definitions only have numbers: predefined ones stand by name.
class DefinitionNumbers {
 public:
  /// Invalid where the definition has none.
  DefinitionNumber operator[](DefinitionId id) const {
    return id.value < numbers_.size() ? numbers_[id.value] : DefinitionNumber{};
  }
  bool has(DefinitionId id) const { return (*this)[id].valid(); }
  /// The next number is the definition's, whose line is to be written now.
  DefinitionNumber give(DefinitionId id) {
    const DefinitionNumber next{given_};
    set(id, next);
    ++given_;
    return next;
  }
  /// The file did not take the line for which `id` was given its number, the last one.
  void take_back(DefinitionId id) {
    numbers_[id.value] = {};
    --given_;
  }
  /// The definition is one that was written before, when it had another id or none between.
  void set(DefinitionId id, DefinitionNumber number) {
    if (numbers_.size() <= id.value) numbers_.resize(id.value + 1);
    numbers_[id.value] = number;
  }

 private:
  std::vector<DefinitionNumber> numbers_;  // by DefinitionId
  std::uint32_t given_ = 0;
};

}  // namespace ddtscope::trace
