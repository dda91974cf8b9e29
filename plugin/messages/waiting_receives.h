// Receives of one communicator whose places in their channels cannot be told yet: of any source or tag until they are
// complete, of a matched probe until they begin, and those that were started behind such ones and may have competed
// with them for the same messages (MPI-4.1 3.5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "plugin/messages/channels.h"

namespace ddtscope::plugin {

/// Which messages a receive takes: of a source, or any, and of a tag, or any.
struct ReceivePattern {
  std::optional<int> source, tag;

  bool is_of_one_channel() const { return source && tag; }
  bool takes_all() const { return !source && !tag; }
  /// Whether a message may fit both.
  friend bool overlap(const ReceivePattern& a, const ReceivePattern& b) {
    return (!a.source || !b.source || *a.source == *b.source) && (!a.tag || !b.tag || *a.tag == *b.tag);
  }
  /// Whether what fits the other one fits this one, too.
  bool covers(const ReceivePattern& other) const {
    return (!source || source == other.source) && (!tag || tag == other.tag);
  }
  friend bool operator==(const ReceivePattern&, const ReceivePattern&) = default;
};

/// A set of patterns that tells at once whether one of them takes a message.
class PatternSet {
 public:
  void add(const ReceivePattern& pattern) { words_.insert(word_of(pattern.source, pattern.tag)); }
  bool takes(int source, int tag) const {
    return words_.contains(word_of(source, tag)) || words_.contains(word_of(std::nullopt, tag)) ||
           words_.contains(word_of(source, std::nullopt)) || words_.contains(word_of(std::nullopt, std::nullopt));
  }

 private:
  // Ranks and tags are not negative.
  static std::uint64_t word_of(std::optional<int> source, std::optional<int> tag) {
    return std::uint64_t{static_cast<std::uint32_t>(source.value_or(-1))} << 32 |
           static_cast<std::uint32_t>(tag.value_or(-1));
  }

  std::unordered_set<std::uint64_t> words_;
};

/// Not synchronised.
class WaitingReceives {
 public:
  using Id = std::uint64_t;
  struct Receive {
    ReceivePattern pattern;
    int process = -1;  // the source's in MPI_COMM_WORLD, where there is one source
    std::optional<std::uint32_t> operation;
    Channel::Start start = {};
    Id id = 0;
  };

  bool empty() const { return receives_.empty(); }
  std::size_t size() const { return receives_.size(); }
  /// Whether one that begins now has to wait.
  bool must_wait(const ReceivePattern& pattern) const;
  Id add(Receive receive);
  /// Null where it does not wait any more.
  Receive* find(Id id);
  void remove(Id id);
  /// The one that has waited longest for its channel or its operation; none where there is none.
  std::optional<Receive> take_oldest_unknown();
  /// Calls `place(receive)` for those that need not wait any more, in their order, and forgets them.
  template <class Place>
  void let_go(const Place& place);

 private:
  static bool is_known(const Receive& receive) { return receive.pattern.is_of_one_channel() && receive.operation; }
  std::deque<Receive>::iterator place_of(Id id);

  std::deque<Receive> receives_;  // in the order in which they were started
  Id last_ = 0;
};

template <class Place>
void WaitingReceives::let_go(const Place& place) {
  PatternSet before;  // of those that go on waiting
  std::size_t kept = 0;
  std::size_t i = 0;
  // Behind the last that is known there is nothing to be placed.
  auto known = std::count_if(receives_.begin(), receives_.end(), is_known);
  for (; i < receives_.size() && known != 0; ++i) {
    const Receive& receive = receives_[i];
    if (is_known(receive)) --known;
    if (is_known(receive) && !before.takes(*receive.pattern.source, *receive.pattern.tag)) {
      place(receive);
      continue;
    }
    before.add(receive.pattern);
    if (kept != i) receives_[kept] = receive;
    ++kept;
    if (receive.pattern.takes_all()) {
      ++i;
      break;
    }
  }
  if (kept != i) {
    receives_.erase(receives_.begin() + static_cast<std::ptrdiff_t>(kept),
                    receives_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace ddtscope::plugin
