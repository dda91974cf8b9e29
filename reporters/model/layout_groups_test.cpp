// Types with equal layouts. Jobs are made by hand, the libraries' answers included.
#include "reporters/model/layout_groups.h"

#include <gtest/gtest.h>

#include <string>

#include "decoder/definition/envelope.h"

namespace ddtscope::reporters::layout_groups_test {
namespace {

std::vector<LayoutGroup> groups_of(const Job& job) {
  const LayoutGroups groups(job);
  std::vector<LayoutGroup> all;
  for (std::size_t i = 0; i < groups.size(); ++i) all.push_back(groups[i]);
  return all;
}

class LayoutGroupsTest : public testing::Test {
 protected:
  LayoutGroupsTest() {
    for (const auto& [name, size] : {std::pair{"MPI_INT", 4}, std::pair{"MPI_DOUBLE", 8}}) {
      job.store.add_predefined({name, PredefinedKind::basic, size, size, size, {}, {}, 0});
    }
    mpi_int = named("MPI_INT");
    mpi_double = named("MPI_DOUBLE");
  }

  DefinitionId named(std::string_view name) const { return *job.store.find_predefined(name); }
  /// A made type, in the int form.
  DefinitionId make(Combiner combiner, const std::vector<std::int64_t>& integers,
                    const std::vector<std::int64_t>& addresses, const std::vector<DefinitionId>& datatypes) {
    CallFromContents call;
    Contents contents;
    contents.integers = integers;
    contents.addresses = addresses;
    contents.datatypes = datatypes;
    EXPECT_TRUE(call.build(combiner, Form::int_counts, contents)) << call.problem();
    const auto [id, is_new] = job.store.intern(call.call());
    EXPECT_TRUE(is_new);
    JobType type;
    type.number = {static_cast<std::uint32_t>(job.types.size() + 1)};
    type.definition = id;
    job.types.push_back(type);
    return id;
  }
  DefinitionId resized(DefinitionId oldtype, std::int64_t lb, std::int64_t extent) {
    return make(Combiner::resized, {}, {lb, extent}, {oldtype});
  }
  /// "T1 T3, T2".
  std::string groups() const {
    std::string text;
    for (const LayoutGroup& group : groups_of(job)) {
      if (!text.empty()) text += ", ";
      for (const TypeNumber type : group.types) text += (type == group.types.front() ? "" : " ") + text_of(type);
    }
    return text;
  }

  Job job{LibraryConstants{0, 1, 0, 1, 2, -1}};
  DefinitionId mpi_int, mpi_double;
};

TEST_F(LayoutGroupsTest, EqualTypemapsAreOneGroupHoweverTheyWereBuilt) {
  make(Combiner::contiguous, {4}, {}, {mpi_int});
  make(Combiner::vector, {2, 1, 3}, {}, {mpi_int});
  make(Combiner::vector, {2, 2, 2}, {}, {mpi_int});
  make(Combiner::indexed_block, {2, 1, 0, 3}, {}, {mpi_int});
  make(Combiner::hindexed, {2, 1, 3}, {0, 4}, {mpi_int});
  make(Combiner::contiguous, {2}, {}, {mpi_double});
  EXPECT_EQ(groups(), "T1 T3 T5, T2 T4, T6");
}

TEST_F(LayoutGroupsTest, BoundsMustBeEqualToo) {
  const DefinitionId pair = make(Combiner::contiguous, {2}, {}, {mpi_int});
  resized(pair, 0, 12);
  resized(pair, 0, 8);
  resized(pair, -4, 12);
  make(Combiner::dup, {}, {}, {pair});
  EXPECT_EQ(groups(), "T1 T3 T5, T2, T4");
  const std::vector<LayoutGroup> all = groups_of(job);
  EXPECT_EQ(all[0].layout, all[2].layout);
  EXPECT_EQ(all[2].lb, Exact(-4));
  EXPECT_EQ(all[2].extent, Exact(12));
}

TEST_F(LayoutGroupsTest, TheBoundsAreThoseThatTheLibraryReports) {
  const DefinitionId one = make(Combiner::hvector, {2, 1}, {8}, {mpi_int});
  const DefinitionId other = make(Combiner::hindexed, {2, 1, 1}, {0, 8}, {mpi_int});
  EXPECT_EQ(groups(), "T1 T2");
  job.observed_bounds.add(one, {8, 0, 12, 0, 12});
  job.observed_bounds.add(other, {8, 0, 16, 0, 12});
  EXPECT_EQ(groups(), "T1, T2");
}

TEST_F(LayoutGroupsTest, WhatDoesNotFitIsAlone) {
  DefinitionId huge = mpi_double;
  for (int i = 0; i < 5; ++i) huge = make(Combiner::contiguous, {INT32_MAX}, {}, {huge});
  make(Combiner::dup, {}, {}, {huge});
  EXPECT_EQ(groups(), "T1, T2, T3, T4, T5, T6");
  EXPECT_FALSE(groups_of(job)[5].layout);
}

}  // namespace
}  // namespace ddtscope::reporters::layout_groups_test
