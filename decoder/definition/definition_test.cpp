// The interning store and its keys.
#include "decoder/definition/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <vector>

#include "decoder/testing/test_store.h"

namespace ddtscope::test::definition_test {
namespace {

TEST(DefinitionStore, EqualCallsAreOneDefinition) {
  TestStore types;
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId first = types.indexed({1, 2}, {0, 4}, mpi_int);
  const std::size_t size = types.store().size();
  EXPECT_EQ(types.indexed({1, 2}, {0, 4}, mpi_int), first);
  EXPECT_EQ(types.store().size(), size);
}

TEST(DefinitionStore, EveryArgumentTellsDefinitionsApart) {
  TestStore types;
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId mpi_float = types.named("MPI_FLOAT");
  const std::vector<DefinitionId> all = {types.vector(1, 2, 3, mpi_int),
                                         types.vector(2, 2, 3, mpi_int),
                                         types.vector(1, 3, 3, mpi_int),
                                         types.vector(1, 2, 4, mpi_int),
                                         types.vector(1, 2, 3, mpi_float),
                                         types.hvector(1, 2, 3, mpi_int),
                                         types.make(Combiner::vector, Form::large_counts, {{1}, {2}, {3}}, {mpi_int}),
                                         types.indexed({1, 2}, {0, 4}, mpi_int),
                                         types.indexed({1, 1}, {0, 4}, mpi_int),
                                         types.indexed({1, 2}, {0, 5}, mpi_int),
                                         types.hindexed({1, 2}, {0, 4}, mpi_int),
                                         types.structure({1, 2}, {0, 4}, {mpi_int, mpi_int}),
                                         types.structure({1, 2}, {0, 4}, {mpi_int, mpi_float}),
                                         types.structure({1, 2}, {0, 4}, {mpi_float, mpi_int}),
                                         types.dup(mpi_int),
                                         types.dup(types.dup(mpi_int)),
                                         types.indexed({}, {}, mpi_int),
                                         types.hindexed({}, {}, mpi_int),
                                         types.structure({}, {}, {})};
  std::set<std::uint32_t> ids;
  std::set<Key> keys;
  for (const DefinitionId id : all) {
    ids.insert(id.value);
    keys.insert(types.store()[id].key);
  }
  EXPECT_EQ(ids.size(), all.size());
  EXPECT_EQ(keys.size(), all.size());
  EXPECT_FALSE(keys.contains(0));
}

TEST(DefinitionStore, KeepsItsOwnCopyOfTheArguments) {
  TestStore types;
  const std::array<DefinitionId, 1> oldtype = {types.named("MPI_INT")};
  std::vector<std::int32_t> displacements = {5, 6, 7};
  ConstructorCall call;
  call.combiner = Combiner::indexed_block;
  call.scalars = {3, 1, 0, 0};
  call.arrays[0] = IntegerArray(std::span<const std::int32_t>(displacements));
  call.datatypes = oldtype;
  const DefinitionId id = types.intern(call);
  displacements.assign(3, 0);
  EXPECT_EQ(types.store()[id].call.arrays[0][2], 7);
}

TEST(DefinitionStore, ReferencesStayValidWhileItGrows) {
  TestStore types;
  const DefinitionId mpi_int = types.named("MPI_INT");
  const DefinitionId first = types.indexed({1, 2}, {0, 4}, mpi_int);
  const Definition& reference = types.store()[first];
  const Key key = reference.key;
  const void* data = reference.call.arrays[1].data;
  std::vector<DefinitionId> ids;
  for (std::int64_t i = 0; i < 5000; ++i) ids.push_back(types.indexed({1, 2, 3}, {i, 2 * i, 7}, mpi_int));
  // Longer than a chunk of the arena.
  const std::vector<std::int64_t> many(100000, 3);
  const DefinitionId long_one = types.indexed(many, many, mpi_int);
  for (std::int64_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(types.indexed({1, 2, 3}, {i, 2 * i, 7}, mpi_int), ids[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(&types.store()[first], &reference);
  EXPECT_EQ(reference.key, key);
  EXPECT_EQ(reference.call.arrays[1].data, data);
  EXPECT_EQ(reference.call.arrays[1][1], 4);
  EXPECT_EQ(types.store()[long_one].call.arrays[1][99999], 3);
}

TEST(DefinitionStore, KeysAreTheSameUnderBothLibraries) {
  const auto keys = [](const LibraryConstants& c) {
    TestStore types(c);
    const DefinitionId mpi_int = types.named("MPI_INT");
    const auto key = [&](DefinitionId id) { return types.store()[id].key; };
    std::vector<Key> result = {key(mpi_int), key(types.subarray({4, 4}, {2, 2}, {1, 1}, c.order_c, mpi_int)),
                               key(types.subarray({4, 4}, {2, 2}, {1, 1}, c.order_fortran, mpi_int)),
                               key(types.darray({8,
                                                 1,
                                                 {8, 8, 8},
                                                 {c.distribute_block, c.distribute_cyclic, c.distribute_none},
                                                 {c.distribute_dflt_darg, 1, c.distribute_dflt_darg},
                                                 {2, 4, 1},
                                                 c.order_c},
                                                mpi_int)),
                               key(types.darray({8,
                                                 1,
                                                 {8, 8, 8},
                                                 {c.distribute_cyclic, c.distribute_block, c.distribute_none},
                                                 {c.distribute_dflt_darg, 2, c.distribute_dflt_darg},
                                                 {2, 4, 1},
                                                 c.order_c},
                                                mpi_int))};
    EXPECT_EQ(std::set<Key>(result.begin(), result.end()).size(), result.size());
    return result;
  };
  EXPECT_EQ(keys(mpich_constants), keys(openmpi_constants));
}

TEST(DefinitionStore, KeysDependOnNothingElseInTheStore) {
  TestStore one;
  TestStore other;
  other.vector(9, 9, 9, other.named("MPI_CHAR"));
  const auto key = [](TestStore& types) {
    const DefinitionId inner = types.vector(2, 1, 3, types.named("MPI_INT"));
    return types.store()[types.structure({1, 1}, {0, 64}, {types.named("MPI_DOUBLE"), inner})].key;
  };
  EXPECT_EQ(key(one), key(other));
}

TEST(DefinitionStore, FindsPredefinedTypesBySynonym) {
  DefinitionStore store{LibraryConstants{}};
  const PredefinedType type = {"MPI_LONG_LONG", PredefinedKind::basic, 8, 8, 8, {}, {}, 0};
  const DefinitionId id = store.add_predefined(type);
  EXPECT_EQ(store.add_predefined(type), id);
  EXPECT_EQ(store.find_predefined("MPI_LONG_LONG_INT"), id);
  EXPECT_EQ(store.find_predefined("MPI_LONG_LONG"), id);
  EXPECT_EQ(store.find_predefined("MPI_INT"), std::nullopt);
  EXPECT_EQ(store[id].call.combiner, Combiner::named);
}

/// Each block a heap allocation of its own, so that a sanitizer sees every byte beyond it.
class CountingStorage final : public DefinitionStorage {
 public:
  std::byte* allocate(DefinitionId id, std::size_t bytes) override {
    if (refuse) throw std::bad_alloc();
    ids.push_back(id);
    return blocks.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  }
  void release(std::byte* block, std::size_t) override {
    const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const auto& own) { return own.get() == block; });
    ASSERT_NE(found, blocks.end());
    blocks.erase(found);
  }
  bool refuse = false;
  std::vector<DefinitionId> ids;
  std::vector<std::unique_ptr<std::byte[]>> blocks;
};

TEST(DefinitionStore, KeepsEachCallInOneBlockOfItsStorage) {
  CountingStorage storage;
  DefinitionStore store(LibraryConstants{}, storage);
  const DefinitionId real = store.add_predefined({"MPI_DOUBLE", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  EXPECT_TRUE(storage.ids.empty());
  const std::int32_t lengths[] = {1, 2, 3};
  const std::int64_t displacements[] = {0, 16, 64};
  const DefinitionId members[] = {real, real, real};
  ConstructorCall call;
  call.combiner = Combiner::structure;
  call.scalars = {3};
  call.arrays = {IntegerArray(lengths), IntegerArray(displacements)};
  call.datatypes = members;
  storage.refuse = true;
  EXPECT_THROW(store.intern(call), std::bad_alloc);
  EXPECT_EQ(store.size(), 1u);
  storage.refuse = false;
  const DefinitionId id = store.intern(call).id;
  EXPECT_FALSE(store.intern(call).is_new);
  EXPECT_EQ(storage.ids, std::vector{id});
  const std::byte* block = storage.blocks.at(0).get();
  EXPECT_EQ(static_cast<const void*>(store[id].call.datatypes.data()), block);
  EXPECT_EQ(store[id].call.arrays[0].data, block + 16);
  EXPECT_EQ(store[id].call.arrays[1].data, block + 32);
  EXPECT_EQ(store[id].call.arrays[1][2], 64);
}

TEST(DefinitionStore, WhatIsEvictedIsGoneAndItsIdIsGivenAgain) {
  CountingStorage storage;
  DefinitionStore store(LibraryConstants{}, storage);
  const DefinitionId real = store.add_predefined({"MPI_DOUBLE", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  const std::size_t bytes_at_start = store.bytes();
  const auto make = [&](std::int64_t count, DefinitionId oldtype) {
    ConstructorCall call;
    call.combiner = Combiner::contiguous;
    call.scalars = {count};
    call.datatypes = {&oldtype, 1};
    return store.intern(call);
  };
  const DefinitionId row = make(3, real).id;
  const DefinitionId block = make(4, row).id;
  EXPECT_EQ(store.parents(row), 1u);
  const Key key = store[block].key;
  store.evict(block);
  EXPECT_EQ(store.parents(row), 0u);
  EXPECT_EQ(storage.blocks.size(), 1u);
  const DefinitionStore::Interned other = make(5, row);
  EXPECT_TRUE(other.is_new);
  EXPECT_EQ(other.id, block);
  const DefinitionStore::Interned again = make(4, row);
  EXPECT_TRUE(again.is_new);
  EXPECT_EQ(store[again.id].key, key);
  store.evict(again.id);
  store.evict(other.id);
  store.evict(row);
  EXPECT_EQ(store.bytes(), bytes_at_start);
  EXPECT_TRUE(storage.blocks.empty());
}

TEST(DefinitionStore, FindsTheOthersAfterAnyEvictions) {
  DefinitionStore store{LibraryConstants{}};
  const DefinitionId real = store.add_predefined({"MPI_DOUBLE", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  std::map<std::int64_t, DefinitionId> known;
  std::mt19937 random(3);
  for (int step = 0; step < 20000; ++step) {
    const auto count = static_cast<std::int64_t>(random() % 300);
    ConstructorCall call;
    call.combiner = Combiner::contiguous;
    call.scalars = {count};
    call.datatypes = {&real, 1};
    const auto found = known.find(count);
    ASSERT_EQ(store.find(call, {}), found == known.end() ? std::nullopt : std::optional(found->second));
    if (found == known.end()) {
      known[count] = store.intern(call).id;
    } else {
      store.evict(found->second);
      known.erase(found);
    }
  }
  EXPECT_LE(store.size(), 301u);
}

TEST(DefinitionStore, BasicsWithoutAHandleAreNoDefinitions) {
  DefinitionStore store{LibraryConstants{}};
  store.add_basic({"F90_REAL(15,307)", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  EXPECT_EQ(store.size(), 0u);
  EXPECT_EQ(store.find_predefined("F90_REAL(15,307)"), std::nullopt);
  EXPECT_TRUE(store.predefined().find("F90_REAL(15,307)"));
}

TEST(Key, TextIsReadBack) {
  EXPECT_EQ(key_text(0x0123456789abcdef), "0123456789abcdef");
  EXPECT_EQ(key_from_text("0123456789abcdef"), 0x0123456789abcdefu);
  EXPECT_EQ(key_from_text("ffffffffffffffff"), UINT64_MAX);
  EXPECT_EQ(key_from_text("123"), std::nullopt);
  EXPECT_EQ(key_from_text("0123456789abcdeg"), std::nullopt);
}

}  // namespace
}  // namespace ddtscope::test::definition_test
