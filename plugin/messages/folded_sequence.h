// A sequence of numbers, folded while it grows: a number that comes again and again is one, a cycle that comes again
// and again is one, and so are cycles of such. Each number costs a comparison where it is what was expected, and a
// constant number of steps on the average where it is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoder/base/index_table.h"
#include "decoder/base/interned.h"

namespace ddtscope::plugin {

/// What stands in a folded sequence: a number that was appended, or several symbols, in order, so many times.
struct FoldedSymbol {
  std::uint32_t number = 0;         // where there is no body
  std::vector<std::uint32_t> body;  // places of other symbols, which come first
  std::uint64_t repeat = 1;
  friend bool operator==(const FoldedSymbol&, const FoldedSymbol&) = default;
};

/// Each symbol once.
class FoldedSymbols {
 public:
  std::uint32_t intern(FoldedSymbol symbol);
  const FoldedSymbol& operator[](std::uint32_t place) const { return symbols_[place]; }
  std::size_t size() const { return symbols_.size(); }
  /// About so many bytes, those of the sequences among them.
  std::size_t bytes() const { return bytes_; }
  /// A sequence takes more, or less.
  void count_bytes(std::ptrdiff_t more) { bytes_ += static_cast<std::size_t>(more); }

 private:
  struct Hash {
    std::uint64_t operator()(const FoldedSymbol& symbol) const;
  };
  Interned<FoldedSymbol, Hash> symbols_;
  std::size_t bytes_ = 0;
};

/// Finds cycles of up to `longest` symbols: what has come twice in a row is one from then on. What goes in comes out in
/// the same order, folded.
class CycleFinder {
 public:
  CycleFinder(FoldedSymbols& symbols, std::size_t longest, std::function<void(std::uint32_t)> out)
      : symbols_(symbols), longest_(longest), out_(std::move(out)) {}

  void append(std::uint32_t symbol) {
    if (!body_.empty() && symbol == body_[at_]) {
      if (++at_ == body_.size()) {
        at_ = 0;
        ++repeat_;
      }
      return;
    }
    append_unexpected(symbol);
  }
  /// Whether a run is what is expected next; then it has been appended.
  bool append_if_expected(std::uint32_t number, std::uint64_t repeat) {
    if (body_.empty()) return false;
    const FoldedSymbol& expected = symbols_[body_[at_]];
    if (expected.number != number || expected.repeat != repeat || !expected.body.empty()) return false;
    append(body_[at_]);
    return true;
  }
  /// Nothing comes any more, or nothing that is to be folded with what came before.
  void end();

 private:
  void append_unexpected(std::uint32_t symbol);
  void append_loose(std::uint32_t symbol);
  void close_cycle();
  void put_first();
  void count_loose(std::ptrdiff_t more) { symbols_.count_bytes(more * bytes_of_loose); }
  void fold(std::size_t length);
  void put_loose(std::size_t end);

  /// Where this symbol came last, among those that are loose, as they are numbered; none where it did not.
  std::uint32_t last_of(std::uint32_t symbol) const;

  static constexpr std::ptrdiff_t bytes_of_loose = 24;  // with its entry in last_

  FoldedSymbols& symbols_;
  const std::size_t longest_;
  std::function<void(std::uint32_t)> out_;
  // The cycle that is expected to go on, where there is one; then nothing is loose.
  std::vector<std::uint32_t> body_;
  std::size_t at_ = 0;
  std::uint64_t repeat_ = 0;
  // Symbols that are in no cycle, yet. Those before `gone_` have gone out; they are numbered from `first_` on.
  std::vector<std::uint32_t> loose_;
  std::size_t gone_ = 0;
  std::uint32_t first_ = 0;
  IndexTable last_{16};       // by symbols: where each of them came last
  std::uint32_t period_ = 0;  // the last `matches_` symbols are those that stand so many before them
  std::uint32_t matches_ = 0;
};

/// A sequence is a constant where it is a loop of loops of runs: of numbers that are alike (a run), of up to
/// `longest_cycle` runs, and of up to as many of such loops. Many have one run, or a few: these take few bytes.
class FoldedSequence {
 public:
  /// `symbols`, which many sequences share, must outlive it.
  explicit FoldedSequence(FoldedSymbols& symbols, std::size_t longest_cycle = 256);
  FoldedSequence(const FoldedSequence&) = delete;
  FoldedSequence& operator=(const FoldedSequence&) = delete;

  [[gnu::always_inline]] inline void append(std::uint32_t number) {
    ++size_;
    if (repeat_ != 0 && number == last_) {
      ++repeat_;
      return;
    }
    append_other(number);
  }
  /// The number that was appended last is taken back. False where it is not that one, or nobody knows any more.
  bool take_back(std::uint32_t number) {
    if (repeat_ == 0 || number != last_) return false;
    --repeat_;
    --size_;
    return true;
  }
  /// How many were appended, and not taken back.
  std::uint64_t size() const { return size_; }
  /// Places of symbols, in order. Nothing is appended afterwards.
  std::span<const std::uint32_t> end();

 private:
  struct Run {
    std::uint32_t number = 0;
    std::uint64_t repeat = 0;
  };
  /// Finds loops of runs, and loops of such loops.
  struct Loops {
    explicit Loops(FoldedSequence& of);
    CycleFinder outer, inner;
  };
  static constexpr std::size_t most_early = 16;

  void append_other(std::uint32_t number);
  void put_run();
  void fold(const Run& run);
  void fold_early();
  void put_whole(std::uint32_t symbol);
  std::uint32_t symbol_of(const Run& run) {
    return symbols_.intern({.number = run.number, .body = {}, .repeat = run.repeat});
  }
  /// Does `change` to a vector, whose memory is counted.
  template <class Vector, class Change>
  void counted(Vector& vector, const Change& change) {
    const std::size_t before = vector.capacity();
    change();
    symbols_.count_bytes(static_cast<std::ptrdiff_t>((vector.capacity() - before) * sizeof vector[0]));
  }

  FoldedSymbols& symbols_;
  const std::uint32_t longest_cycle_;
  std::uint32_t last_ = 0;
  std::uint64_t repeat_ = 0;  // of it, at the end
  std::uint64_t size_ = 0;
  std::vector<Run> early_;  // the runs before the last one, as long as they are few
  std::unique_ptr<Loops> loops_;
  std::vector<std::uint32_t> whole_;
};

}  // namespace ddtscope::plugin
