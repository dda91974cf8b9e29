// A call of a collective operation as a process made it. Each is told once, and known by its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

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
  friend bool operator<(const CollectiveCall& a, const CollectiveCall& b) { return a.words() < b.words(); }

 private:
  std::tuple<std::uintptr_t, CallSiteId, const CollectiveRoot&, std::string_view, const CollectiveSide&,
             const CollectiveSide&>
  words() const {
    return {reinterpret_cast<std::uintptr_t>(called), site, root, op, send, receive};
  }
};

/// Not synchronised. Arrays of blocks are kept up to so many bytes.
class CollectiveCalls {
 public:
  explicit CollectiveCalls(std::size_t most_bytes_of_arrays) : most_bytes_of_arrays_(most_bytes_of_arrays) {}

  std::uint32_t intern(const CollectiveCall& call) {
    const auto [found, is_new] = numbers_.try_emplace(call, static_cast<std::uint32_t>(all_.size()));
    if (is_new) {
      all_.push_back(call);
      bytes_ += bytes_of_call;
    }
    return found->second;
  }
  CollectiveSide intern(const std::vector<BlockRun>& blocks) {
    const auto found = places_.find(blocks);
    if (found != places_.end()) return {CollectiveSideIs::blocks, found->second};
    const std::size_t bytes = blocks.size() * sizeof(BlockRun);
    if (blocks.size() > 1) {
      if (bytes > most_bytes_of_arrays_ - bytes_of_arrays_) return {CollectiveSideIs::too_long};
      bytes_of_arrays_ += bytes;
    }
    const auto place = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back(&places_.emplace(blocks, place).first->first);
    bytes_ += bytes + bytes_of_side;
    return {CollectiveSideIs::blocks, place};
  }
  const std::vector<CollectiveCall>& all() const { return all_; }
  std::span<const BlockRun> blocks_of(const CollectiveSide& side) const {
    return side.is == CollectiveSideIs::blocks ? std::span(*blocks_[side.blocks]) : std::span<const BlockRun>();
  }
  /// About so many.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t bytes_of_call = 2 * sizeof(CollectiveCall) + 48;  // in the vector and the table
  static constexpr std::size_t bytes_of_side = 80;                               // with its node

  const std::size_t most_bytes_of_arrays_;
  std::size_t bytes_ = 0, bytes_of_arrays_ = 0;
  std::vector<CollectiveCall> all_;
  std::map<CollectiveCall, std::uint32_t> numbers_;
  std::map<std::vector<BlockRun>, std::uint32_t> places_;
  std::vector<const std::vector<BlockRun>*> blocks_;
};

}  // namespace ddtscope::plugin
