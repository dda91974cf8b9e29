// Walks that a thread made lately: where all words of the stack that told the way are as they were, so is the stack.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decoder/base/hash_of_words.h"
#include "plugin/call/call_site_id.h"
#include "plugin/call/stack.h"

namespace ddtscope::plugin {

/// The words that a walk read, and what it found in them. With the rules and the place where it began they are all that
/// its result depends on.
class StackWords {
 public:
  static constexpr std::size_t most = 80;

  void clear() { count_ = 0; }
  void add(const std::uintptr_t* place) {
    if (count_ < most) words_[count_] = {place, *place};
    ++count_;
  }
  bool has_all() const { return count_ <= most; }
  /// Whoever asks knows that the memory is still there. Without a branch for each: they are nearly always equal.
  /// What stood in a frame may now be between the variables of others, which address sanitizers watch.
  [[gnu::no_sanitize_address]] bool are_as_they_were() const {
    std::uintptr_t difference = 0;
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < count_; ++i) difference |= *words_[i].place ^ words_[i].value;
    return difference == 0;
  }
  /// The first that is not as it was, of those that are kept; nullptr where there is none.
  [[gnu::no_sanitize_address]] const std::uintptr_t* first_difference() const {
    for (std::uint32_t i = 0; i < count_ && i < most; ++i) {
      if (*words_[i].place != words_[i].value) return words_[i].place;
    }
    return nullptr;
  }

 private:
  struct Word {
    const std::uintptr_t* place;
    std::uintptr_t value;
  };
  std::uint32_t count_ = 0;
  std::array<Word, most> words_;
};

/// A walk whose stack was found to be right, and its call site.
struct RecentWalk {
  std::uint64_t rules = 0;  // the generation of the rules by which it went; 0: no walk
  ReturnPlace place;
  std::uintptr_t stack_end = 0;
  std::uint64_t hash = 0;
  std::uint64_t python = 0;  // Stack::python
  CallSiteId site;           // once somebody has asked for it
  StackWords words;

  void begin(const ReturnPlace& from, std::uint64_t python_position) {
    rules = 0;
    place = from;
    python = python_position;
    site = {};
  }
};

/// What tells apart the stacks that were met at one place: some words of the stack, in each of which two of them
/// differed. A function that many call has many stacks at one place.
class StackFork {
 public:
  static constexpr std::size_t most = 8;

  /// The words, as one, if this is the place and they lie in the memory of its stack. They may lie between variables.
  [[gnu::no_sanitize_address]] std::uint64_t words_at(const ReturnPlace& place, const Mapping& stack) const {
    if (count_ == 0 || !is_of(place, stack)) return 0;
    HashOfWords words;
    for (std::uint32_t i = 0; i < count_; ++i) words.add(std::uint64_t{place.frame[offsets_[i]]});
    return words.value();
  }
  /// Two stacks of the place differ in this word. False where no more words can be told apart.
  bool add(const ReturnPlace& place, const Mapping& stack, const std::uintptr_t* word) {
    if (!is_of(place, stack)) *this = StackFork(place, stack.end);
    const auto offset = word - place.frame;
    if (count_ == most || offset < 0 || offset > UINT32_MAX) return false;
    // Two that have one slot by chance may differ where others do.
    const auto end = offsets_.cbegin() + count_;
    if (std::find(offsets_.cbegin(), end, static_cast<std::uint32_t>(offset)) != end) return false;
    offsets_[count_++] = static_cast<std::uint32_t>(offset);
    return true;
  }
  StackFork() = default;

 private:
  StackFork(const ReturnPlace& place, std::uintptr_t stack_end) : place_(place), stack_end_(stack_end) {}
  bool is_of(const ReturnPlace& place, const Mapping& stack) const {
    return place_ == place && stack_end_ == stack.end && place.is_above(stack);
  }

  ReturnPlace place_;
  std::uintptr_t stack_end_ = 0;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, most> offsets_{};  // in words, from the place's frame
};

/// A thread's: nothing is shared, and nothing synchronised. Each stack has two slots, told by its place and by the
/// words in which stacks of that place differ; more than two that share them take them from one another. Memory of its
/// own, which is zero and not touched before it is used.
class RecentWalks {
 public:
  /// The one of this thread; nullptr where there is no memory, and when the thread ends.
  [[gnu::always_inline]] static inline RecentWalks* of_this_thread() {
    RecentWalks* const walks = of_this_thread_;
    return walks != nullptr ? walks : make();
  }
  using Slots = std::span<RecentWalk, 2>;
  /// `stack` is where the thread was last seen.
  [[gnu::always_inline]] inline Slots slots_of(const ReturnPlace& place, std::uint64_t python, const Mapping& stack) {
    const std::uint64_t words = words_of(place, python);
    const std::uint64_t further = fork_of(words).words_at(place, stack);
    return pairs_[((words ^ further) * 0x9E3779B97F4A7C15u) >> (64 - bits)];
  }
  /// The one of the two that a walk by these rules is to have: whose walk is worth nothing, else each in turn.
  RecentWalk& slot_to_take(Slots slots, std::uint64_t rules) {
    for (RecentWalk& walk : slots) {
      if (walk.rules != rules) return walk;
    }
    takes_second_ = !takes_second_;
    return slots[takes_second_ ? 1 : 0];
  }
  /// The stack at a place is not one that had its slots, and this is where they differ. False where both will have the
  /// same slots.
  bool tell_apart(const ReturnPlace& place, std::uint64_t python, const Mapping& stack, const std::uintptr_t* word) {
    return fork_of(words_of(place, python)).add(place, stack, word);
  }
  /// A program may run a thread's work on in another thread.
  bool has(const RecentWalk* walk) const {
    return walk >= pairs_.front().data() && walk < pairs_.front().data() + pairs_.size() * Slots::extent;
  }

 private:
  static constexpr unsigned bits = 8;
  static constexpr unsigned bits_of_forks = 6;

  RecentWalks() = delete;
  [[gnu::noinline]] static RecentWalks* make();
  static std::uint64_t words_of(const ReturnPlace& place, std::uint64_t python) {
    return python ^ (reinterpret_cast<std::uintptr_t>(place.address) << 20) ^
           reinterpret_cast<std::uintptr_t>(place.frame);
  }
  StackFork& fork_of(std::uint64_t words) { return forks_[(words * 0x9E3779B97F4A7C15u) >> (64 - bits_of_forks)]; }

  // The plugin is loaded with the program: no call to find it.
  static thread_local constinit RecentWalks* of_this_thread_ [[gnu::tls_model("initial-exec")]];

  std::array<StackFork, std::size_t{1} << bits_of_forks> forks_;
  bool takes_second_;
  std::array<std::array<RecentWalk, Slots::extent>, std::size_t{1} << bits> pairs_;
};

}  // namespace ddtscope::plugin
