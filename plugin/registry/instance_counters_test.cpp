// Counters of definitions, without a registry: where their counts are, and when nothing is alive.
#include "plugin/registry/instance_counters.h"

#include <array>
#include <memory>

#include "plugin/registry/trace_fixture.h"

namespace ddtscope::plugin::instance_counters_test {
namespace {

constexpr EntryPoint type_vector{"MPI_Type_vector", "c"};
constexpr EntryPoint type_dup{"MPI_Type_dup", "c"};
constexpr DefinitionId first{0};
constexpr DefinitionId second{1};

class InstanceCountersTest : public TraceTest {
 protected:
  void SetUp() override {
    TraceTest::SetUp();
    pages_.create((folder_ / "rank-0.counters").string());
    begin({.most_bytes = 1 << 20, .most_parked_bytes = 1 << 20});
    // Two derived types, as whoever makes totals looks for what kind they are.
    PredefinedType type;
    type.name = "MPI_INT";
    type.size = type.extent = type.alignment = 4;
    const DefinitionId oldtype = store_.add_predefined(type);
    for (std::int64_t count = 0; count < 2; ++count) {
      ConstructorCall call;
      call.combiner = Combiner::contiguous;
      call.scalars[0] = count;
      call.datatypes = {&oldtype, 1};
      made_[static_cast<std::size_t>(count)] = store_.intern(call).id;
    }
  }
  void begin(const InstanceCounters::Limits& limits) {
    counters_.reset();
    counters_ = std::make_unique<InstanceCounters>(
        limits, InstanceCounters::Parts{.pages = pages_, .sites = sites_, .writer = writer_, .memory = memory_});
  }
  std::uint32_t counter(DefinitionId definition, std::uint32_t site = 5, const EntryPoint& called = type_vector) {
    return counters_->of(definition, DefinitionNumber{definition.value + 100}, {CallSiteId{site}, &called});
  }
  void create(std::uint32_t counter, std::uint64_t times = 1) { counters_->counted(counter).created += times; }
  bool end(std::uint32_t counter) { return counters_->end_life(counter); }

  DefinitionStore store_{LibraryConstants{}};
  std::array<DefinitionId, 2> made_;
  std::unique_ptr<InstanceCounters> counters_;
};

TEST_F(InstanceCountersTest, OneForEachDefinitionPlaceAndName) {
  const std::uint32_t one = counter(first);
  EXPECT_EQ(counter(first), one);
  EXPECT_NE(counter(second), one);
  EXPECT_NE(counter(first, 6), one);
  EXPECT_NE(counter(first, 5, type_dup), one);
  EXPECT_EQ(counters_->type(one), first);
  EXPECT_EQ(counters_->place(one).site, CallSiteId{5});
  EXPECT_EQ(counters_->place(one).called, &type_vector);
  std::size_t of_first = 0;
  counters_->each_of(first, [&](std::uint32_t) { ++of_first; });
  EXPECT_EQ(of_first, 3u);
  // Many of them, each found again.
  for (std::uint32_t site = 100; site < 5000; ++site) create(counter(first, site), site);
  for (std::uint32_t site = 100; site < 5000; ++site) ASSERT_EQ(counters_->counted(counter(first, site)).created, site);
}

TEST_F(InstanceCountersTest, TellsOnceThatNothingIsAlive) {
  const std::uint32_t here = counter(first);
  const std::uint32_t there = counter(first, 6);
  create(here, 2);
  create(there);
  EXPECT_FALSE(end(here));
  EXPECT_TRUE(end(here));  // of this counter; another one has a life
  EXPECT_FALSE(counters_->is_idle(first));
  counters_->enqueue(first);
  EXPECT_FALSE(end(there)) << "it is enqueued";
  EXPECT_TRUE(counters_->is_idle(first));
  EXPECT_EQ(counters_->lives_begun(first), 3u);
  // A counter that comes later is of an enqueued definition, too.
  const std::uint32_t later = counter(first, 7);
  create(later);
  EXPECT_FALSE(end(later));
  counters_->dequeue(first);
  create(later);
  EXPECT_TRUE(end(later));
}

TEST_F(InstanceCountersTest, WhatIsRetiredCountsOnWhenItIsThereAgain) {
  for (const std::uint32_t site : {5u, 6u}) {
    create(counter(made_[0], site));
    end(counter(made_[0], site));
  }
  const std::optional<RecordNumber> parked = counters_->retire(made_[0]);
  ASSERT_TRUE(parked);
  EXPECT_NE(*parked, RecordNumber::none);
  EXPECT_EQ(counters_->bytes(), 0u);
  EXPECT_EQ(counters_->totals(store_).created, 2u);
  EXPECT_EQ(counters_->totals(store_).definitions, 1u);
  EXPECT_TRUE(written("instances").empty()) << "the records have the counts";

  counters_->resume(made_[1], *parked);  // by another id, which is how it comes again
  const std::uint32_t again =
      counters_->of(made_[1], DefinitionNumber{made_[0].value + 100}, {CallSiteId{6}, &type_vector});
  EXPECT_EQ(counters_->counted(again).created, 1u);
  create(again);
  end(again);
  EXPECT_EQ(counters_->totals(store_).created, 3u);
  EXPECT_EQ(counters_->totals(store_).freed, 3u);
  EXPECT_EQ(counters_->totals(store_).definitions, 1u);
  ASSERT_TRUE(counters_->retire(made_[1]));
  ASSERT_TRUE(counters_->fold_all());
  ASSERT_EQ(written("instances").size(), 1u);
  EXPECT_NE(written("instances")[0].find("[5,1,0,0,1]"), std::string::npos);
  EXPECT_NE(written("instances")[0].find("[6,2,0,0,2]"), std::string::npos);
  EXPECT_EQ(counters_->totals(store_).created, 3u) << "of parked records, which count on from 0";
}

TEST_F(InstanceCountersTest, WhatMayNotBeParkedMovesIntoTheTrace) {
  begin({.most_bytes = 1 << 20, .most_parked_bytes = sizeof(trace::CounterRecord)});
  for (const EntryPoint* called : {&type_vector, &type_dup}) {
    for (const std::uint32_t site : {5u, 6u}) {
      create(counter(made_[0], site, *called));
      end(counter(made_[0], site, *called));
    }
  }
  ASSERT_TRUE(counters_->retire(made_[0]));
  EXPECT_EQ(written("instances").size(), 2u);  // a line for each name; one record of the four is parked
  EXPECT_EQ(counters_->totals(store_).created, 4u);
  EXPECT_EQ(counters_->totals(store_).freed, 4u);
}

TEST_F(InstanceCountersTest, WhereTheTraceTakesNoMoreNothingIsRetired) {
  begin({.most_bytes = 1 << 20, .most_parked_bytes = 0});
  const std::uint32_t one = counter(made_[0]);
  create(one);
  end(one);
  writer_.limit(writer_.bytes_written());
  EXPECT_FALSE(counters_->retire(made_[0]));
  EXPECT_EQ(counter(made_[0]), one);
  EXPECT_EQ(counters_->counted(one).created, 1u);
  EXPECT_EQ(counters_->totals(store_).created, 1u);
}

TEST_F(InstanceCountersTest, WhatNobodyWillResumeMovesIntoTheTrace) {
  create(counter(made_[0]), 3);
  for (int i = 0; i < 3; ++i) end(counter(made_[0]));
  counters_->fold_parked(counters_->retire(made_[0]).value());
  ASSERT_EQ(written("instances").size(), 1u);
  EXPECT_NE(written("instances")[0].find("[5,3,0,0,3]"), std::string::npos);
  EXPECT_EQ(counters_->totals(store_).created, 3u);
}

TEST_F(InstanceCountersTest, StayForDebuggersWhenTheTraceHasThemAtTheEnd) {
  writer_.note("0 stands for no line");
  const std::uint32_t one = counter(made_[0]);
  create(one, 3);
  end(one);
  ASSERT_TRUE(counters_->fold_all());
  EXPECT_NE(written("instances").at(0).find("[5,3,0,0,1]"), std::string::npos);
  EXPECT_EQ(counters_->counted(one).created, 3u);
  EXPECT_EQ(counters_->counted(one).freed, 1u);
  EXPECT_NE(counters_->counted(one).folded_at, 0u) << "who reads the file finds them in the line";
}

TEST_F(InstanceCountersTest, FurtherPlacesShareACounterBeyondTheLimit) {
  begin({.most_bytes = 10 * InstanceCounters::bytes_of_counter, .most_parked_bytes = 0});
  for (std::uint32_t site = 1000; site < 1100; ++site) create(counter(made_[0], site));
  std::size_t counters = 0;
  std::uint64_t created = 0;
  counters_->each_of(made_[0], [&](std::uint32_t i) {
    ++counters;
    created += counters_->counted(i).created;
  });
  EXPECT_EQ(created, 100u);
  EXPECT_EQ(counters, 12u);  // one that each definition has, ten more, and that of all others
  create(counter(made_[1], 99));
  EXPECT_EQ(counters_->place(counter(made_[1], 99)).site, CallSiteId{99}) << "each definition has one of its own";
}

TEST_F(InstanceCountersTest, TypesWithoutADefinitionAreToldOfAtTheEnd) {
  const std::uint32_t dropped = counters_->of(DefinitionId{}, DefinitionNumber{}, {CallSiteId{5}, &type_vector});
  create(dropped, 4);
  const std::vector<UnrecordedRecord> items = counters_->unrecorded();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].called, "MPI_Type_vector");
  EXPECT_EQ(items[0].count, 4u);
  EXPECT_EQ(items[0].site, FrameNumber{5});
  EXPECT_EQ(counters_->totals(store_).dropped, 4u);
  EXPECT_EQ(counters_->totals(store_).created, 0u);
}

}  // namespace
}  // namespace ddtscope::plugin::instance_counters_test
