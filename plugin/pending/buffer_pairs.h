// Pairs of arguments that may be wrong together: each is a line of the trace once, then counted. Whether they are wrong
// is found when the trace is read, because it takes more than a moment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugin/judge/verdicts.h"
#include "plugin/pending/buffer.h"
#include "plugin/registry/types_in_use.h"

namespace ddtscope::plugin {

/// What the two are: the second one may belong to an operation that was pending.
enum class PairOf : std::uint8_t {
  pending,
  same_call,
  blocks,  // of one argument
  itself   // one buffer, whose copies may touch some byte twice
};

/// Not synchronised: under the registry's lock.
class BufferPairs {
 public:
  struct Limits {
    std::size_t pairs = 16384;
    /// Of two calls with two types: columns of a matrix lie at so many distances from each other, and must leave
    /// room for what other calls do.
    std::size_t of_two_calls = 512;
    /// Of those that are wrong for certain.
    std::size_t certain = 4096;
  };
  BufferPairs(Verdicts& verdicts, TypesInUse& types, const Limits& limits)
      : verdicts_(verdicts), types_(types), limits_(limits) {}
  BufferPairs(Verdicts& verdicts, TypesInUse& types) : BufferPairs(verdicts, types, Limits()) {}

  /// What the user is to be told now.
  struct Told {
    std::string message;  // empty: nothing
    FindingId id;
  };
  /// Two buffers that may collide. There is something to tell where they share bytes for certain, and it is the first
  /// time at this call site.
  Told overlap(const Buffer& buffer, const Buffer& other, PairOf pair);
  /// A buffer that is written, and may be written twice.
  void itself(const Buffer& buffer);
  /// Two types of one call.
  void mismatch(const Buffer& argument, const Buffer& other);

  /// When nothing else comes.
  void write(trace::Writer& writer);

 private:
  struct Side {
    const EntryPoint* called;
    DefinitionNumber number;
    PredefinedId predefined;
    CallSiteId site;
    UseParameter parameter;
    Access access;
    friend bool operator==(const Side&, const Side&) = default;
  };
  /// What is not told apart by it is the same pair.
  struct Calls {
    Side first, second;
    FindingId id;
    PairOf pair;
    friend bool operator==(const Calls&, const Calls&) = default;
  };
  struct Key {
    Calls calls;
    std::uint64_t elements, other_elements;
    std::int64_t distance;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Calls& calls) const;
    std::size_t operator()(const Key& key) const;
  };
  struct Kept {
    FindingNumber number;
    std::uint64_t count = 0;
    std::uint64_t written = 1;  // the count in the trace
  };
  enum class Certain : std::uint8_t { no, yes };

  static Side side_of(const Buffer& buffer);
  bool record(const Key& key, const Buffer& buffer, const Buffer& other, Certain certain);
  bool has_room(const Calls& calls, Certain certain);
  void count_again(Kept& kept);
  FindingNumber write_pair(const Key& key, const Buffer& buffer, const Buffer& other);

  Verdicts& verdicts_;
  TypesInUse& types_;
  const Limits limits_;
  static constexpr std::size_t most_recent = 256;
  static std::size_t place_of(const Key& key);
  Kept* find(const Key& key);

  std::unordered_map<Key, Kept, Hash> kept_;
  std::array<std::pair<const Key, Kept>*, most_recent> recent_{};  // of kept_
  std::unordered_map<Calls, std::size_t, Hash> of_calls_;
  std::unordered_map<Calls, std::uint64_t, Hash> most_of_itself_;  // elements
  std::size_t uncertain_ = 0, certain_ = 0;
  std::size_t of_one_argument_ = 0;  // of the uncertain ones
  std::uint64_t beyond_two_calls_ = 0, beyond_all_ = 0;
};

}  // namespace ddtscope::plugin
