// A window on a line, and strides into it: short strides widen the window, long ones are searched with Euclid's help.
#include "decoder/base/stride_sums.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ddtscope {
namespace {

Int128 modulo(Int128 a, Int128 positive) {
  const Int128 rest = a % positive;
  return rest < 0 ? rest + positive : rest;
}

Int128 common_divisor(Int128 a, Int128 b) {
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::int64_t narrow(Int128 a) { return static_cast<std::int64_t>(a); }

/// Below it, numbers fit 64 bits and products of two fit 128.
constexpr Int128 greatest_modulus = Int128{1} << 62;

/// The multiples of a, modulo m; 0 <= a < m.
struct Multiples {
  std::int64_t a, m;
};

/// The least x >= 0 with low <= x * a mod m <= high, where 0 < low <= high < m: Euclid's algorithm, which each step
/// turns into the same question about smaller numbers.
std::optional<Int128> first_multiple_within(Multiples of, std::int64_t low, std::int64_t high, std::size_t& work) {
  auto [a, m] = of;
  struct Step {
    std::int64_t a, m, low;
  };
  constexpr std::size_t most_steps = 128;  // numbers below 2^62 take at most 90
  Step steps[most_steps];
  std::size_t depth = 0;
  std::int64_t x = 0;
  while (true) {
    if (work > 0) --work;
    if (a == 0) return std::nullopt;
    x = low / a + (low % a != 0);
    if (x <= high / a) break;
    // No multiple of a lies within, so low..high holds less than a numbers: x * a = low..high + y * m asks for the
    // first y with -y * m mod a, that is y * m mod a, within -high..-low.
    steps[depth++] = Step{a, m, low};
    const std::int64_t next_high = a - low % a;
    low = a - high % a;
    high = next_high;
    a = std::exchange(m, a) % a;
  }
  while (depth > 0) {
    const Step& step = steps[--depth];
    x = static_cast<std::int64_t>((step.low + Int128{x} * step.m + step.a - 1) / step.a);
  }
  return x;
}

}  // namespace

Reach StrideSums::reach(std::span<const StrideTerm> terms, Window window, Goal goal, std::size_t& work) {
  auto [low, high] = window;
  if (low > high) return Reach::no;
  terms_.assign(terms.begin(), terms.end());
  make_positive(terms, low, high, goal);
  absorb(low, high, goal);
  if (high < 0) return Reach::no;
  levels_.clear();
  if (lows_.size() == positive_.size()) return low <= 0 ? Reach::yes : Reach::no;
  width_ = high - low;
  make_levels(goal);
  choose_sieves();

  std::size_t level = levels_.size() - 1;
  enter(level, low, goal);
  while (true) {
    Level& current = levels_[level];
    if (!settle(current, work)) {
      if (work == 0) return Reach::undecided;
      if (++level == levels_.size()) return Reach::no;
      ++levels_[level].x;
      continue;
    }
    if (level == 0) return Reach::yes;
    --level;
    enter(level, current.low - current.x * current.stride, Goal::any);
  }
}

void StrideSums::make_positive(std::span<const StrideTerm> terms, Int128& low, Int128& high, Goal goal) {
  // The term whose least steps are wanted must count up: then all others are turned instead.
  const bool is_mirrored = goal == Goal::least_of_first && !terms.empty() && terms[0].stride < 0;
  if (is_mirrored) {
    low = -std::exchange(high, -low);
  }
  positive_.clear();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const StrideTerm& term = terms[i];
    const Int128 stride = is_mirrored ? -term.stride : term.stride;
    const bool is_flipped = stride < 0;
    const Int128 base = stride * (is_flipped ? term.greatest : term.least);
    low -= base;
    high -= base;
    if (stride == 0 || term.least == term.greatest) {
      if (i == 0) goal = Goal::any;  // nothing to choose
      continue;
    }
    positive_.push_back(Positive{is_flipped ? -stride : stride, term.greatest - term.least, i, is_flipped});
  }
  const auto is_pinned = [&](const Positive& term) { return goal == Goal::least_of_first && term.term == 0; };
  std::sort(positive_.begin(), positive_.end(), [&](const Positive& a, const Positive& b) {
    return is_pinned(a) != is_pinned(b) ? is_pinned(b) : a.stride < b.stride;
  });
}

/// Windows one stride apart that touch are one window: such a stride need not be searched.
void StrideSums::absorb(Int128& low, Int128 high, Goal goal) {
  lows_.clear();
  for (const Positive& term : positive_) {
    const bool is_pinned = goal == Goal::least_of_first && term.term == 0;
    if (is_pinned || term.stride > high - low + 1) break;
    lows_.push_back(low);
    low -= term.stride * term.most;
  }
}

void StrideSums::make_levels(Goal goal) {
  Int128 reach_below = 0;
  for (std::size_t i = lows_.size(); i < positive_.size(); ++i) {
    const Positive& term = positive_[i];
    const bool is_pinned = goal == Goal::least_of_first && term.term == 0;
    if (levels_.empty() || levels_.back().stride != term.stride || is_pinned) {
      Level& level = levels_.emplace_back();
      level.stride = term.stride;
      level.begin = i;
      level.reach_below = reach_below;
    }
    levels_.back().most += term.most;
    levels_.back().end = i + 1;
    reach_below += term.stride * term.most;
  }
}

/// What the levels below can add to is a multiple of the common divisor of some, give or take what the shorter ones
/// reach and the window. For each level, the split of those below that lets the least through.
void StrideSums::choose_sieves() {
  constexpr std::size_t most_sieves = 16;
  sieves_.clear();
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    double least_passed = 1;
    for (const Sieve& sieve : sieves_) {
      const double passed = static_cast<double>(sieve.width + 1) / static_cast<double>(sieve.divisor);
      if (passed >= least_passed || sieve.divisor >= greatest_modulus) continue;
      least_passed = passed;
      level.sieve = sieve;
    }
    if (i + 1 == levels_.size()) break;
    for (Sieve& sieve : sieves_) sieve.divisor = common_divisor(level.stride, sieve.divisor);
    sieves_.push_back(Sieve{level.stride, width_ + level.reach_below});
    std::erase_if(sieves_, [](const Sieve& sieve) { return sieve.divisor <= sieve.width + 1; });
    if (sieves_.size() > most_sieves) sieves_.erase(sieves_.begin());
  }
}

void StrideSums::enter(std::size_t index, Int128 low, Goal goal) {
  Level& level = levels_[index];
  level.low = low;
  const Int128 first = std::max<Int128>(0, ceiling_quotient(low - level.reach_below, level.stride));
  level.last = std::min(level.most, floor_quotient(low + width_, level.stride));
  level.x = level.again_from = first;
  level.again_to = first - 1;
  if (goal == Goal::least_of_first || first >= level.last) return;
  // From the middle on first: there the levels below have the most ways to go on.
  level.x = first + (level.last - first) / 2;
  level.again_to = level.x - 1;
}

bool StrideSums::settle(Level& level, std::size_t& work) const {
  while (true) {
    if (level.x <= level.last) {
      if (work == 0) return false;
      --work;
      const Int128 divisor = level.sieve.divisor;
      if (divisor == 0) return true;
      // What is left must come close to a multiple of the divisor: (x * stride - low) mod divisor <= width, where the
      // window reaches down as far as the sieve's width says.
      const Int128 low = level.low + width_ - level.sieve.width;
      const Int128 residue = modulo(level.x * level.stride - low, divisor);
      if (residue <= level.sieve.width) return true;
      const std::optional<Int128> more =
          first_multiple_within({narrow(modulo(level.stride, divisor)), narrow(divisor)}, narrow(divisor - residue),
                                narrow(divisor - residue + level.sieve.width), work);
      if (more && *more <= level.last - level.x) {
        level.x += *more;
        return true;
      }
      if (work == 0) return false;
      if (!more) return false;
    }
    if (level.again_from > level.again_to) return false;
    level.x = level.again_from;
    level.last = level.again_to;
    level.again_to = level.again_from - 1;
  }
}

std::vector<Int128> StrideSums::steps() const {
  std::vector<Int128> positive(positive_.size());
  Int128 sum = 0;
  for (const Level& level : levels_) {
    Int128 rest = level.x;
    sum += rest * level.stride;
    for (std::size_t k = level.begin; k < level.end; ++k) {
      positive[k] = std::min(rest, positive_[k].most);
      rest -= positive[k];
    }
  }
  for (std::size_t i = lows_.size(); i-- > 0;) {
    positive[i] = std::max<Int128>(0, ceiling_quotient(lows_[i] - sum, positive_[i].stride));
    sum += positive[i] * positive_[i].stride;
  }
  std::vector<Int128> result;
  for (const StrideTerm& term : terms_) result.push_back(term.least);
  for (std::size_t i = 0; i < positive_.size(); ++i) {
    const StrideTerm& term = terms_[positive_[i].term];
    result[positive_[i].term] = positive_[i].is_flipped ? term.greatest - positive[i] : term.least + positive[i];
  }
  return result;
}

}  // namespace ddtscope
