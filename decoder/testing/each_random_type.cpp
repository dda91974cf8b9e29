// The loop of all tests over random definitions.
#include "decoder/testing/each_random_type.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "decoder/notation/constructor_code.h"
#include "decoder/testing/random_types.h"

namespace ddtscope::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// As a machine and its library may have them.
void add_f90_types(TestStore& types) {
  const auto basic = [](std::int64_t size, std::int64_t alignment) {
    return PredefinedType{{}, PredefinedKind::basic, size, size, alignment, {}, {}, 0};
  };
  types.make_f90(Combiner::f90_real, {{15}, {307}}, basic(8, 8));
  types.make_f90(Combiner::f90_real, {{mpi_undefined}, {37}}, basic(4, 4));
  types.make_f90(Combiner::f90_complex, {{15}, {mpi_undefined}}, basic(16, 8));
  types.make_f90(Combiner::f90_integer, {{9}}, basic(4, 4));
}

std::string call_text(const DefinitionStore& store, DefinitionId id) {
  return constructor_call_text(
      store, id, [&](DefinitionId oldtype) { return "D" + std::to_string(oldtype.value); }, 100);
}

}  // namespace

void for_each_random_type(std::uint64_t default_count, const CheckOfType& check) {
  const std::uint64_t seed = from_environment("DDTSCOPE_RANDOM_SEED", 20);
  const std::uint64_t count = from_environment("DDTSCOPE_RANDOM_COUNT", default_count);
  std::printf("DDTSCOPE_RANDOM_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::array<int, combiner_count> seen{};
  std::set<std::uint32_t> checked;
  for (std::uint64_t round = 0; checked.size() < count && round < 50; ++round) {
    TestStore types(round % 2 == 0 ? mpich_constants : openmpi_constants, many_predefined_types());
    add_f90_types(types);
    const auto leaves = static_cast<std::uint32_t>(types.store().size());
    RandomTypesOptions options;
    options.seed = seed * 1000 + round;
    RandomTypes generator(types, options);
    Oracle oracle(types.store());
    std::set<std::uint32_t> in_round;
    for (int i = 0; i < 1000 && checked.size() + in_round.size() < count; ++i) {
      const DefinitionId id = generator.next();
      if (!id.valid() || !in_round.insert(id.value).second) continue;
      check(types, oracle, id);
      ++seen[static_cast<std::size_t>(types.store()[id].call.combiner)];
      if (testing::Test::HasFailure()) {
        std::string text;
        for (std::uint32_t k = leaves; k <= id.value; ++k) {
          text += "D" + std::to_string(k) + " = " + call_text(types.store(), DefinitionId{k}) + "\n";
        }
        FAIL() << "seed " << seed << ", round " << round << ", D" << id.value << " of\n"
               << text.substr(text.size() > 4000 ? text.size() - 4000 : 0);
      }
    }
    const auto base = static_cast<std::uint32_t>(round * 1000000);
    for (const std::uint32_t id : in_round) checked.insert(base + id);
  }
  EXPECT_GE(checked.size(), count * 9 / 10);
  for (int i = 1; i < combiner_count; ++i) {
    const CombinerRow& row = row_of(static_cast<Combiner>(i));
    if (row.datatypes != DatatypeArguments::none) {
      EXPECT_GT(seen[static_cast<std::size_t>(i)], 0) << row.mpi_name;
    }
  }
}

void for_each_type_of_many_parts(std::uint64_t default_count, std::int64_t parts, const CheckOfType& check) {
  std::mt19937_64 random(7);
  const auto number = [&](std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random);
  };
  for_each_random_type(default_count, [&](TestStore& types, Oracle& oracle, DefinitionId id) {
    if (types.facts(id).entries > Exact(8)) return;
    const std::int64_t extent = std::abs(oracle.extent(id)) + 1;
    const std::int64_t spread = number(0, 1) * 4 * extent * parts;  // scattered, or one after the other
    std::vector<std::int64_t> blocklengths, displacements;
    std::vector<DefinitionId> oldtypes;
    for (std::int64_t i = 0, at = 0; i < parts; ++i, at += number(0, 3 * extent)) {
      blocklengths.push_back(number(0, 2));
      displacements.push_back(spread == 0 ? at : number(-spread, spread));
      oldtypes.push_back(number(0, 9) == 0 ? DefinitionId{0} : id);
    }
    check(types, oracle, types.hindexed(blocklengths, displacements, id));
    check(types, oracle, types.structure(blocklengths, displacements, oldtypes));
    check(types, oracle, types.vector(2, 1, 1, types.hindexed(blocklengths, displacements, id)));
  });
}

}  // namespace ddtscope::test
