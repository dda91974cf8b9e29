// What a registry makes of constructor calls, names and the library's answers.
#include <algorithm>
#include <thread>

#include "plugin/registry/registry_fixture.h"

namespace ddtscope::plugin::registry_test {
namespace {

TEST_F(RegistryTest, EqualCallsAreOneDefinition) {
  make_vector(1, 3);
  make_vector(2, 3);
  make_vector(3, 4);
  commit(1);
  commit(1);
  free(1);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,2,0,1,1]]");
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,1,0,0,0]]");
}

TEST_F(RegistryTest, ANameIsWrittenOncePerDefinition) {
  make_vector(1, 3);
  make_vector(2, 3);
  registry_->named(1, "column");
  registry_->named(2, "column");
  registry_->named(2, "edge \"A\"");
  registry_->named(mpi_int, "int");
  EXPECT_EQ(lines("name"), (std::vector<std::string>{R"({"record":"name","definition":0,"name":"column"})",
                                                     R"({"record":"name","definition":0,"name":"edge \"A\""})"}));
}

TEST_F(RegistryTest, VerificationNamesBothValues) {
  library_.knows_vector(1, {3, 1, 2}, mpi_double);
  library_.knows_vector(2, {9, 1, 2}, mpi_double);
  start({.verify = true});
  make_vector(1, 3);  // 40 bytes in truth, the fake library says 64
  make_vector(2, 4);
  const auto found = lines("difference");
  const auto has = [&](const std::string& text) {
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has(R"("definition":0,"subject":"extent","computed":40,"library":64)"));
  EXPECT_TRUE(has(R"("definition":0,"subject":"size","computed":24,"library":64)"));
  EXPECT_FALSE(has(R"("definition":0,"subject":"contents")"));
  EXPECT_TRUE(has(
      R"("definition":1,"subject":"contents","computed":{"integers":{"length":3,"from":0,"values":[4,1,2]}},"library":{"integers":{"length":3,"from":0,"values":[9,1,2]}})"));
}

TEST_F(RegistryTest, ThreadsCountExactly) {
  constexpr int threads = 4;
  constexpr int rounds = 5000;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([this, t] {
      for (int i = 0; i < rounds; ++i) {
        const auto handle = static_cast<HandleBits>(100 + t);
        make_vector(handle, 1 + i % 7);
        commit(handle);
        free(handle);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  const Registry::Totals totals = registry_->totals();
  EXPECT_EQ(totals.definitions, 7u);
  EXPECT_EQ(totals.created, static_cast<std::uint64_t>(threads * rounds));
  EXPECT_EQ(totals.freed, totals.created);
}

TEST_F(RegistryTest, APairWithANameIsNotMade) {
  get_value_index(mpi_double);  // a handle that is known from the start
  library_.decoded[21].envelope = {.combiner = Combiner::named};
  get_value_index(21);  // one of the library's own
  EXPECT_EQ(registry_->totals().created, 0u);
}

}  // namespace
}  // namespace ddtscope::plugin::registry_test
