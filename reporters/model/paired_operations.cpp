#include "reporters/model/paired_operations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace ddtscope::reporters {
namespace {

using Elements = std::span<const SequenceElement>;

/// The length of each loop's body, by the loop's place; of operations 0.
std::vector<std::uint64_t> body_lengths(Elements elements) {
  std::vector<std::uint64_t> lengths(elements.size());
  // A body stands behind its loop.
  for (std::size_t loop = elements.size(); loop-- > 0;) {
    if (elements[loop].times == 0) continue;
    std::uint64_t length = 0;
    for (std::size_t at = loop + 1; at <= loop + elements[loop].number;) {
      const SequenceElement& element = elements[at];
      length += element.times == 0 ? 1 : element.times * lengths[at];
      at += 1 + (element.times == 0 ? 0 : element.number);
    }
    lengths[loop] = length;
  }
  return lengths;
}

/// A place in a folded sequence.
class Walk {
 public:
  Walk(Elements elements, const std::vector<std::uint64_t>& lengths) : elements_(elements), lengths_(&lengths) {
    levels_.push_back({0, 0, elements.size(), 0, 0, 1});
    descend();
  }

  std::uint32_t operation() const { return elements_[levels_.back().at].number; }

  void step() {
    for (Level& level : levels_) ++level.done;
    ++levels_.back().at;
    settle();
  }

  /// Loops that the place is in; the outermost one is no loop.
  std::size_t depth() const { return levels_.size(); }
  std::uint64_t period(std::size_t level) const { return levels_[level].length; }
  /// From here to the loop's end; 0 where that is in its last turn, or it is no loop.
  std::uint64_t left(std::size_t level) const {
    const Level& loop = levels_[level];
    return loop.turns < 2 ? 0 : loop.turns * loop.length - loop.done;
  }
  /// Over so many operations, turns of the loop that are all in it.
  void skip(std::size_t level, std::uint64_t operations) {
    Level& loop = levels_[level];
    for (std::size_t outer = 0; outer < level; ++outer) levels_[outer].done += operations;
    loop.turns -= operations / loop.length;
    if (loop.turns != 0) return;
    levels_.resize(level);
    leave_loop();
    settle();
  }

 private:
  struct Level {
    std::size_t at, begin, end;  // among the elements; `at` is the loop within which the next level is
    std::uint64_t length;        // of one turn
    std::uint64_t done;          // of this one
    std::uint64_t turns;         // left, this one among them
  };

  void leave_loop() {
    if (!levels_.empty()) levels_.back().at += 1 + elements_[levels_.back().at].number;
  }
  void settle() {
    while (!levels_.empty() && levels_.back().at == levels_.back().end) {
      Level& level = levels_.back();
      if (--level.turns != 0) {
        level.at = level.begin;
        level.done = 0;
        break;
      }
      levels_.pop_back();
      leave_loop();
    }
    descend();
  }
  void descend() {
    while (!levels_.empty() && levels_.back().at != levels_.back().end) {
      const std::size_t at = levels_.back().at;
      const SequenceElement& element = elements_[at];
      if (element.times == 0) return;
      levels_.push_back({at + 1, at + 1, at + 1 + element.number, (*lengths_)[at], 0, element.times});
    }
  }

  Elements elements_;
  const std::vector<std::uint64_t>* lengths_;
  std::vector<Level> levels_;  // outermost first
};

class Pairing {
 public:
  explicit Pairing(std::uint64_t most_steps) : steps_(most_steps) {}

  /// The next `length` places, which begin with place `place` of the sequences and stand for `weight` times as many.
  /// False where it takes too many steps.
  bool go(Walk& first, Walk& second, std::uint64_t length, std::uint64_t weight, std::uint64_t place) {
    while (length != 0) {
      const std::uint64_t looked_at = std::max<std::uint64_t>(1, (first.depth() - 1) * (second.depth() - 1));
      if (steps_ < looked_at) return false;
      steps_ -= looked_at;
      const Turns turns = common_turns(first, second, length);
      if (turns.number < 2) {
        add(first.operation(), second.operation(), weight, place);
        first.step();
        second.step();
        ++place;
        --length;
        continue;
      }
      Walk first_turn = first;
      Walk second_turn = second;
      if (!go(first_turn, second_turn, turns.period, weight * turns.number, place)) return false;
      const std::uint64_t all = turns.period * turns.number;
      first.skip(turns.first_level, all);
      second.skip(turns.second_level, all);
      place += all;
      length -= all;
    }
    return true;
  }

  std::uint64_t steps_left() const { return steps_; }
  std::vector<PairedOperations> take() { return std::move(pairs_); }

 private:
  /// What comes again and again on both sides.
  struct Turns {
    std::uint64_t number = 0, period = 0;
    std::size_t first_level = 0, second_level = 0;
  };

  /// Of all pairs of loops the one by which most is saved.
  static Turns common_turns(const Walk& first, const Walk& second, std::uint64_t length) {
    Turns best;
    std::uint64_t saved = 0;
    for (std::size_t i = 1; i < first.depth(); ++i) {
      const std::uint64_t left = std::min(first.left(i), length);
      for (std::size_t j = 1; j < second.depth(); ++j) {
        const std::uint64_t both = std::min(left, second.left(j));
        const std::uint64_t one = first.period(i);
        const std::uint64_t other = second.period(j);
        if (both / 2 < std::max(one, other)) continue;
        std::uint64_t period = 0;
        if (__builtin_mul_overflow(one, other / std::gcd(one, other), &period) || both / period < 2) continue;
        const std::uint64_t number = both / period;
        if ((number - 1) * period <= saved) continue;
        saved = (number - 1) * period;
        best = {number, period, i, j};
      }
    }
    return best;
  }

  void add(std::uint32_t first, std::uint32_t second, std::uint64_t count, std::uint64_t place) {
    const auto [found, is_new] = places_.try_emplace(std::uint64_t{first} << 32 | second, pairs_.size());
    if (is_new) pairs_.push_back({first, second, 0, place});
    pairs_[found->second].count += count;
  }

  std::uint64_t steps_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<PairedOperations> pairs_;
};

/// Adds what stands in the elements behind the first `from` operations, so many times.
void count(Elements elements, Elements all, const std::vector<std::uint64_t>& lengths, std::uint64_t from,
           std::uint64_t weight, std::map<std::uint32_t, std::uint64_t>& counts) {
  while (!elements.empty()) {
    const SequenceElement& element = elements.front();
    if (element.times == 0) {
      if (from == 0) counts[element.number] += weight;
      if (from != 0) --from;
      elements = elements.subspan(1);
      continue;
    }
    const std::uint64_t length = lengths[static_cast<std::size_t>(&element - all.data())];
    const Elements body = elements.subspan(1, element.number);
    const std::uint64_t gone = std::min(element.times, from / length);
    from -= gone * length;
    std::uint64_t turns = element.times - gone;
    if (turns != 0 && from != 0) {
      count(body, all, lengths, from, weight, counts);
      from = 0;
      --turns;
    }
    if (turns != 0) count(body, all, lengths, 0, weight * turns, counts);
    elements = elements.subspan(1 + body.size());
  }
}

}  // namespace

std::uint64_t length_of(Elements elements) {
  const std::vector<std::uint64_t> lengths = body_lengths(elements);
  std::uint64_t length = 0;
  for (std::size_t at = 0; at < elements.size();) {
    const SequenceElement& element = elements[at];
    length += element.times == 0 ? 1 : element.times * lengths[at];
    at += 1 + (element.times == 0 ? 0 : element.number);
  }
  return length;
}

std::optional<std::vector<PairedOperations>> paired_operations(Elements first, Elements second, std::uint64_t length,
                                                               std::uint64_t most_steps) {
  return paired_operations_within(first, second, length, most_steps);
}

std::optional<std::vector<PairedOperations>> paired_operations_within(Elements first, Elements second,
                                                                      std::uint64_t length, std::uint64_t& steps) {
  const std::vector<std::uint64_t> first_lengths = body_lengths(first);
  const std::vector<std::uint64_t> second_lengths = body_lengths(second);
  Walk first_walk(first, first_lengths);
  Walk second_walk(second, second_lengths);
  Pairing pairing(steps + first.size() + second.size());
  const bool is_paired = pairing.go(first_walk, second_walk, length, 1, 0);
  steps = std::min(steps, pairing.steps_left());
  if (!is_paired) return std::nullopt;
  return pairing.take();
}

std::vector<CountedOperation> operations_from(Elements elements, std::uint64_t from) {
  std::map<std::uint32_t, std::uint64_t> counts;
  count(elements, elements, body_lengths(elements), from, 1, counts);
  std::vector<CountedOperation> operations;
  for (const auto& [operation, number] : counts) operations.push_back({operation, number});
  return operations;
}

}  // namespace ddtscope::reporters
