// Which one-sided calls reach beyond their targets' windows, by MPI-4.1 12.3: byte by byte.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "decoder/testing/sanitizers.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::window_findings_test {
namespace {

constexpr Key name = 0x1234;

class WindowFindingsTest : public test::JobFixture {
 protected:
  WindowFindingsTest() { ranks(4); }

  WindowIndex window(std::int64_t first, std::int64_t last, std::int64_t size, std::int64_t unit, Key named = name) {
    JobWindow window;
    window.name = named;
    window.size = size;
    window.displacement_unit = unit;
    window.called = "MPI_Win_create";
    window.site = frame(100);
    window.ranks.add(RankRange{first, last, {}});
    job_.windows.push_back(std::move(window));
    return {static_cast<std::uint32_t>(job_.windows.size() - 1)};
  }
  struct Reached {
    std::int64_t target = 1;
    DefinitionId type;
    std::uint64_t elements = 1;
    std::int64_t lowest = 0, highest = 0;
    std::int64_t rank = 0;
  };
  void put(WindowIndex of, const Reached& reached) {
    JobAccesses accesses;
    accesses.window = of;
    accesses.target = reached.target;
    accesses.type = reached.type;
    accesses.elements = reached.elements;
    accesses.called = "MPI_Put";
    accesses.parameter = trace::UseParameter::target_datatype;
    accesses.site = site_;
    accesses.lowest = reached.lowest;
    accesses.highest = reached.highest;
    accesses.count = 5;
    accesses.ranks.add(Rank{{}, reached.rank});
    job_.accesses.push_back(std::move(accesses));
  }
  DrawnFindings drawn() {
    DrawnFindings drawn = findings_of_windows(job_);
    job_.accesses.clear();
    return drawn;
  }

  FrameIndex site_ = frame(1);
};

TEST_F(WindowFindingsTest, TellWhatTheProgramCallsAWindow) {
  job_.window_names.push_back({window(0, 3, 8, 8), "halo", {}});
  const WindowIndex other = window(0, 3, 8, 8, name + 1);
  for (const char* const called : {"a", "b", "a"}) job_.window_names.push_back({other, called, {}});
  put({0}, {.type = named("MPI_DOUBLE"), .lowest = 1, .highest = 1});
  EXPECT_NE(drawn().findings.at(0).message.find(" of rank 1's window \"halo\": bytes 8 to 15,"), std::string::npos);
  put(other, {.type = named("MPI_DOUBLE"), .lowest = 1, .highest = 1});
  EXPECT_NE(drawn().findings.at(0).message.find(" window \"a\" (and 1 other name): bytes"), std::string::npos);
}

TEST_F(WindowFindingsTest, TellBothParties) {
  window(0, 0, 800, 8);
  window(1, 3, 400, 8);
  put({0}, {.type = named("MPI_DOUBLE"), .elements = 10, .lowest = 3, .highest = 41, .rank = 0});
  const std::vector<JobFinding> findings = drawn().findings;
  ASSERT_EQ(findings.size(), 1u);
  const JobFinding& finding = findings[0];
  EXPECT_EQ(finding.kind->id, std::string_view("window-range"));
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(
      finding.message,
      "MPI_Put accesses 10 x MPI_DOUBLE at displacements 3 to 41 of rank 1's window: bytes 24 to 407, and the window "
      "has 400 bytes.");
  EXPECT_EQ(finding.count, 5u);
  EXPECT_EQ(finding.site(), site_);
  ASSERT_TRUE(finding.other);
  EXPECT_EQ(finding.other->called, "MPI_Win_create");
  EXPECT_EQ(text_of(finding.other->ranks), "1");
  EXPECT_EQ(finding.other->site, job_.windows[1].site);
}

TEST_F(WindowFindingsTest, OfOnePlaceAreOne) {
  window(0, 3, 80, 8);
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    put({0}, {.target = (rank + 1) % 4, .type = named("MPI_DOUBLE"), .lowest = 10, .highest = 10, .rank = rank});
  }
  const std::vector<JobFinding> findings = drawn().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 20u);
  EXPECT_EQ(text_of(findings[0].ranks), "0-3");
  EXPECT_EQ(text_of(findings[0].other->ranks), "0-3");
}

TEST_F(WindowFindingsTest, AreNoneWhereNobodyCanSay) {
  window(0, 0, 8, 8);
  window(1, 1, 8, 8, name + 1);  // another window
  put({0}, {.target = 1, .type = named("MPI_DOUBLE"), .lowest = 7, .highest = 7});
  job_.windows.push_back(job_.windows[0]);
  job_.windows[2].flavour = WindowFlavour::dynamic;
  job_.windows[2].name = name + 2;
  job_.windows[2].size = job_.windows[2].displacement_unit = std::nullopt;
  put({2}, {.target = 0, .type = named("MPI_DOUBLE"), .lowest = 1 << 20, .highest = 1 << 20});
  const DrawnFindings found = drawn();
  EXPECT_TRUE(found.findings.empty());
  ASSERT_EQ(found.remarks.size(), 2u);
  EXPECT_NE(found.remarks[0].find("5 accesses to windows were not judged: the windows are dynamic"), std::string::npos);
  EXPECT_NE(found.remarks[1].find("does not tell the target's window"), std::string::npos);
  put({0}, {.target = 0, .type = named("MPI_DOUBLE"), .elements = 0, .lowest = 7, .highest = 7});  // nothing moves
  EXPECT_TRUE(drawn().findings.empty());
}

/// Each is looked up. All of them for each access would take minutes.
TEST_F(WindowFindingsTest, ManyTargetsHaveWindowsOfTheirOwn) {
  constexpr std::int64_t targets = test::has_sanitizer ? 30'000 : 300'000;
  for (std::int64_t rank = 0; rank < targets; ++rank) {
    window(rank, rank, 8 * (rank + 1), 8);
    put({0}, {.target = rank, .type = named("MPI_DOUBLE"), .lowest = rank, .highest = rank});
  }
  const Key dynamic = name + 1;
  const WindowIndex of_it = window(0, targets - 1, 0, 1, dynamic);
  job_.windows[of_it.value].size = job_.windows[of_it.value].displacement_unit = std::nullopt;
  for (std::int64_t rank = 0; rank < targets; ++rank) {
    JobAttached attached{of_it, {{1000 * rank, 8}}, {}};
    attached.ranks.add(Rank{{}, rank});
    job_.attached.push_back(std::move(attached));
    put(of_it, {.target = rank, .type = named("MPI_DOUBLE"), .lowest = 1000 * rank, .highest = 1000 * rank});
  }
  put({0}, {.target = targets / 2, .type = named("MPI_DOUBLE"), .lowest = targets, .highest = targets});
  const DrawnFindings found = drawn();
  EXPECT_TRUE(found.remarks.empty());
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_TRUE(found.findings[0].other->ranks.contains(Rank{{}, targets / 2}));
}

/// Held against each byte that the accesses at both ends touch first and last.
TEST_F(WindowFindingsTest, OfDynamicWindowsAreOutsideOfWhatWasAttached) {
  window(0, 1, 8, 8);
  job_.windows[0].flavour = WindowFlavour::dynamic;
  job_.windows[0].size = job_.windows[0].displacement_unit = std::nullopt;
  JobAttached attached{{0}, {{1000, 80}, {2000, 80}}, {}};
  attached.ranks.add(Rank{{}, 1});
  job_.attached.push_back(attached);
  attached.ranges.clear();
  attached.ranks = {};
  attached.ranks.add(Rank{{}, 0});
  job_.attached.push_back(attached);
  const auto found = [&](std::int64_t lowest, std::int64_t highest, std::int64_t target = 1) {
    put({0}, {.target = target, .type = named("MPI_DOUBLE"), .elements = 2, .lowest = lowest, .highest = highest});
    return drawn();
  };
  EXPECT_TRUE(found(1000, 1064).findings.empty());
  EXPECT_TRUE(found(1000, 2064).findings.empty());
  EXPECT_TRUE(found(1000, 2064).remarks.empty());
  ASSERT_EQ(found(1000, 1065).findings.size(), 1u);
  EXPECT_NE(
      found(1000, 1065).findings[0].message.find("not all of the 16 bytes from address 1,065 on were ever attached"),
      std::string::npos)
      << found(1000, 1065).findings[0].message;
  EXPECT_EQ(found(999, 1000).findings.size(), 1u);
  EXPECT_EQ(found(1000, 1500).findings.size(), 1u);
  EXPECT_EQ(found(1000, 1000, 0).findings.size(), 1u);
}

/// Held against all bytes of all entries at both displacements.
TEST_F(WindowFindingsTest, AreThoseOfAnyByte) {
  std::mt19937 random(7);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    job_.windows.clear();
    const std::int64_t size = number(0, 300), unit = number(1, 9), lowest = number(-1, 30);
    window(0, 3, size, unit);
    // Two doubles at any places, and an extent of any sign.
    const std::int64_t first = number(-16, 16), second = number(-16, 16), extent = number(-24, 24);
    const TypeNumber places = make(Combiner::hindexed, {{2, 1, 1}, {first, second}, {}, {named("MPI_DOUBLE")}});
    const TypeNumber type = make(Combiner::resized, {{}, {number(-8, 8), extent}, {}, {job_.type(places).definition}});
    const std::int64_t highest = lowest + number(0, 5);
    const std::int64_t elements = number(1, 6);
    put({0}, {.type = job_.type(type).definition,
              .elements = static_cast<std::uint64_t>(elements),
              .lowest = lowest,
              .highest = highest});
    bool is_beyond = false;
    for (const std::int64_t displacement : {lowest, highest}) {
      for (std::int64_t copy = 0; copy < elements; ++copy) {
        for (const std::int64_t entry : {first, second}) {
          const std::int64_t byte = displacement * unit + copy * extent + entry;
          is_beyond = is_beyond || byte < 0 || byte + 8 > size;
        }
      }
    }
    found += is_beyond ? 1 : 0;
    ASSERT_EQ(drawn().findings.size(), is_beyond ? 1u : 0u) << i;
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(found, 1900);
}

}  // namespace
}  // namespace ddtscope::reporters::window_findings_test
