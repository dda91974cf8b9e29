// Strided runs, signatures and blocks by hand.
#include "decoder/layout/typemap.h"

#include <gtest/gtest.h>

#include <random>

#include "decoder/layout/strided_runs.h"
#include "decoder/testing/sanitizers.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test::typemap_test {
namespace {

class TypemapTest : public testing::Test {
 protected:
  std::string text(const std::vector<StridedRun>& runs) {
    std::string result;
    for (const StridedRun& run : runs) {
      if (!result.empty()) result += " ";
      result += run.type.valid() ? types.store().predefined()[run.type].name.substr(4) : "[" + text(run.group) + "]";
      result += "@" + run.displacement.to_string();
      for (const auto& [count, stride] : run.repeat) result += "(" + count.to_string() + "," + stride.to_string() + ")";
    }
    return result;
  }
  std::string runs(DefinitionId id, std::size_t limit = 64) {
    const StridedRuns result = strided_runs(types.layouts(), types.layouts().root(id), limit);
    return text(result.runs) + (result.truncated ? " ..." : "");
  }
  std::string signature(DefinitionId id, std::size_t limit = 64) {
    std::string result;
    for (const SignatureRun& run : signature_runs(types.layouts(), types.layouts().root(id), limit)) {
      result += types.store().predefined()[run.type].name.substr(4) + run.repeat.to_string() + " ";
    }
    return result;
  }
  TestStore types;
  DefinitionId mpi_char = types.named("MPI_CHAR");
  DefinitionId mpi_int = types.named("MPI_INT");
  DefinitionId mpi_double = types.named("MPI_DOUBLE");
  DefinitionId double_char = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
};

TEST_F(TypemapTest, LoopsThatStepEvenlyAreOne) {
  EXPECT_EQ(runs(types.vector(3, 2, 2, mpi_double)), "DOUBLE@0(6,8)");
  EXPECT_EQ(runs(types.vector(3, 2, 5, mpi_double)), "DOUBLE@0(3,40)(2,8)");
  EXPECT_EQ(runs(types.contiguous(4, types.vector(3, 2, 3, mpi_double))), "DOUBLE@0(4,64)(3,24)(2,8)");
}

TEST_F(TypemapTest, SingleEntriesHaveNoLoop) {
  EXPECT_EQ(runs(mpi_int), "INT@0");
  EXPECT_EQ(runs(types.contiguous(0, mpi_int)), "");
  EXPECT_EQ(runs(types.structure({1}, {-8}, {types.contiguous(1, mpi_int)})), "INT@-8");
}

TEST_F(TypemapTest, RunsOfCopiesComeAgainAndJoin) {
  EXPECT_EQ(signature(types.contiguous(3, double_char)), "DOUBLE1 CHAR1 DOUBLE1 CHAR1 DOUBLE1 CHAR1 ");
  const DefinitionId ends_alike = types.structure({2, 1, 3}, {0, 16, 24}, {mpi_double, mpi_char, mpi_double});
  const DefinitionId twice = types.vector(2, 1, 3, ends_alike);
  EXPECT_EQ(signature(twice), "DOUBLE2 CHAR1 DOUBLE5 CHAR1 DOUBLE3 ");
  const DefinitionId four = types.indexed({1, 0, 1}, {0, 5, 9}, twice);
  EXPECT_EQ(signature(four), "DOUBLE2 CHAR1 DOUBLE5 CHAR1 DOUBLE5 CHAR1 DOUBLE5 CHAR1 DOUBLE3 ");
  EXPECT_EQ(signature(types.contiguous(0, four)), "");
}

TEST_F(TypemapTest, TheFirstRunsAreWhole) {
  const DefinitionId ends_alike = types.structure({2, 1, 3}, {0, 16, 24}, {mpi_double, mpi_char, mpi_double});
  const DefinitionId many = types.contiguous(1 << 30, types.contiguous(1 << 30, ends_alike));
  const std::string runs = "DOUBLE2 CHAR1 DOUBLE5 CHAR1 DOUBLE5 CHAR1 ";
  for (const std::size_t limit : {0U, 1U, 2U, 3U, 4U, 5U, 6U}) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < limit; ++i) length = runs.find(' ', length) + 1;
    EXPECT_EQ(signature(many, limit), runs.substr(0, length)) << limit;
  }
}

TEST_F(TypemapTest, RepeatedStructsAreGroups) {
  EXPECT_EQ(runs(double_char), "DOUBLE@0 CHAR@8");
  EXPECT_EQ(runs(types.vector(3, 1, 2, double_char)), "[DOUBLE@0 CHAR@8]@0(3,32)");
  EXPECT_EQ(runs(types.structure({2, 1}, {0, 32}, {double_char, mpi_int})), "[DOUBLE@0 CHAR@8]@0(2,16) INT@32");
}

TEST_F(TypemapTest, EvenIndexedBlocksAreALoop) {
  EXPECT_EQ(runs(types.indexed({2, 2, 2}, {1, 5, 9}, mpi_int)), "INT@4(3,16)(2,4)");
  EXPECT_EQ(runs(types.indexed({2, 2, 2, 1}, {1, 5, 9, 40}, mpi_int)), "INT@4(3,16)(2,4) INT@160");
  EXPECT_EQ(runs(types.indexed({1, 1, 1}, {5, 0, 1}, mpi_int)), "INT@20 INT@0(2,4)");
}

// Loops of all lengths up to 100, in which blocklengths, steps or both end them, read against what they are made of.
TEST_F(TypemapTest, EvenIndexedBlocksEndWhereEitherArrayDoes) {
  std::vector<std::int64_t> blocklengths, displacements;
  std::string expected;
  std::int64_t at = 0;
  for (std::int64_t length = 3; length <= 100; ++length) {
    const std::int64_t blocklength = 2 + length % 2;
    const std::int64_t step = 5 + length % 3;
    at += 1000 - 500 * (length % 4);  // no step that goes on
    expected += (expected.empty() ? "" : " ") + std::string("INT@") + std::to_string(4 * at) + "(" +
                std::to_string(length) + "," + std::to_string(4 * step) + ")(" + std::to_string(blocklength) + ",4)";
    for (std::int64_t i = 0; i < length; ++i, at += step) {
      blocklengths.push_back(blocklength);
      displacements.push_back(at);
    }
  }
  EXPECT_EQ(runs(types.indexed(blocklengths, displacements, mpi_int), 1000), expected);
}

// With all blocklengths looked through for each run, the test comes by its time limit.
TEST_F(TypemapTest, EqualBlocklengthsAtIrregularPlacesAreLinear) {
  constexpr std::size_t blocks = has_sanitizer ? 1000000 : 4000000;
  constexpr std::size_t limit = blocks / 4;
  std::vector<std::int64_t> displacements(blocks);
  for (std::size_t i = 0; i < blocks; ++i) displacements[i] = static_cast<std::int64_t>(i * 5 + i * i % 3);
  const std::vector<std::int64_t> ones(blocks, 1);
  const DefinitionId id = types.indexed(ones, displacements, mpi_int);
  const StridedRuns result = strided_runs(types.layouts(), types.layouts().root(id), limit);
  EXPECT_TRUE(result.truncated);
  ASSERT_EQ(result.runs.size(), limit);
  std::size_t block = 0;
  for (const StridedRun& run : result.runs) {
    ASSERT_LE(run.repeat.size(), 1u);
    const std::int64_t count = run.repeat.empty() ? 1 : *run.repeat[0].first.to_int64();
    for (std::int64_t i = 0; i < count; ++i, ++block) {
      const Exact step = run.repeat.empty() ? Exact(0) : run.repeat[0].second;
      ASSERT_EQ(run.displacement + Exact(i) * step, Exact(4 * displacements[block])) << block;
    }
  }
}

TEST_F(TypemapTest, SubarraysAreNestedLoops) {
  EXPECT_EQ(runs(types.subarray({4, 6}, {2, 3}, {1, 2}, types.constants().order_c, mpi_double)),
            "DOUBLE@64(2,48)(3,8)");
}

TEST_F(TypemapTest, EqualEntriesEndToEndAreOneRunHoweverNested) {
  EXPECT_EQ(runs(types.structure({1, 2}, {8, 12}, {mpi_int, types.contiguous(2, mpi_int)})), "INT@8(5,4)");
  EXPECT_EQ(runs(types.contiguous(3, types.structure({1, 2}, {0, 4}, {mpi_int, types.contiguous(2, mpi_int)}))),
            "INT@0(15,4)");
}

TEST_F(TypemapTest, LongChainsAreNotOpenedToTheEnd) {
  DefinitionId id = double_char;
  for (int i = 0; i < 1000; ++i) id = types.structure({1, 1}, {0, 16 * (i + 1)}, {id, mpi_int});
  EXPECT_TRUE(strided_runs(types.layouts(), types.layouts().root(id), 1000000).truncated);
}

TEST_F(TypemapTest, RunsAreCutAtTheLimit) {
  EXPECT_EQ(runs(types.indexed({1, 2, 3, 4}, {0, 10, 20, 40}, mpi_int), 2), "INT@0 INT@40(2,4) ...");
  EXPECT_EQ(runs(double_char, 2), "DOUBLE@0 CHAR@8");
}

TEST_F(TypemapTest, DeepGroupsAreCut) {
  DefinitionId id = double_char;
  for (int i = 0; i < 40; ++i) id = types.structure({2, 1}, {0, 1000000}, {types.resized(id, 0, 16 + i), mpi_int});
  EXPECT_TRUE(strided_runs(types.layouts(), types.layouts().root(id), 1000).truncated);
}

TEST_F(TypemapTest, SignatureMergesAcrossMembers) {
  const DefinitionId id = types.structure({2, 3, 1}, {100, 0, 50}, {mpi_int, types.contiguous(2, mpi_int), mpi_double});
  EXPECT_EQ(signature(id), "INT8 DOUBLE1 ");
  EXPECT_EQ(signature(types.contiguous(2, id)), "INT8 DOUBLE1 INT8 DOUBLE1 ");
  EXPECT_EQ(signature(types.contiguous(2, id), 3), "INT8 DOUBLE1 INT8 ");
}

TEST_F(TypemapTest, LongUniformMembersAreNeverOpened) {
  const DefinitionId many = types.make(Combiner::vector, Form::large_counts, {{1000000000000}, {1}, {2}}, {mpi_int});
  const DefinitionId id = types.structure({1, 1}, {8, 0}, {many, mpi_double});
  EXPECT_EQ(signature(id), "INT1000000000000 DOUBLE1 ");
  const DefinitionId block =
      types.make(Combiner::structure, Form::large_counts, {{2}, {1000000000000, 1}, {8, 0}}, {mpi_int, mpi_double});
  EXPECT_EQ(signature(block), "INT1000000000000 DOUBLE1 ");
  BlockCursor cursor(types.layouts(), types.layouts().root(block));
  Block first;
  ASSERT_TRUE(cursor.next(first));
  EXPECT_EQ(first.length.to_string(), "4000000000000");
}

TEST_F(TypemapTest, ManyEmptyCopiesAreSkipped) {
  const DefinitionId empty = types.resized(types.contiguous(0, mpi_int), 0, 8);
  const DefinitionId id = types.structure({1000000000, 1}, {0, 4}, {types.contiguous(1000000000, empty), mpi_int});
  TypemapCursor cursor(types.layouts(), types.layouts().root(id));
  TypemapEntry entry;
  EXPECT_TRUE(cursor.next(entry));
  EXPECT_EQ(entry.displacement, Exact(4));
  EXPECT_FALSE(cursor.next(entry));
}

// With the empty blocks passed by in each copy, the test comes by its time limit.
TEST_F(TypemapTest, EmptyBlocksAreNotReadInEachCopy) {
  constexpr std::size_t blocks = 1000000;
  constexpr std::int64_t copies = 1000000;
  std::vector<std::int64_t> blocklengths(blocks), displacements(blocks, 77);
  for (const std::size_t i : {std::size_t{5}, blocks / 2, blocks - 3}) {
    blocklengths[i] = 1 + static_cast<std::int64_t>(i % 2);
    displacements[i] = static_cast<std::int64_t>(i % 1009) * 3;
  }
  const DefinitionId id = types.contiguous(copies, types.indexed(blocklengths, displacements, mpi_int));
  std::int64_t seen = 0;
  std::int64_t bytes = 0;
  BlockCursor cursor(types.layouts(), types.layouts().root(id));
  std::vector<NarrowBlock> batch(1000);
  for (std::size_t n = batch.size(); n == batch.size();) {
    n = cursor.next(std::span(batch));
    for (std::size_t i = 0; i < n; ++i) bytes += batch[i].length;
    seen += static_cast<std::int64_t>(n);
  }
  EXPECT_EQ(seen, 3 * copies);
  EXPECT_EQ(bytes, copies * 4 * (2 + 1 + 2));
}

// Blocks of one length at irregular places, in all widths, units and origins: with none, few or many that adjoin.
TEST_F(TypemapTest, BatchesOfEvenPartsMergeWhatAdjoins) {
  std::mt19937_64 random(11);
  const auto number = [&](std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random);
  };
  const DefinitionId padded = types.resized(mpi_double, 0, 24);
  const DefinitionId backwards = types.resized(mpi_double, 0, -8);
  const DefinitionId none = types.resized(mpi_double, 0, 0);
  for (const DefinitionId child : {mpi_char, mpi_int, mpi_double, padded, backwards, none}) {
    const std::int64_t extent = *types.bounds(child).extent.to_int64();
    const std::int64_t size = *types.bounds(child).size.to_int64();
    for (const Combiner combiner : {Combiner::indexed, Combiner::hindexed, Combiner::indexed_block}) {
      for (const Form form : {Form::int_counts, Form::large_counts}) {
        for (const std::int64_t one_joins_in : {1000000, 100, 3}) {
          const std::int64_t blocklength = extent == size ? number(1, 3) : 1;
          const std::int64_t unit = combiner == Combiner::hindexed ? 1 : extent;
          std::vector<std::int64_t> displacements, blocklengths;
          std::vector<std::pair<std::int64_t, std::int64_t>> expected;
          std::int64_t at = number(-5000, 5000);
          for (int i = 0; i < 700; ++i) {
            const std::int64_t length = number(0, 99) == 0 ? number(0, 1) : blocklength;
            if (combiner != Combiner::indexed_block) blocklengths.push_back(length);
            displacements.push_back(at);
            const std::int64_t bytes = (combiner == Combiner::indexed_block ? blocklength : length) * size;
            if (bytes > 0 && !expected.empty() && expected.back().first + expected.back().second == at * unit) {
              expected.back().second += bytes;
            } else if (bytes > 0) {
              expected.emplace_back(at * unit, bytes);
            }
            const bool joins = unit != 0 && number(1, one_joins_in) == 1 && bytes % unit == 0;
            at += joins ? bytes / unit : number(-7, 50) * (combiner == Combiner::hindexed ? 9 : 1);
          }
          const Arguments arguments = combiner == Combiner::indexed_block
                                          ? Arguments{{700}, {blocklength}, displacements}
                                          : Arguments{{700}, blocklengths, displacements};
          const DefinitionId id = types.make(combiner, form, arguments, {child});
          for (const std::size_t batch : {5u, 32u, 1000u}) {
            BlockCursor cursor(types.layouts(), types.layouts().root(id));
            std::vector<NarrowBlock> blocks(batch);
            std::vector<std::pair<std::int64_t, std::int64_t>> seen;
            for (std::size_t n = batch; n == batch;) {
              n = cursor.next(std::span(blocks));
              for (std::size_t i = 0; i < n; ++i) seen.emplace_back(blocks[i].displacement, blocks[i].length);
            }
            ASSERT_EQ(seen, expected) << "extent " << extent << ", " << row_of(combiner).mpi_name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ddtscope::test::typemap_test
