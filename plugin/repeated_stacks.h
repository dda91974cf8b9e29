// Stacks that come again: most programs call from few places, and unwinding costs time for each frame.
//
// What an unwinder finds depends on the registers that it begins with, and on the words of the stack that it reads, one
// telling it where the next one is. All of these are noted when a stack is unwound once more by an unwinder that is
// watched. Where a later call begins with the same registers and finds the same words, the unwinder would go the same
// way: the frames are those. Nothing is guessed, and no word is read that an unwinder would not read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plugin/stack.h"

namespace ddtscope::plugin {

/// One that an unwinder reads.
struct StackWord {
  const std::uintptr_t* place;
  std::uintptr_t value;
};

/// Any thread may call: what another thread works with is passed over.
class RepeatedStacks {
 public:
  /// Of stacks that are unwound by at most `depth` frames.
  explicit RepeatedStacks(int depth);
  ~RepeatedStacks();
  RepeatedStacks(const RepeatedStacks&) = delete;
  RepeatedStacks& operator=(const RepeatedStacks&) = delete;

  /// True where the stack is known; it is then what unwinding finds. Allocates nothing.
  bool recall(Stack& stack, const ReturnPlace& place);
  /// Called with what unwinding found where recall() knew nothing. What comes from one place for the eighth time is
  /// learnt; if that does not hold, after twice as many calls, and so on.
  void unwound(const Stack& stack, const ReturnPlace& place) noexcept;

 private:
  class Unwinder;
  struct Recording {
    std::optional<std::uintptr_t> frame_pointer;  // where it matters
    std::vector<StackWord> words;
    std::vector<void*> addresses;
    std::uint64_t hash;
    bool is_repeated(const ReturnPlace& place) const;
  };
  struct Entry {
    std::atomic<bool> is_taken{false};
    ReturnPlace place;
    std::uint32_t unwound = 0;  // since the place stands here, or the last recording
    std::uint32_t patience = 8;
    std::uint32_t strangers = 0;  // other places that came here since it was last of use
    std::unique_ptr<const Recording> recording;
  };
  static constexpr std::size_t entries_bits = 7;
  static constexpr std::uint32_t most_strangers = 64;
  static constexpr std::uint32_t most_patience = 1 << 20;

  Entry& entry_of(const ReturnPlace& place);
  std::unique_ptr<const Recording> record(const Stack& stack, const ReturnPlace& place);

  std::unique_ptr<Unwinder> unwinder_;  // none where it could not be opened
  std::size_t depth_;
  std::vector<Entry> entries_;
};

}  // namespace ddtscope::plugin
