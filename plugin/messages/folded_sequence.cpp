#include "plugin/messages/folded_sequence.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {
namespace {

std::uint64_t hash_of(const FoldedSymbol& symbol) {
  const std::uint64_t body = XXH3_64bits(symbol.body.data(), symbol.body.size() * sizeof(std::uint32_t));
  return XXH3_64bits_withSeed(&symbol.repeat, sizeof symbol.repeat, body ^ symbol.number);
}

}  // namespace

std::uint32_t FoldedSymbols::intern(FoldedSymbol symbol) {
  const std::uint64_t hash = hash_of(symbol);
  const auto [begin, end] = by_hash_.equal_range(hash);
  const auto found = std::find_if(begin, end, [&](const auto& entry) { return symbols_[entry.second] == symbol; });
  if (found != end) return found->second;
  constexpr std::size_t bytes_of_entry = 64;  // of the table by hashes
  bytes_ += sizeof symbol + symbol.body.size() * sizeof(std::uint32_t) + bytes_of_entry;
  const auto place = static_cast<std::uint32_t>(symbols_.size());
  symbols_.push_back(std::move(symbol));
  by_hash_.emplace(hash, place);
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

void CycleFinder::append_loose(std::uint32_t symbol) {
  if (!body_.empty()) return append(symbol);  // what is loose again may be a cycle of its own
  const std::uint64_t here = first_ + loose_.size();
  const std::uint64_t oldest = first_ + gone_;
  const bool goes_on = period_ != 0 && here - period_ >= oldest && loose_[here - period_ - first_] == symbol;
  const auto [found, is_new] = last_.try_emplace(symbol, here);
  if (goes_on) {
    ++matches_;
  } else {
    period_ = is_new || found->second < oldest ? 0 : here - found->second;
    if (period_ > longest_) period_ = 0;  // the first of the two would not be here any more
    matches_ = period_ != 0 ? 1 : 0;
  }
  found->second = here;
  loose_.push_back(symbol);
  count_loose(1);
  if (period_ != 0 && matches_ >= period_) return fold(period_);
  if (loose_.size() - gone_ > 2 * longest_) put_first();
}

/// The oldest of those that are loose goes out: it is too old for a cycle.
void CycleFinder::put_first() {
  const std::uint32_t first = loose_[gone_];
  if (const auto at = last_.find(first); at != last_.end() && at->second == first_ + gone_) last_.erase(at);
  ++gone_;
  count_loose(-1);
  if (gone_ > 2 * longest_) {
    loose_.erase(loose_.begin(), loose_.begin() + static_cast<std::ptrdiff_t>(gone_));
    first_ += std::exchange(gone_, 0);
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
    : symbols_(symbols),
      outer_(symbols_, longest_cycle, [this](std::uint32_t symbol) { put_whole(symbol); }),
      inner_(symbols_, longest_cycle, [this](std::uint32_t symbol) { outer_.append(symbol); }) {
  symbols_.count_bytes(sizeof *this);
}

void FoldedSequence::put_whole(std::uint32_t symbol) {
  const std::size_t before = whole_.capacity();
  whole_.push_back(symbol);
  symbols_.count_bytes(static_cast<std::ptrdiff_t>((whole_.capacity() - before) * sizeof symbol));
}

void FoldedSequence::append_other(std::uint32_t number) {
  put_run();
  last_ = number;
  repeat_ = 1;
}

void FoldedSequence::put_run() {
  const std::uint64_t repeat = std::exchange(repeat_, 0);
  if (repeat == 0 || inner_.append_if_expected(last_, repeat)) return;
  inner_.append(symbols_.intern({.number = last_, .body = {}, .repeat = repeat}));
}

std::span<const std::uint32_t> FoldedSequence::end() {
  put_run();
  inner_.end();
  outer_.end();
  return whole_;
}

}  // namespace ddtscope::plugin
