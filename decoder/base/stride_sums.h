// Sums of strides: whether some numbers of steps, each within its own limits, lead into a window. This is what
// "do two strided layouts meet" comes down to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoder/base/exact.h"

namespace ddtscope {

/// A number of steps between `least` and `greatest`, each of them `stride` long.
struct StrideTerm {
  Int128 stride = 0;
  Int128 least = 0;
  Int128 greatest = 0;  // >= least
};

/// Where a sum is to lead: the numbers from `low` to `high`; none where low > high.
struct Window {
  Int128 low = 0;
  Int128 high = 0;
};

enum class Reach : std::uint8_t { no, yes, undecided };

/// Solver that keeps its memory from call to call.
class StrideSums {
 public:
  /// What no stride, no window and no sum may exceed in size.
  static constexpr Int128 limit = Int128{1} << 120;

  /// Which of several ways into the window is found.
  enum class Goal : std::uint8_t {
    any,
    least_of_first,  // the one with the smallest number of steps of the first term
  };

  /// Whether the sum of steps[i] * stride[i] is within the window for some steps within their limits. Exact, unless
  /// `work` runs out first: it counts the numbers that were tried, and is lowered.
  Reach reach(std::span<const StrideTerm> terms, Window window, Goal goal, std::size_t& work);

  /// The steps that the last `reach` found, one number per term. Only after Reach::yes.
  std::vector<Int128> steps() const;

 private:
  /// A term made positive: 0 to `most` steps of a stride greater than 0.
  struct Positive {
    Int128 stride, most;
    std::size_t term;
    bool is_flipped;  // counts from the term's greatest number of steps down
  };
  /// A window of this width around the multiples of `divisor` holds all sums of some strides.
  struct Sieve {
    Int128 divisor = 0, width = 0;
  };
  /// Terms of one stride. The search picks a number of steps for the last level first.
  struct Level {
    Int128 stride = 0, most = 0;
    std::size_t begin = 0, end = 0;  // in positive_
    Int128 reach_below = 0;          // the greatest sum of the levels below
    Sieve sieve;                     // of the levels below; none where the divisor is 0
    Int128 low = 0;                  // what is left of the window's lower end
    Int128 x = 0, last = 0;          // the steps tried, and the last ones to try
    Int128 again_from = 0, again_to = -1;
  };

  void make_positive(std::span<const StrideTerm> terms, Int128& low, Int128& high, Goal goal);
  void absorb(Int128& low, Int128 high, Goal goal);
  void make_levels(Goal goal);
  void choose_sieves();
  void enter(std::size_t index, Int128 low, Goal goal);
  /// Moves to the first candidate from x on that the levels below might complete.
  bool settle(Level& level, std::size_t& work) const;

  std::vector<StrideTerm> terms_;
  std::vector<Positive> positive_;  // by stride; with Goal::least_of_first that term is last
  std::vector<Int128> lows_;        // the window's lower end before each absorbed term
  std::vector<Level> levels_;
  std::vector<Sieve> sieves_;
  Int128 width_ = 0;  // high - low, once all that can be is absorbed
};

}  // namespace ddtscope
