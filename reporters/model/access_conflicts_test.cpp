// Which accesses conflict, by MPI-4.1 12.7: held against all entries of all accesses, byte by byte.
#include "reporters/model/access_conflicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "decoder/layout/typemap.h"
#include "decoder/testing/sanitizers.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::access_conflicts_test {
namespace {

class AccessConflictsTest : public test::JobFixture {
 protected:
  DefinitionId definition(TypeNumber type) const { return job_.type(type).definition; }
  Layouts& layouts() { return job_.layouts; }
};

/// The standard's rules for two entries, by themselves.
struct TouchedEntry {
  std::int64_t begin, end;
  std::string_view basic;    // the predefined type that it is of, of pairs the pair
  std::int64_t element = 0;  // where that begins
};

bool is_atomic(const AccessShape& shape) {
  return shape.kind == AccessKind::accumulate || shape.kind == AccessKind::compare_and_swap;
}
bool only_reads(const AccessShape& shape) {
  return shape.kind == AccessKind::get || (shape.kind == AccessKind::accumulate && shape.op == "MPI_NO_OP");
}
bool ops_agree(const AccessShape& a, const AccessShape& b) {
  const bool a_swaps = a.kind == AccessKind::compare_and_swap;
  const bool b_swaps = b.kind == AccessKind::compare_and_swap;
  if (a_swaps && b_swaps) return true;
  if (a_swaps) return b.op == "MPI_NO_OP" || b.op == "MPI_REPLACE";
  if (b_swaps) return a.op == "MPI_NO_OP" || a.op == "MPI_REPLACE";
  return a.op == b.op || a.op == "MPI_NO_OP" || b.op == "MPI_NO_OP";
}

TEST_F(AccessConflictsTest, FollowTheKindsAndOps) {
  ConflictSearch search(layouts());
  const DefinitionId number = named("MPI_INT");
  const auto conflict = [&](const AccessShape& a, const AccessShape& b) {
    const std::uint32_t one = search.add_party(a), other = search.add_party(b);
    PlacedAccess first{one, 8}, second{other, 8};
    const std::size_t within = search.within(std::vector{first, second}).conflicts.size();
    second.origin = 1;
    const std::size_t among = search.among(std::vector{first, second}).conflicts.size();
    // Accumulates of one type are ordered where one process makes them.
    EXPECT_EQ(within, is_atomic(a) && is_atomic(b) && a.type == b.type ? 0 : among);
    return among == 1;
  };
  const AccessShape put{AccessKind::put, number, 1}, get{AccessKind::get, number, 1};
  const auto with = [&](std::string_view op) { return AccessShape{AccessKind::accumulate, number, 1, op}; };
  const AccessShape swap{AccessKind::compare_and_swap, number, 1};
  EXPECT_TRUE(conflict(put, put));
  EXPECT_TRUE(conflict(put, get));
  EXPECT_FALSE(conflict(get, get));
  EXPECT_TRUE(conflict(put, with("MPI_SUM")));
  EXPECT_TRUE(conflict(get, with("MPI_SUM")));
  EXPECT_TRUE(conflict(put, with("MPI_NO_OP")));
  EXPECT_FALSE(conflict(get, with("MPI_NO_OP")));  // both only read
  EXPECT_FALSE(conflict(with("MPI_SUM"), with("MPI_SUM")));
  EXPECT_FALSE(conflict(with("MPI_SUM"), with("MPI_NO_OP")));
  EXPECT_TRUE(conflict(with("MPI_SUM"), with("MPI_PROD")));
  EXPECT_FALSE(conflict(swap, swap));
  EXPECT_FALSE(conflict(swap, with("MPI_REPLACE")));
  EXPECT_FALSE(conflict(swap, with("MPI_NO_OP")));
  EXPECT_TRUE(conflict(swap, with("MPI_SUM")));
  EXPECT_TRUE(conflict(swap, put));
  EXPECT_TRUE(conflict({AccessKind::accumulate, named("MPI_FLOAT"), 1, "MPI_SUM"}, with("MPI_SUM")));
  // Without an order those of one process are concurrent: each is atomic for the others of its op alone.
  const auto within = [&](std::string_view a, std::string_view b, std::uint8_t ordering, bool fetches) {
    AccessShape one = with(a), other = with(b);
    one.ordering.set = other.ordering.set = ordering;
    one.fetches = fetches;
    const std::vector<PlacedAccess> both{{search.add_party(one), 8}, {search.add_party(other), 8}};
    return search.within(both).conflicts.size() == 1;
  };
  using enum AccumulateOrdering::One;
  EXPECT_FALSE(within("MPI_SUM", "MPI_SUM", 0, false));
  EXPECT_FALSE(within("MPI_SUM", "MPI_NO_OP", 0, true));
  EXPECT_TRUE(within("MPI_SUM", "MPI_PROD", 0, false));
  EXPECT_TRUE(within("MPI_SUM", "MPI_PROD", rar | raw | war, false)) << "both only write";
  EXPECT_FALSE(within("MPI_SUM", "MPI_PROD", rar | raw, true)) << "what is fetched is behind the other one";
  EXPECT_TRUE(within("MPI_SUM", "MPI_PROD", rar, true));
  EXPECT_FALSE(within("MPI_SUM", "MPI_PROD", waw, false));
  // At places that lie partly over each other.
  const std::uint32_t sum = search.add_party(with("MPI_SUM"));
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{sum, 8}, {sum, 10}}).conflicts.size(), 1u);
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{sum, 8}, {sum, 12}}).conflicts.size(), 0u);
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{sum, 8, true}}).conflicts.size(), 0u);
  const std::uint32_t twice = search.add_party(put);
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{twice, 8}}).conflicts.size(), 0u);
  const AccessConflicts found = search.within(std::vector<PlacedAccess>{{twice, 8, true}});
  ASSERT_EQ(found.conflicts.size(), 1u);
  EXPECT_EQ(found.conflicts[0].bytes->begin, 8);
  EXPECT_EQ(found.conflicts[0].bytes->end, 12);
}

/// Random plans; every pair of parties that conflicts is found, no other, and at its lowest byte.
TEST_F(AccessConflictsTest, AreThoseOfAnyByte) {
  std::mt19937 random(11);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const auto one_of = [&](std::vector<const char*> names) {
    return names[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(names.size()) - 1))];
  };
  int with_conflicts = 0, without = 0, large_conflicts = 0;
  for (int round = 0; round < 3000; ++round) {
    const bool are_large = round % 3 == 0;  // all by pairs, and not by their blocks
    ConflictSearch search(layouts(), are_large ? ConflictLimits{.blocks_of_one = 0} : ConflictLimits{});
    std::vector<AccessShape> shapes;
    const std::int64_t parties = number(1, 4);
    for (std::int64_t i = 0; i < parties; ++i) {
      const char* const basic = one_of({"MPI_INT", "MPI_INT", "MPI_DOUBLE", "MPI_DOUBLE_INT", "MPI_SHORT_INT"});
      DefinitionId type = named(basic);
      switch (number(0, 3)) {
        case 0:
          type = definition(vector(number(1, 3), number(1, 2), number(2, 4), basic));
          break;
        case 1:
          type = definition(make(Combiner::hindexed, {{2, 1, 1}, {number(-8, 8), number(9, 40)}, {}, {type}}));
          break;
        case 2:
          type = definition(make(Combiner::resized, {{}, {0, number(8, 24)}, {}, {type}}));
          break;
        default:
          break;
      }
      const auto kind = static_cast<AccessKind>(number(0, 3));
      shapes.push_back(
          {kind, type, static_cast<std::uint64_t>(number(1, 3)),
           kind == AccessKind::accumulate ? one_of({"MPI_SUM", "MPI_SUM", "MPI_REPLACE", "MPI_NO_OP"}) : ""});
      search.add_party(shapes.back());
    }
    const std::int64_t unit = one_of({"1", "4", "8", "8"})[0] - '0';
    std::vector<PlacedAccess> accesses;
    const std::int64_t spread = number(1, 4) == 1 ? 40 : 400;
    const std::int64_t origins = number(1, 4);
    const bool is_within = origins == 1;
    std::vector<bool> are_several;
    for (std::int64_t i = 0; i < origins; ++i) are_several.push_back(number(0, 2) == 0);
    std::uint32_t writes = 0;
    for (std::int64_t i = number(1, 8); i > 0; --i) {
      PlacedAccess access{static_cast<std::uint32_t>(number(0, parties - 1)), unit * number(0, spread / unit),
                          number(0, 5) == 0};
      if (!is_within) {
        access.origin = static_cast<std::uint32_t>(number(0, origins - 1));
        access.are_several = are_several[access.origin];
      } else if (only_reads(shapes[access.party])) {
        if (number(0, 1) == 0) access.until = static_cast<std::uint32_t>(number(0, 8));
      } else {
        access.since = writes++;
      }
      accesses.push_back(access);
    }
    std::shuffle(accesses.begin(), accesses.end(), random);
    // Every entry by itself.
    std::vector<std::vector<TouchedEntry>> entries(accesses.size());
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const AccessShape& shape = shapes[accesses[i].party];
      TypemapCursor cursor(layouts(), layouts().root(shape.type),
                           {Exact(static_cast<Int128>(shape.elements)), layouts().extent(shape.type)});
      // Types are made of one predefined type each: a pair where its signature has two kinds.
      TypemapEntry entry;
      std::vector<TypemapEntry> all;
      while (cursor.next(entry)) all.push_back(entry);
      const bool is_pair = all.size() > 1 && all[0].type != all[1].type;
      for (std::size_t k = 0; k < all.size(); ++k) {
        const PredefinedType& basic = job_.store.predefined()[all[k].type];
        const std::int64_t at = accesses[i].at + static_cast<std::int64_t>(all[k].displacement.value());
        const std::size_t first = is_pair ? k - k % 2 : k;
        entries[i].push_back({at, at + basic.size, job_.store.predefined()[all[first].type].name,
                              accesses[i].at + static_cast<std::int64_t>(all[first].displacement.value())});
        if (is_pair) {
          entries[i].back().basic =
              job_.store.predefined()[all[first].type].name == "MPI_DOUBLE" ? "MPI_DOUBLE_INT" : "MPI_SHORT_INT";
        }
      }
    }
    using Who = std::pair<std::uint32_t, std::uint32_t>;  // party, origin
    const auto who = [](const PlacedAccess& access) { return Who{access.party, access.origin}; };
    std::map<std::pair<Who, Who>, std::int64_t> expected;  // the lowest byte
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (std::size_t k = i; k < accesses.size(); ++k) {
        if (is_within && i == k && !accesses[i].is_repeated) continue;
        if (accesses[i].since >= accesses[k].until || accesses[k].since >= accesses[i].until) continue;
        if (!is_within && accesses[i].origin == accesses[k].origin && !accesses[i].are_several) continue;
        const AccessShape& a = shapes[accesses[i].party];
        const AccessShape& b = shapes[accesses[k].party];
        if (only_reads(a) && only_reads(b)) continue;
        const bool may_meet = is_atomic(a) && is_atomic(b) && (is_within || ops_agree(a, b));
        for (const TouchedEntry& one : entries[i]) {
          for (const TouchedEntry& other : entries[k]) {
            const std::int64_t begin = std::max(one.begin, other.begin);
            if (begin >= std::min(one.end, other.end)) continue;
            if (may_meet && one.basic == other.basic && one.element == other.element) continue;
            // A type that lies over itself is another finding.
            if (is_within && may_meet && i == k) continue;
            const std::pair<Who, Who> pair = std::minmax(who(accesses[i]), who(accesses[k]));
            const auto [known, is_new] = expected.try_emplace({pair.first, pair.second}, begin);
            if (!is_new) known->second = std::min(known->second, begin);
          }
        }
      }
    }
    const AccessConflicts found = is_within ? search.within(accesses) : search.among(accesses);
    std::map<std::pair<Who, Who>, std::int64_t> got;
    for (const AccessConflict& conflict : found.conflicts) {
      const std::pair<Who, Who> pair = std::minmax(who(accesses[conflict.first]), who(accesses[conflict.second]));
      got[pair] = conflict.bytes ? conflict.bytes->begin : INT64_MIN;
    }
    if (!are_large) {
      ASSERT_EQ(found.undecided, 0u);
      ASSERT_EQ(got, expected) << round;
      (expected.empty() ? without : with_conflicts) += 1;
    } else {
      // Decided by pairs: what is undecided is said, and nothing is wrong.
      for (const auto& [pair, byte] : got) ASSERT_TRUE(expected.contains(pair)) << round;
      if (found.undecided == 0) {
        ASSERT_EQ(got.size(), expected.size()) << round;
      }
      large_conflicts += got.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(with_conflicts, 300);
  EXPECT_GT(without, 300);
  EXPECT_GT(large_conflicts, 100);
}

/// By their squares it would take longer than a test may.
TEST_F(AccessConflictsTest, OfTenThousandColumnsAreFoundQuickly) {
  ConflictSearch search(layouts());
  const std::int64_t columns = test::has_sanitizer ? 2000 : 10000;
  const std::uint32_t put = search.add_party({AccessKind::put, definition(vector(100, 1, columns)), 1});
  const std::uint32_t get = search.add_party({AccessKind::get, definition(vector(100, 1, columns)), 1});
  std::vector<PlacedAccess> accesses;
  for (std::int64_t i = 0; i < columns; ++i) accesses.push_back({i == 77 ? get : put, 8 * i});
  EXPECT_EQ(search.within(accesses).conflicts.size(), 0u);
  accesses.push_back({put, 8 * 77});
  const AccessConflicts found = search.within(accesses);
  ASSERT_EQ(found.conflicts.size(), 1u);
  EXPECT_EQ(found.undecided, 0u);
  EXPECT_EQ(found.conflicts[0].first, 77u);
  EXPECT_EQ(found.conflicts[0].second, columns);
  EXPECT_EQ(found.conflicts[0].bytes->begin, 8 * 77);
}

/// Each read is over before the next write begins, so that each meets other writes: a square of that is 4 * 10^10.
TEST_F(AccessConflictsTest, OfReadsThatAreOverMeetWhatWasWrittenBefore) {
  ConflictSearch search(layouts());
  const std::uint32_t put = search.add_party({AccessKind::put, named("MPI_INT"), 1});
  const std::uint32_t get = search.add_party({AccessKind::get, named("MPI_INT"), 1});
  std::vector<PlacedAccess> accesses;
  constexpr std::uint32_t number = 200000;
  for (std::uint32_t i = 0; i < number; ++i) {
    accesses.push_back({put, 8 * static_cast<std::int64_t>(i), false, i});
    // What is written next, and never what was written before.
    accesses.push_back({get, 8 * static_cast<std::int64_t>(i + 1), false, 0, i + 1});
  }
  const AccessConflicts none = search.within(accesses);
  EXPECT_TRUE(none.conflicts.empty());
  EXPECT_EQ(none.undecided, 0u);
  accesses.push_back({get, 8 * 77, false, 0, 78});
  const AccessConflicts found = search.within(accesses);
  ASSERT_EQ(found.conflicts.size(), 1u);
  EXPECT_EQ(found.conflicts[0].first, 2u * 77);
  EXPECT_EQ(found.conflicts[0].second, accesses.size() - 1);
}

TEST_F(AccessConflictsTest, OfHugeTypesAreFoundByTheirDescription) {
  ConflictSearch search(layouts());
  const std::int64_t rows = 1000000;
  const std::uint32_t put = search.add_party({AccessKind::put, definition(vector(rows, 1, 10)), 1});
  const std::uint32_t sum = search.add_party({AccessKind::accumulate, definition(vector(rows, 1, 10)), 1, "MPI_SUM"});
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{put, 0}, {put, 8}, {sum, 16}}).conflicts.size(), 0u);
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{put, 0}, {put, 80}}).conflicts.size(), 1u);
  EXPECT_EQ(search.within(std::vector<PlacedAccess>{{sum, 0}, {sum, 80}}).conflicts.size(), 0u);
  const AccessConflicts found = search.within(std::vector<PlacedAccess>{{sum, 0}, {sum, 84}});
  EXPECT_EQ(found.conflicts.size(), 1u);
  EXPECT_EQ(found.undecided, 0u);
}

}  // namespace
}  // namespace ddtscope::reporters::access_conflicts_test
