#include "reporters/model/paired_operations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "reporters/model/folded_lengths.h"

namespace ddtscope::reporters {
namespace {

using Elements = std::span<const SequenceElement>;

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

/// Two walks side by side. What is seen of them is `Pairs`': `add(first, second, count, place)` for each two
/// operations, and `begin()` and `end(mark, turns)` around those that come so many times.
template <class Pairs>
class Pairing {
 public:
  Pairing(std::uint64_t most_steps, Pairs& pairs) : steps_(most_steps), pairs_(pairs) {}

  /// The next `length` places, which begin with place `place` of the sequences and stand for `weight` times as many.
  /// False where it takes too many steps.
  bool go(Walk& first, Walk& second, std::uint64_t length, std::uint64_t weight, std::uint64_t place) {
    while (length != 0) {
      const std::uint64_t looked_at = std::max<std::uint64_t>(1, (first.depth() - 1) * (second.depth() - 1));
      if (steps_ < looked_at) return false;
      steps_ -= looked_at;
      const Turns turns = common_turns(first, second, length);
      if (turns.number < 2) {
        pairs_.add(first.operation(), second.operation(), weight, place);
        first.step();
        second.step();
        ++place;
        --length;
        continue;
      }
      Walk first_turn = first;
      Walk second_turn = second;
      const std::size_t mark = pairs_.begin();
      if (!go(first_turn, second_turn, turns.period, weight * turns.number, place)) return false;
      pairs_.end(mark, turns.number);
      const std::uint64_t all = turns.period * turns.number;
      first.skip(turns.first_level, all);
      second.skip(turns.second_level, all);
      place += all;
      length -= all;
    }
    return true;
  }

  std::uint64_t steps_left() const { return steps_; }

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

  std::uint64_t steps_;
  Pairs& pairs_;
};

/// Each pair once, with how often it is there.
class CountedPairs {
 public:
  void add(std::uint32_t first, std::uint32_t second, std::uint64_t count, std::uint64_t place) {
    const auto [found, is_new] = places_.try_emplace(std::uint64_t{first} << 32 | second, pairs_.size());
    if (is_new) pairs_.push_back({first, second, 0, place});
    pairs_[found->second].count += count;
  }
  static std::size_t begin() { return 0; }
  static void end(std::size_t, std::uint64_t) {}
  std::vector<PairedOperations> take() { return std::move(pairs_); }

 private:
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<PairedOperations> pairs_;
};

/// Each pair with a number, and the sequence of these.
class NumberedPairs {
 public:
  void add(std::uint32_t first, std::uint32_t second, std::uint64_t, std::uint64_t) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::uint64_t{first} << 32 | second, static_cast<std::uint32_t>(pairs.size()));
    if (is_new) pairs.emplace_back(first, second);
    elements.push_back({0, found->second});
  }
  std::size_t begin() const { return elements.size(); }
  void end(std::size_t mark, std::uint64_t turns) {
    const auto body = static_cast<std::uint32_t>(elements.size() - mark);
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(mark), {turns, body});
  }

  std::vector<SequenceElement> elements;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// Goes through both; false where it takes too many steps.
template <class Pairs>
bool pair_up(Elements first, Elements second, std::uint64_t length, std::uint64_t& steps, Pairs& pairs) {
  const std::vector<std::uint64_t> first_lengths = body_lengths(first);
  const std::vector<std::uint64_t> second_lengths = body_lengths(second);
  Walk first_walk(first, first_lengths);
  Walk second_walk(second, second_lengths);
  Pairing<Pairs> pairing(steps + first.size() + second.size(), pairs);
  const bool is_paired = pairing.go(first_walk, second_walk, length, 1, 0);
  steps = std::min(steps, pairing.steps_left());
  return is_paired;
}

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
  CountedPairs pairs;
  if (!pair_up(first, second, length, steps, pairs)) return std::nullopt;
  return pairs.take();
}

std::optional<JoinedSequences> joined_sequences(std::span<const Elements> sequences, std::uint32_t of_ended,
                                                std::uint64_t& steps) {
  constexpr std::size_t most_in_rows = std::size_t{1} << 24;
  std::uint64_t length = 0;
  for (const Elements one : sequences) length = std::max(length, length_of(one));
  // One after the other beside all before it.
  std::vector<SequenceElement> elements;
  if (length != 0) elements = {{length, 1}, {0, 0}};
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> pairs;
  for (const Elements one : sequences) {
    std::vector<SequenceElement> whole(one.begin(), one.end());
    const std::uint64_t missing = length - length_of(one);
    if (missing > 1) whole.push_back({missing, 1});
    if (missing != 0) whole.push_back({0, of_ended});
    NumberedPairs numbered;
    if (!pair_up(elements, whole, length, steps, numbered)) return std::nullopt;
    elements = std::move(numbered.elements);
    pairs.push_back(std::move(numbered.pairs));
  }
  if (pairs.empty() || pairs.back().size() > most_in_rows / sequences.size()) return std::nullopt;
  JoinedSequences joined{std::move(elements), {}};
  joined.rows.resize(pairs.back().size(), std::vector<std::uint32_t>(sequences.size()));
  for (std::size_t row = 0; row < joined.rows.size(); ++row) {
    auto number = static_cast<std::uint32_t>(row);
    for (std::size_t i = sequences.size(); i-- > 0;) {
      const auto& [before, own] = pairs[i][number];
      joined.rows[row][i] = own;
      number = before;
    }
  }
  return joined;
}

std::uint32_t operation_at(Elements elements, std::uint64_t place) {
  const std::vector<std::uint64_t> lengths = body_lengths(elements);
  for (std::size_t at = 0;;) {
    const SequenceElement& element = elements[at];
    const std::uint64_t length = element.times == 0 ? 1 : lengths[at];
    const std::uint64_t all = element.times == 0 ? 1 : element.times * length;
    if (place >= all) {
      place -= all;
      at += 1 + (element.times == 0 ? 0 : element.number);
      continue;
    }
    if (element.times == 0) return element.number;
    place %= length;
    ++at;
  }
}

std::vector<CountedOperation> operations_from(Elements elements, std::uint64_t from) {
  std::map<std::uint32_t, std::uint64_t> counts;
  count(elements, elements, body_lengths(elements), from, 1, counts);
  std::vector<CountedOperation> operations;
  for (const auto& [operation, number] : counts) operations.push_back({operation, number});
  return operations;
}

}  // namespace ddtscope::reporters
