// A call of a collective operation as a process made it. Each is told once, and known by its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decoder/base/hash_of_words.h"
#include "decoder/base/interned.h"
#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/registry/types_in_use.h"
#include "reporters/trace/format/records.h"

namespace ddtscope::plugin {

/// Blocks of a side, one behind the other, that are alike.
struct BlockRun {
  std::uint64_t times = 1;
  DefinitionNumber number = {};  // of the type, as in TypeInUse
  PredefinedId predefined = {};  // the same; neither where there are no elements
  std::uint64_t elements = 0;    // of each block
  bool is_like(const BlockRun& other) const {
    return number == other.number && predefined == other.predefined && elements == other.elements;
  }
  friend auto operator<=>(const BlockRun&, const BlockRun&) = default;
};

/// What the process gives, or gets.
struct CollectiveSide {
  CollectiveSideIs is = CollectiveSideIs::none;
  std::uint32_t blocks = 0;  // their place among the blocks that are kept
  friend auto operator<=>(const CollectiveSide&, const CollectiveSide&) = default;
};

struct CollectiveCall {
  const EntryPoint* called = nullptr;
  CallSiteId site = {};
  CollectiveRoot root = {};
  std::string_view op = {};  // as the trace has it
  CollectiveSide send = {}, receive = {};
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
  std::uint64_t hash() const {
    const auto word_of = [](const CollectiveSide& side) {
      return std::uint64_t{side.blocks} << 8 | static_cast<std::uint64_t>(side.is);
    };
    const auto place_of_root =
        std::uint64_t{static_cast<std::uint32_t>(root.rank)} << 8 | static_cast<std::uint64_t>(root.is);
    return HashOfWords(std::uint64_t{site.value} << 32 ^ op.size())
        .add(called)
        .add(place_of_root)
        .add(word_of(send))
        .add(word_of(receive))
        .value();
  }
};

/// Not synchronised. Arrays of blocks are kept up to so many bytes.
class CollectiveCalls {
 public:
  explicit CollectiveCalls(std::size_t most_bytes_of_arrays) : most_bytes_of_arrays_(most_bytes_of_arrays) {}

  std::uint32_t intern(const CollectiveCall& call) {
    const auto [number, is_new] = calls_.intern(call);
    if (is_new) bytes_ += calls_.bytes_of_one;
    return number;
  }
  CollectiveSide intern(const std::vector<BlockRun>& blocks) {
    const std::uint32_t known = blocks_.find(blocks);
    if (known != IndexTable::none) return {CollectiveSideIs::blocks, known};
    const std::size_t bytes = blocks.size() * sizeof(BlockRun);
    if (blocks.size() > 1) {
      if (bytes > most_bytes_of_arrays_ - bytes_of_arrays_) return {CollectiveSideIs::too_long};
      bytes_of_arrays_ += bytes;
    }
    bytes_ += bytes + blocks_.bytes_of_one;
    return {CollectiveSideIs::blocks, blocks_.intern(blocks).first};
  }
  const std::vector<CollectiveCall>& all() const { return calls_.all(); }
  std::span<const BlockRun> blocks_of(const CollectiveSide& side) const {
    return side.is == CollectiveSideIs::blocks ? std::span(blocks_[side.blocks]) : std::span<const BlockRun>();
  }
  /// About so many.
  std::size_t bytes() const { return bytes_; }

 private:
  struct HashOfCall {
    std::uint64_t operator()(const CollectiveCall& call) const { return call.hash(); }
  };
  struct HashOfBlocks {
    std::uint64_t operator()(const std::vector<BlockRun>& blocks) const {
      HashOfWords words(blocks.size());
      for (const BlockRun& run : blocks) {
        words.add(run.times).add(std::uint64_t{run.number.value} << 32 | run.predefined.value).add(run.elements);
      }
      return words.value();
    }
  };

  const std::size_t most_bytes_of_arrays_;
  std::size_t bytes_ = 0, bytes_of_arrays_ = 0;
  Interned<CollectiveCall, HashOfCall> calls_;
  Interned<std::vector<BlockRun>, HashOfBlocks> blocks_;
};

}  // namespace ddtscope::plugin
