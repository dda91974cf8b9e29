// The cache of definitions without a registry: what goes, in which order, and what is known again.
#include "plugin/registry/definition_cache.h"

#include <memory>
#include <span>

#include "plugin/registry/trace_fixture.h"

namespace ddtscope::plugin::definition_cache_test {
namespace {

constexpr EntryPoint type_vector{"MPI_Type_vector", "c"};
constexpr ObservedBounds bounds{.size = 8, .lb = 0, .extent = 64, .true_lb = 0, .true_extent = 64};

class DefinitionCacheTest : public TraceTest {
 protected:
  void SetUp() override {
    TraceTest::SetUp();
    pages_.create((folder_ / "rank-0.counters").string());
    begin(std::size_t{1} << 30);
  }
  void begin(std::size_t most_bytes) {
    cache_.reset();
    counters_.reset();
    counters_ = std::make_unique<InstanceCounters>(
        InstanceCounters::Limits{.most_bytes = most_bytes, .most_parked_bytes = SIZE_MAX},
        InstanceCounters::Parts{.pages = pages_, .sites = sites_, .writer = writer_, .memory = memory_});
    const LibraryConstants constants;
    cache_ = std::make_unique<DefinitionCache>(
        DefinitionCache::Options{.most_bytes = most_bytes, .layouts = CachedLayouts::all},
        DefinitionCache::Parts{
            .constants = constants, .counters = *counters_, .sites = sites_, .writer = writer_, .memory = memory_});
    PredefinedType type;
    type.name = "MPI_INT";
    type.size = type.extent = type.alignment = 4;
    int_ = cache_->add_predefined(type);
    cache_->begin_counting();
  }
  ConstructorCall vector(std::int64_t count, const DefinitionId& oldtype) const {
    ConstructorCall call;
    call.combiner = Combiner::vector;
    call.scalars = {count, 1, 2, 0};
    call.datatypes = {&oldtype, 1};
    return call;
  }
  DefinitionCache::Defined define(std::int64_t count, DefinitionId oldtype) {
    const ConstructorCall call = vector(count, oldtype);
    return cache_->define({.call = call, .digests = {}, .bounds = bounds, .place = {{}, &type_vector}});
  }
  DefinitionId find(std::int64_t count, DefinitionId oldtype) const { return cache_->find(vector(count, oldtype), {}); }
  /// A life that begins, and one that ends.
  std::uint32_t begin_life(DefinitionId id) {
    const std::uint32_t counter = counters_->of(id, cache_->number_of(id), {{}, &type_vector});
    ++counters_->counted(counter).created;
    return counter;
  }
  void end_life(std::uint32_t counter) {
    if (counters_->end_life(counter)) cache_->enqueue(counters_->type(counter));
  }
  void make_and_free(std::int64_t count, DefinitionId oldtype) { end_life(begin_life(define(count, oldtype).id)); }

  std::unique_ptr<InstanceCounters> counters_;
  std::unique_ptr<DefinitionCache> cache_;
  DefinitionId int_;
};

constexpr std::size_t room_for_some = 40000;

TEST_F(DefinitionCacheTest, AnEqualCallIsTheSameDefinitionWithOneLine) {
  EXPECT_FALSE(find(3, int_).valid());
  const DefinitionCache::Defined three = define(3, int_);
  EXPECT_TRUE(three.is_first);
  EXPECT_FALSE(define(3, int_).is_first);
  EXPECT_EQ(define(3, int_).id, three.id);
  EXPECT_EQ(find(3, int_), three.id);
  EXPECT_NE(define(4, int_).id, three.id);
  EXPECT_EQ(written("definition").size(), 2u);
  EXPECT_EQ(cache_->number_of(three.id), DefinitionNumber{0});
  EXPECT_EQ(cache_->layouts()->observed(three.id), bounds);
}

TEST_F(DefinitionCacheTest, WhatWentIsKnownAgainByItsLineAndCounts) {
  begin(room_for_some);
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t i = 0; i < 500; ++i) make_and_free(i, int_);
  }
  EXPECT_LT(cache_->store().size(), 100u);
  EXPECT_EQ(written("definition").size(), 500u);
  EXPECT_EQ(counters_->totals(cache_->store()).created, 1500u);
  EXPECT_EQ(counters_->totals(cache_->store()).definitions, 500u);
  EXPECT_FALSE(cache_->has_forgotten_some());
  const DefinitionCache::Defined again = define(7, int_);
  EXPECT_FALSE(again.is_first);
  EXPECT_EQ(cache_->number_of(again.id), DefinitionNumber{7});
  EXPECT_EQ(counters_->counted(begin_life(again.id)).created, 4u);
}

TEST_F(DefinitionCacheTest, WhatIsAliveOrPinnedOrAnOldtypeStays) {
  begin(room_for_some);
  const DefinitionId alive = define(1000, int_).id;
  const std::uint32_t life = begin_life(alive);
  const DefinitionId pinned = define(1001, int_).id;
  cache_->pin(pinned);
  const DefinitionId oldtype = define(1002, int_).id;
  const DefinitionId parent = define(1003, oldtype).id;
  const std::uint32_t life_of_parent = begin_life(parent);
  for (std::int64_t i = 0; i < 500; ++i) make_and_free(i, int_);
  EXPECT_EQ(find(1000, int_), alive);
  EXPECT_EQ(find(1001, int_), pinned);
  EXPECT_EQ(find(1002, int_), oldtype);
  EXPECT_EQ(find(1003, oldtype), parent);
  // Each may go from now on, and goes.
  end_life(life);
  cache_->unpin(std::span(&pinned, 1));
  end_life(life_of_parent);
  for (std::int64_t i = 500; i < 1000; ++i) make_and_free(i, int_);
  for (std::int64_t count = 1000; count < 1003; ++count) EXPECT_FALSE(find(count, int_).valid()) << count;
}

TEST_F(DefinitionCacheTest, TheLeastRecentlyMadeGoFirst) {
  begin(room_for_some);
  for (std::int64_t i = 0; i < 500; ++i) {
    make_and_free(i, int_);
    make_and_free(100000, int_);  // again and again
    ASSERT_TRUE(find(i, int_).valid());
    ASSERT_TRUE(find(100000, int_).valid()) << i;
  }
  EXPECT_FALSE(find(0, int_).valid());
}

TEST_F(DefinitionCacheTest, WhatWentIsNoRecentCall) {
  begin(room_for_some);
  const DefinitionId id = define(3, int_).id;
  const std::uint32_t counter = begin_life(id);
  const Place place{{}, &type_vector};
  const ConstructorCall call = vector(3, int_);
  const CallNumbers numbers = numbers_of(call);
  cache_->recent().slot_of(place, int_, numbers).set(place, int_, numbers, counter);
  EXPECT_TRUE(cache_->recent().slot_of(place, int_, numbers).is(place, int_, numbers));
  end_life(counter);
  for (std::int64_t i = 10; i < 500; ++i) make_and_free(i, int_);
  ASSERT_FALSE(find(3, int_).valid());
  EXPECT_FALSE(cache_->recent().slot_of(place, int_, numbers).is(place, int_, numbers));
}

TEST_F(DefinitionCacheTest, WhereNothingMayGoNothingComesIn) {
  begin(room_for_some);
  std::int64_t count = 0;
  for (DefinitionId id = define(count, int_).id; id.valid() && count < 500; id = define(++count, int_).id)
    begin_life(id);
  EXPECT_GT(count, 5);
  EXPECT_LT(count, 100);
  EXPECT_EQ(written("definition").size(), static_cast<std::size_t>(count));
  EXPECT_FALSE(find(count, int_).valid());
  EXPECT_TRUE(define(0, int_).id.valid()) << "what is known needs no room";
}

TEST_F(DefinitionCacheTest, WhatTheTraceDoesNotTakeIsNoDefinition) {
  const DefinitionId before = define(1, int_).id;
  writer_.limit(writer_.bytes_written());
  EXPECT_FALSE(define(2, int_).id.valid());
  EXPECT_FALSE(define(2, int_).id.valid()) << "nor when it is made again";
  EXPECT_EQ(define(1, int_).id, before);
}

TEST_F(DefinitionCacheTest, WhatIsForgottenHasTwoLinesAndTheTraceSaysSoOnce) {
  begin(30000);
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < 8000; ++i) make_and_free(i, int_);
  }
  EXPECT_TRUE(cache_->has_forgotten_some());
  EXPECT_GT(written("definition").size(), 8000u);
  EXPECT_EQ(written("note").size(), 1u);
  EXPECT_EQ(counters_->totals(cache_->store()).created, 16000u);
}

TEST_F(DefinitionCacheTest, ATypeOfTheLibrarysOwnHasANameOfItsOwn) {
  PredefinedType type;
  type.name = "MPIX_C_FLOAT16";
  type.size = type.extent = type.alignment = 2;
  const DefinitionId id = cache_->add_unlisted(type, {2, 0, 2, 0, 2});
  ASSERT_TRUE(id.valid());
  EXPECT_TRUE(cache_->is_predefined(id));
  EXPECT_EQ(written("predefined").size(), 1u);
  EXPECT_FALSE(cache_->add_unlisted(type, {4, 0, 4, 0, 4}).valid());
  type.name = "MPI_INT";
  EXPECT_FALSE(cache_->add_unlisted(type, {4, 0, 4, 0, 4}).valid());
}

}  // namespace
}  // namespace ddtscope::plugin::definition_cache_test
