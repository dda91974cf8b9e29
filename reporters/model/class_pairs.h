// Which collective operations of two classes of processes stand side by side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "reporters/model/collective_classes.h"
#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters {

class ClassPairs {
 public:
  /// Of the first `length` calls; null where it would take too long. It lives until the next call of this function.
  const std::vector<PairedOperations>* of(const SequenceClass& one, const SequenceClass& other, std::uint64_t length) {
    if (kept_ > most_kept) forget();
    const auto [found, is_new] = pairs_.try_emplace({one.sequence, other.sequence, length});
    if (is_new) {
      found->second = of_sequences(*one.sequence, *other.sequence, length);
      kept_ += 1 + (found->second ? found->second->size() : 0);
    }
    return found->second ? &*found->second : nullptr;
  }
  /// Not kept: each two of many classes are asked for once.
  std::optional<std::vector<PairedOperations>> of_sequences(std::span<const SequenceElement> one,
                                                            std::span<const SequenceElement> other,
                                                            std::uint64_t length) {
    return paired_operations_within(one, other, length, steps_);
  }
  void forget() {
    pairs_.clear();
    kept_ = 0;
  }

 private:
  using Elements = std::vector<SequenceElement>;
  static constexpr std::uint64_t most_kept = std::uint64_t{1} << 21;  // pairs of operations: some 50 MB

  std::map<std::tuple<const Elements*, const Elements*, std::uint64_t>, std::optional<std::vector<PairedOperations>>>
      pairs_;
  std::uint64_t kept_ = 0;
  std::uint64_t steps_ = std::uint64_t{1} << 27;  // that all comparisons may take together: seconds
};

}  // namespace ddtscope::reporters
