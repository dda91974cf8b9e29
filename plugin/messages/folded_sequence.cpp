#include "plugin/messages/folded_sequence.h"

#include <utility>

#include "decoder/base/hash_of_words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {
namespace {

/// Of a symbol's place.
std::uint64_t hash_of(std::uint32_t symbol) { return symbol * 0x9E3779B97F4A7C15u; }

}  // namespace

std::uint64_t FoldedSymbols::Hash::operator()(const FoldedSymbol& symbol) const {
  if (symbol.body.empty()) return HashOfWords(symbol.number).add(symbol.repeat).value();
  const std::uint64_t body = XXH3_64bits(symbol.body.data(), symbol.body.size() * sizeof(std::uint32_t));
  return XXH3_64bits_withSeed(&symbol.repeat, sizeof symbol.repeat, body ^ symbol.number);
}

std::uint32_t FoldedSymbols::intern(FoldedSymbol symbol) {
  const std::size_t bytes = sizeof symbol + symbol.body.size() * sizeof(std::uint32_t) + IndexTable::bytes_per_number;
  const auto [place, is_new] = symbols_.intern(std::move(symbol));
  if (is_new) bytes_ += bytes;
  return place;
}

void CycleFinder::append_unexpected(std::uint32_t symbol) {
  if (!body_.empty()) close_cycle();
  append_loose(symbol);
}

/// What of the cycle had come once more, in part, is loose again: each of its symbols took one step to come by.
void CycleFinder::close_cycle() {
  const std::vector<std::uint32_t> body = std::exchange(body_, {});
  const std::size_t begun = std::exchange(at_, 0);
  out_(symbols_.intern({.number = 0, .body = body, .repeat = repeat_}));
  for (std::size_t i = 0; i < begun; ++i) append_loose(body[i]);
}

std::uint32_t CycleFinder::last_of(std::uint32_t symbol) const {
  return last_.find(hash_of(symbol), [&](std::uint32_t place) { return loose_[place - first_] == symbol; });
}

void CycleFinder::append_loose(std::uint32_t symbol) {
  if (!body_.empty()) return append(symbol);  // what is loose again may be a cycle of its own
  const auto here = first_ + static_cast<std::uint32_t>(loose_.size());
  const std::uint32_t before = last_of(symbol);
  const bool goes_on = period_ != 0 && here - period_ >= first_ + gone_ && loose_[here - period_ - first_] == symbol;
  if (goes_on) {
    ++matches_;
  } else {
    period_ = before == IndexTable::none ? 0 : here - before;
    if (period_ > longest_) period_ = 0;  // the first of the two would not be here any more
    matches_ = period_ != 0 ? 1 : 0;
  }
  if (before != IndexTable::none) last_.erase(hash_of(symbol), before);
  loose_.push_back(symbol);
  last_.insert(hash_of(symbol), here);
  count_loose(1);
  if (period_ != 0 && matches_ >= period_) return fold(period_);
  if (loose_.size() - gone_ > 2 * longest_) put_first();
}

/// The oldest of those that are loose goes out: it is too old for a cycle.
void CycleFinder::put_first() {
  const std::uint32_t first = loose_[gone_];
  const auto here = first_ + static_cast<std::uint32_t>(gone_);
  if (last_of(first) == here) last_.erase(hash_of(first), here);
  ++gone_;
  count_loose(-1);
  if (gone_ > 2 * longest_) {
    loose_.erase(loose_.begin(), loose_.begin() + static_cast<std::ptrdiff_t>(gone_));
    first_ += static_cast<std::uint32_t>(std::exchange(gone_, 0));
  }
  out_(first);
}

/// The last symbols are twice the same ones.
void CycleFinder::fold(std::size_t length) {
  const std::vector<std::uint32_t> body(loose_.end() - static_cast<std::ptrdiff_t>(length), loose_.end());
  put_loose(loose_.size() - 2 * length);
  body_ = body;
  repeat_ = 2;
  at_ = 0;
}

/// Those before `end` go out, and none is loose any more.
void CycleFinder::put_loose(std::size_t end) {
  for (std::size_t i = gone_; i < end; ++i) out_(loose_[i]);
  count_loose(-static_cast<std::ptrdiff_t>(loose_.size() - gone_));
  loose_.clear();
  last_.clear();
  gone_ = first_ = period_ = matches_ = 0;
}

void CycleFinder::end() {
  while (!body_.empty()) close_cycle();
  put_loose(loose_.size());
}

FoldedSequence::FoldedSequence(FoldedSymbols& symbols, std::size_t longest_cycle)
    : symbols_(symbols), longest_cycle_(static_cast<std::uint32_t>(longest_cycle)) {
  symbols_.count_bytes(sizeof *this);
}

FoldedSequence::Loops::Loops(FoldedSequence& of)
    : outer(of.symbols_, of.longest_cycle_, [&of](std::uint32_t symbol) { of.put_whole(symbol); }),
      inner(of.symbols_, of.longest_cycle_, [this](std::uint32_t symbol) { outer.append(symbol); }) {
  of.symbols_.count_bytes(sizeof *this);
}

void FoldedSequence::put_whole(std::uint32_t symbol) {
  counted(whole_, [&] { whole_.push_back(symbol); });
}

void FoldedSequence::append_other(std::uint32_t number) {
  put_run();
  last_ = number;
  repeat_ = 1;
}

void FoldedSequence::put_run() {
  const Run run{last_, std::exchange(repeat_, 0)};
  if (run.repeat == 0) return;
  if (loops_) return fold(run);
  if (!early_.empty() && early_.back().number == run.number) {  // what stood between them was taken back
    early_.back().repeat += run.repeat;
    return;
  }
  counted(early_, [&] { early_.push_back(run); });
  if (early_.size() == most_early) fold_early();
}

void FoldedSequence::fold(const Run& run) {
  if (!loops_->inner.append_if_expected(run.number, run.repeat)) loops_->inner.append(symbol_of(run));
}

void FoldedSequence::fold_early() {
  loops_ = std::make_unique<Loops>(*this);
  for (const Run& run : early_) fold(run);
  counted(early_, [&] { std::vector<Run>().swap(early_); });
}

std::span<const std::uint32_t> FoldedSequence::end() {
  put_run();
  // No loop is shorter than two runs that come twice.
  if (early_.size() > 3) fold_early();
  for (const Run& run : std::exchange(early_, {})) put_whole(symbol_of(run));
  if (loops_) {
    loops_->inner.end();
    loops_->outer.end();
  }
  return whole_;
}

}  // namespace ddtscope::plugin
