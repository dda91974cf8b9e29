// Which collective operations of two classes of processes stand side by side, each two classes once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "reporters/model/collective_classes.h"
#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters {

class ClassPairs {
 public:
  /// Of the first `length` calls; null where it would take too long. It lives until the next communicator's turn.
  const std::vector<PairedOperations>* of(const SequenceClass& one, const SequenceClass& other, std::uint64_t length) {
    const auto [found, is_new] = pairs_.try_emplace({one.sequence, other.sequence, length});
    if (is_new) found->second = paired_operations_within(*one.sequence, *other.sequence, length, steps_);
    return found->second ? &*found->second : nullptr;
  }
  void next_communicator() { pairs_.clear(); }

 private:
  using Elements = std::vector<SequenceElement>;
  std::map<std::tuple<const Elements*, const Elements*, std::uint64_t>, std::optional<std::vector<PairedOperations>>>
      pairs_;
  std::uint64_t steps_ = std::uint64_t{1} << 27;  // that all comparisons may take together: seconds
};

}  // namespace ddtscope::reporters
