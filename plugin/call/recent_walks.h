// Walks that a thread made lately: where all words of the stack that told the way are as they were, so is the stack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

/// A thread's: nothing is shared, and nothing synchronised. A slot for each place, which places that share it take from
/// one another. Memory of its own, which is zero and not touched before it is used.
class RecentWalks {
 public:
  /// The one of this thread; nullptr where there is no memory, and when the thread ends.
  [[gnu::always_inline]] static inline RecentWalks* of_this_thread() {
    RecentWalks* const walks = of_this_thread_;
    return walks != nullptr ? walks : make();
  }
  RecentWalk& slot_of(const ReturnPlace& place, std::uint64_t python) {
    const std::uint64_t words = python ^ (reinterpret_cast<std::uintptr_t>(place.address) << 20) ^
                                reinterpret_cast<std::uintptr_t>(place.frame);
    return walks_[(words * 0x9E3779B97F4A7C15u) >> (64 - bits)];
  }
  /// A program may run a thread's work on in another thread.
  bool has(const RecentWalk* walk) const { return walk >= walks_.data() && walk < walks_.data() + walks_.size(); }

 private:
  static constexpr unsigned bits = 6;

  RecentWalks() = delete;
  [[gnu::noinline]] static RecentWalks* make();

  // The plugin is loaded with the program: no call to find it.
  static thread_local constinit RecentWalks* of_this_thread_ [[gnu::tls_model("initial-exec")]];

  std::array<RecentWalk, std::size_t{1} << bits> walks_;
};

}  // namespace ddtscope::plugin
