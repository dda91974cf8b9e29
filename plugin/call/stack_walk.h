// Walks up a stack by rules that are learnt once for each return address: a lookup and a load for each frame.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plugin/base/spin_lock.h"
#include "plugin/call/frame_rule.h"
#include "plugin/call/recent_walks.h"
#include "plugin/call/stack.h"

namespace ddtscope::plugin {

/// Rules of return addresses. Any thread may ask and add.
class FrameRules {
 public:
  FrameRules();
  ~FrameRules();
  FrameRules(const FrameRules&) = delete;
  FrameRules& operator=(const FrameRules&) = delete;

  /// What is known of the address, else what its module's tables say. `unknown`, too, where there is no memory. Holds
  /// if generation() is the same before and after; else it may be the rule of any address.
  [[gnu::always_inline]] inline FrameRule of(std::uintptr_t address) noexcept {
    const Table& table = *table_.load(std::memory_order_acquire);
    for (std::size_t at = table.home(address);; at = (at + 1) & table.mask) {
      const std::uintptr_t known = table.entries[at].address.load(std::memory_order_acquire);
      if (known == address) [[likely]]
        return table.entries[at].rule.load(std::memory_order_acquire);
      if (known == 0) return learn(address);
    }
  }
  /// Another one whenever rules were forgotten, and in every object. Never 0.
  std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  /// All are asked for anew: code has gone, and other code may stand in its place.
  void forget() noexcept;

 private:
  static_assert(std::atomic<FrameRule>::is_always_lock_free);
  struct Entry {
    std::atomic<std::uintptr_t> address{0};  // set last
    std::atomic<FrameRule> rule;
  };
  struct Table {
    explicit Table(unsigned bits) : entries(std::size_t{1} << bits), mask(entries.size() - 1), shift(64 - bits) {}
    std::size_t home(std::uintptr_t address) const {
      return static_cast<std::size_t>((address * 0x9E3779B97F4A7C15u) >> shift);
    }
    std::vector<Entry> entries;  // at most half of them are taken
    std::size_t mask;
    unsigned shift;
    std::size_t used = 0;
  };
  static constexpr unsigned smallest_bits = 8;
  static constexpr unsigned largest_bits = 16;

  FrameRule learn(std::uintptr_t address) noexcept;
  static void put(Table& table, std::uintptr_t address, const FrameRule& rule);

  std::atomic<Table*> table_;
  std::atomic<std::uint64_t> generation_;
  SpinLock learning_;
  // Those that were outgrown, too: somebody may look into them.
  std::vector<std::unique_ptr<Table>> tables_;
};

/// The stack that this thread was last seen on. A program may have several for a thread.
extern thread_local constinit Mapping last_stack [[gnu::tls_model("initial-exec")]];

/// The memory of the stack that this thread is on, which has this address; empty where that cannot be found out.
Mapping stack_at(std::uintptr_t address) noexcept;

/// How a walk went.
enum class Walk : std::uint8_t {
  whole,      // the frames are those of the stack, to its end or as many as were wanted
  broken,     // the next frame would lie outside of the stack's memory: the frames up to there
  impossible  // the tables do not tell: nothing
};

/// The frames from a place on, at most `depth`, into `stack`. Reads no memory but the stack's own, above the place.
Walk walk_stack(FrameRules& rules, const ReturnPlace& place, std::size_t depth, Stack& stack) noexcept;

/// Whether a walk from this place, by these rules, would read what that one has read: it lies between the place and the
/// end of this stack, where the place did, too.
[[gnu::always_inline]] inline bool reads_the_same(const RecentWalk& recent, std::uint64_t rules,
                                                  const ReturnPlace& place) noexcept {
  return recent.rules == rules && recent.place == place && place.is_above(last_stack) &&
         recent.stack_end == last_stack.end;
}
/// Whether it would find what that one has found. Its site is known then, if the Python code is where it was.
[[gnu::always_inline]] inline bool is_repeated(const RecentWalk& recent, std::uint64_t rules,
                                               const ReturnPlace& place) noexcept {
  return recent.site.valid() && reads_the_same(recent, rules, place) && recent.words.are_as_they_were();
}
/// The walk that `recent` was given to, on this thread's stack, went by rules of this generation, or younger ones, and
/// is to be known again.
void keep_walk(RecentWalk& recent, std::uint64_t rules, std::uint64_t hash) noexcept;

}  // namespace ddtscope::plugin
