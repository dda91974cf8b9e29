// Which entry of a typemap covers a byte, and which covered bytes are the nearest to one that none covers. Loops become
// sums of strides, parts are found by their hulls; nothing is expanded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decoder/base/stride_sums.h"
#include "decoder/layout/layout_index.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {

enum class Covered : std::uint8_t { no, yes, undecided };
std::string_view text_of(Covered covered);  // "no", "yes", "undecided"

/// How many steps may be taken in vain, per question. Nests of loops in any order, and parts whose hulls stand apart,
/// take few; many parts whose hulls interleave may need more.
inline constexpr std::size_t byte_search_work_limit = std::size_t{1} << 18;

struct CoveringEntry {
  Exact entry;         // its number among the entries of all copies, which may not fit
  Exact copy;          // which copy it belongs to
  TypemapEntry place;  // displacement in bytes from the buffer's address
  Exact byte;          // of the entry, from 0
};

struct ByteAnswer {
  Covered covered = Covered::undecided;
  CoveringEntry entry;  // where it is covered
};

struct NearestByte {
  Covered exists = Covered::undecided;
  Exact byte;  // where it exists, from the buffer's address
};

/// Answers for copies of one type. Keeps its memory, and in `index` what it learnt about the parts of nodes, from
/// question to question: each takes O(depth * log(parts)) after the first, where hulls do not interleave.
class ByteSearch {
 public:
  /// `index` must outlive the search.
  ByteSearch(LayoutIndex& index, LayoutId root, Copies copies = {}, std::size_t work_limit = byte_search_work_limit);
  ByteSearch(const ByteSearch&) = delete;
  ByteSearch& operator=(const ByteSearch&) = delete;

  /// Which entry covers the byte at `byte` from the buffer's address: one of those that do, any one where several
  /// overlap. Undecided where the work limit was met or bounds do not fit; never a wrong answer.
  ByteAnswer find(Exact byte);

  /// The nearest covered byte below or above `byte`, which is itself not looked at. No where there is none, undecided
  /// as above.
  NearestByte nearest_below(Exact byte);
  NearestByte nearest_above(Exact byte);

 private:
  /// Steps of a loop that is not yet decided.
  struct Term {
    StrideTerm steps;
    Exact entries;  // per step
    bool is_copies = false;
  };
  /// A node on the way down. The bytes wanted are low .. high, less the steps of terms_[terms_begin, terms_end).
  struct State {
    const LayoutNode* node = nullptr;
    Int128 low = 0, high = 0;
    std::size_t terms_begin = 0, terms_end = 0;
    Exact entries = 0;  // before, in the loops that are decided
    Exact copy = 0;
  };
  /// What may be tried at a parts node: its parts, or the steps of the last of its terms.
  struct Branch {
    enum class Over : std::uint8_t { places, parts, steps } over = Over::parts;
    State state;
    LayoutIndex::PlaceSearch places;
    Int128 next = 0, end = 0;
    std::size_t part = 0;  // the one tried
  };

  bool is_bounded_by_entries() const;
  template <class Test>
  Covered least_distance(Int128 most, Test test, Int128& distance);

  /// Whether any of these bytes is covered.
  Covered search(Int128 low, Int128 high);
  bool descend(State& state);
  Reach reach(const State& state, Exact first, Exact last);
  void add_term(State& state, Exact stride, Exact count, Exact entries);
  void copy_terms(State& state);
  static void take_steps(State& state, const Term& term, Int128 steps);
  void take_part(State& state, std::size_t i);
  void decide_lone_steps(State& state);
  Branch branch_at(const State& state);
  bool next_branch(State& state);
  bool next_part(Branch& branch);
  ByteAnswer covering(Int128 byte);

  // Nodes of so few parts are looked through.
  static constexpr std::size_t small_node = 16;

  LayoutIndex& index_;
  const Layouts& layouts_;
  LayoutNode top_;
  std::size_t work_limit_;

  // Of one search.
  std::size_t work_ = 0;
  std::size_t steps_in_vain_ = 0;  // since the last branch
  bool is_undecided_ = false;
  State end_;  // where it ended
  StrideSums sums_;
  std::vector<Term> terms_;
  std::vector<StrideTerm> strides_;
  std::vector<Branch> branches_;
};

}  // namespace ddtscope
