// A process of a job, by its rank. A job that spawns processes has several MPI_COMM_WORLDs, each with a rank 0.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace ddtscope {

/// The world that the launcher started is the first one; those that were spawned have the launcher's numbers, 2 and
/// more.
struct WorldNumber {
  std::int64_t value = 1;
  constexpr bool is_first() const { return value == 1; }
  friend constexpr auto operator<=>(WorldNumber, WorldNumber) = default;
};

/// Ordered by worlds.
struct Rank {
  WorldNumber world;
  std::int64_t number = 0;
  friend constexpr auto operator<=>(Rank, Rank) = default;
};

/// "3"; in a spawned world "2.3".
inline std::string text_of(Rank rank) {
  return (rank.world.is_first() ? std::string() : std::to_string(rank.world.value) + ".") + std::to_string(rank.number);
}

// Names in the trace's folder.

/// Of a process's files, without what tells them apart: "rank-3", "rank-2.3".
inline std::string file_stem_of(Rank rank) { return "rank-" + text_of(rank); }
/// Of the file that the ranks of a world join theirs into: "trace.jsonl", "trace-2.jsonl".
inline std::string merged_file_of(WorldNumber world) {
  return (world.is_first() ? std::string("trace") : "trace-" + std::to_string(world.value)) + ".jsonl";
}

}  // namespace ddtscope
