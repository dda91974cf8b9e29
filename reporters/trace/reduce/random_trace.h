// Traces of a job that nobody ran, for tests: random definitions, some of all ranks and some of a few.
#pragma once

#include <cstdint>
#include <filesystem>

namespace ddtscope::reduce {

struct RandomJob {
  std::uint64_t seed = 1;
  std::int64_t ranks = 4;
  std::int64_t definitions = 12;
  /// A loop of a sequence has at most so many. Comparing two that have nothing in common takes their product.
  std::int64_t rounds = 1000;
};

/// Writes rank-N.jsonl for each rank.
void write_random_job(const std::filesystem::path& folder, const RandomJob& job);

}  // namespace ddtscope::reduce
