// What a person wants to know first of a job: how many types, which most, what was left behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Lives of one type that were left in some state, and where most of them were made.
struct LeftBehind {
  TypeNumber type;
  std::int64_t lives = 0;
  std::optional<FrameIndex> site;
  bool part_of_another = false;  // some other made type has it as an oldtype
};

struct Summary {
  Counters total;
  std::int64_t live = 0;
  std::size_t call_sites = 0;
  std::uint64_t without_callers = 0;    // of the types: their call sites are recorded without callers, or not at all
  bool counted = true;                  // false where some rank's counters are unknown
  std::vector<TypeNumber> most_made;    // by instances, descending; all of them
  std::vector<LeftBehind> never_freed;  // by lives, descending
  std::vector<LeftBehind> never_committed;  // without duplicates of committed types
};

Summary summarise(const Job& job);

/// The call site at which most lives of a type were made; empty where it is unknown.
std::optional<FrameIndex> busiest_site(const Job& job, TypeNumber type);

/// Where lives of a type were made.
struct MadeAt {
  std::vector<std::optional<FrameIndex>> sites;  // each once; the busiest first
  std::string_view called;                       // at the first
  RankRanges ranks;
  std::uint64_t lives = 0;
};

MadeAt made_at(const Job& job, TypeNumber type);

}  // namespace ddtscope::reporters
