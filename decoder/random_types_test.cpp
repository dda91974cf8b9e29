// Random definitions against the brute-force oracle. DDTSCOPE_RANDOM_SEED and DDTSCOPE_RANDOM_COUNT
// choose others than the default.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "decoder/constructor_code.h"
#include "decoder/diagnosis.h"
#include "decoder/envelope.h"
#include "decoder/overlap.h"
#include "decoder/test_store.h"
#include "decoder/typemap.h"
#include "decoder/typemap_oracle.h"

namespace ddtscope::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Makes definitions of all combiners in both forms, small enough for the oracle.
class Generator {
 public:
  Generator(TestStore& types, std::uint64_t seed) : types_(types), random_(seed) {
    for (std::uint32_t i = 0; i < types.store().size(); ++i) pool_.push_back({DefinitionId{i}, 0});
  }

  /// Invalid where the type would be too large.
  DefinitionId next() {
    int depth = 0;
    const DefinitionId id = make(depth);
    if (!id.valid()) return id;
    const LayoutFacts& facts = types_.facts(id);
    const bool is_small = facts.entries < Exact(2000) && abs(types_.bounds(id).extent) < Exact(100000) &&
                          abs(facts.true_lb) < Exact(100000) && abs(facts.true_ub) < Exact(100000);
    if (!is_small) return DefinitionId{};
    if (depth < 5 && facts.entries < Exact(200)) pool_.push_back({id, depth});
    return id;
  }

 private:
  struct Known {
    DefinitionId id;
    int depth;
  };

  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  std::vector<std::int64_t> numbers(std::int64_t n, std::int64_t least, std::int64_t greatest) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < n; ++i) result.push_back(number(least, greatest));
    return result;
  }

  DefinitionId oldtype(int& depth) {
    // Young types are preferred, so that nests get deep; predefined ones come often, too.
    const auto n = static_cast<std::int64_t>(pool_.size());
    std::int64_t i = 0;
    switch (number(0, 2)) {
      case 0:
        i = number(0, 11);
        break;
      case 1:
        i = number(0, n - 1);
        break;
      default:
        i = number(std::max<std::int64_t>(0, n - 40), n - 1);
    }
    const Known& known = pool_[static_cast<std::size_t>(i)];
    depth = std::max(depth, known.depth + 1);
    return known.id;
  }

  /// Displacements of `n` parts: scattered, evenly spaced, or adjoining.
  std::vector<std::int64_t> displacements(std::int64_t n, std::int64_t unit) {
    if (number(0, 1) == 0) return numbers(n, -6 * unit, 12 * unit);
    std::vector<std::int64_t> result;
    std::int64_t at = number(-2 * unit, 2 * unit);
    const std::int64_t step = number(-4, 8) * unit;
    for (std::int64_t i = 0; i < n; ++i, at += step) result.push_back(at);
    return result;
  }

  DefinitionId make(int& depth) {
    const auto combiner = static_cast<Combiner>(number(1, combiner_count - 1));
    const Form form = row_of(combiner).has_large_form && number(0, 1) == 1 ? Form::large_counts : Form::int_counts;
    const std::int64_t n = number(0, 4);
    const DefinitionId old = oldtype(depth);
    switch (combiner) {
      case Combiner::named:
      case Combiner::f90_real:
      case Combiner::f90_complex:
      case Combiner::f90_integer:
        return {};
      case Combiner::dup:
        return types_.make(combiner, form, {}, {old});
      case Combiner::contiguous:
        return types_.make(combiner, form, {{n}}, {old});
      case Combiner::vector:
        return types_.make(combiner, form, {{n}, {number(0, 3)}, {number(-4, 6)}}, {old});
      case Combiner::hvector:
        return types_.make(combiner, form, {{n}, {number(0, 3)}, {number(-5, 8) * number(1, 8)}}, {old});
      case Combiner::indexed:
        return types_.make(combiner, form, {{n}, numbers(n, 0, 3), displacements(n, 1)}, {old});
      case Combiner::hindexed:
        return types_.make(combiner, form, {{n}, numbers(n, 0, 3), displacements(n, number(1, 16))}, {old});
      case Combiner::indexed_block:
        return types_.make(combiner, form, {{n}, {number(0, 3)}, displacements(n, 1)}, {old});
      case Combiner::hindexed_block:
        return types_.make(combiner, form, {{n}, {number(0, 3)}, displacements(n, number(1, 16))}, {old});
      case Combiner::structure: {
        std::vector<DefinitionId> oldtypes;
        for (std::int64_t i = 0; i < n; ++i) oldtypes.push_back(oldtype(depth));
        return types_.make(combiner, form, {{n}, numbers(n, 0, 3), displacements(n, number(1, 16))}, oldtypes);
      }
      case Combiner::subarray: {
        const std::int64_t ndims = number(1, 3);
        const auto sizes = numbers(ndims, 1, 5);
        std::vector<std::int64_t> subsizes, starts;
        for (const std::int64_t size : sizes) {
          subsizes.push_back(number(1, size));
          starts.push_back(number(0, size - subsizes.back()));
        }
        return types_.make(combiner, form, {{ndims}, sizes, subsizes, starts, {order()}}, {old});
      }
      case Combiner::darray:
        return darray(form, old);
      case Combiner::resized:
        return types_.make(combiner, form, {{number(-20, 20)}, {number(-8, 64)}}, {old});
      case Combiner::value_index: {
        const DefinitionId value = DefinitionId{static_cast<std::uint32_t>(number(0, 6))};
        const DefinitionId index = DefinitionId{static_cast<std::uint32_t>(number(0, 6))};
        return types_.make(combiner, form, {}, {value, index});
      }
    }
    return {};
  }

  std::int64_t order() { return number(0, 1) == 0 ? types_.constants().order_c : types_.constants().order_fortran; }

  DefinitionId darray(Form form, DefinitionId old) {
    const LibraryConstants& constants = types_.constants();
    const std::int64_t ndims = number(1, 3);
    const auto gsizes = numbers(ndims, 1, 7);
    std::vector<std::int64_t> distribs, dargs, psizes;
    std::int64_t size = 1;
    for (const std::int64_t gsize : gsizes) {
      psizes.push_back(number(1, 4));
      dargs.push_back(constants.distribute_dflt_darg);
      switch (number(0, 2)) {
        case 0:
          distribs.push_back(constants.distribute_none);
          psizes.back() = 1;
          break;
        case 1:
          distribs.push_back(constants.distribute_block);
          if (number(0, 1) == 0) dargs.back() = (gsize + psizes.back() - 1) / psizes.back() + number(0, 2);
          break;
        default:
          distribs.push_back(constants.distribute_cyclic);
          if (number(0, 1) == 0) dargs.back() = number(1, 4);
      }
      size *= psizes.back();
    }
    return types_.make(Combiner::darray, form,
                       {{size}, {number(0, size - 1)}, {ndims}, gsizes, distribs, dargs, psizes, {order()}}, {old});
  }

  TestStore& types_;
  std::mt19937_64 random_;
  std::vector<Known> pool_;
};

using Entry = std::pair<PredefinedId, std::int64_t>;

void expand(const StridedRun& run, std::size_t loop, std::int64_t base, std::vector<Entry>& entries) {
  if (loop < run.repeat.size()) {
    const auto [count, stride] = run.repeat[loop];
    for (std::int64_t i = 0; Exact(i) < count; ++i) expand(run, loop + 1, base + i * *stride.to_int64(), entries);
    return;
  }
  if (run.type.valid()) {
    entries.emplace_back(run.type, base);
    return;
  }
  for (const StridedRun& inner : run.group) {
    expand(inner, 0, base + *inner.displacement.to_int64(), entries);
  }
}

/// Whether copies one extent apart touch the same byte: every copy that can reach the first is tried.
bool copies_overlap(const std::vector<bool>& touched, std::int64_t extent) {
  if (extent == 0) return std::find(touched.begin(), touched.end(), true) != touched.end();
  const std::size_t distance = static_cast<std::size_t>(std::abs(extent));
  for (std::size_t shift = distance; shift < touched.size(); shift += distance) {
    for (std::size_t byte = shift; byte < touched.size(); ++byte) {
      if (touched[byte] && touched[byte - shift]) return true;
    }
  }
  return false;
}

void check(TestStore& types, Oracle& oracle, DefinitionId id) {
  const Layouts& layouts = types.layouts();
  const LayoutId root = layouts.root(id);
  const LayoutFacts& facts = types.facts(id);
  const Bounds& bounds = types.bounds(id);
  const OracleTypemap expected = oracle.entries(id);
  const OracleBounds strict = oracle.bounds(id);

  ASSERT_EQ(facts.entries, Exact(static_cast<std::int64_t>(expected.size())));
  EXPECT_EQ(bounds.size, Exact(strict.size));
  EXPECT_EQ(bounds.lb, Exact(strict.lb));
  EXPECT_EQ(bounds.ub, Exact(strict.ub));
  EXPECT_EQ(bounds.extent, Exact(strict.extent()));
  EXPECT_EQ(bounds.true_lb, Exact(strict.true_lb));
  EXPECT_EQ(bounds.true_ub, Exact(strict.true_ub));
  EXPECT_EQ(bounds.true_extent, Exact(strict.true_ub - strict.true_lb));
  EXPECT_EQ(facts.alignment, strict.alignment);

  std::vector<Entry> wanted;
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
  std::vector<std::pair<PredefinedId, std::int64_t>> signature;
  std::vector<bool> touched(static_cast<std::size_t>(strict.true_ub - strict.true_lb));
  bool overlaps = false;
  for (const OracleEntry& entry : expected) {
    wanted.emplace_back(entry.type, entry.displacement);
    if (!blocks.empty() && blocks.back().first + blocks.back().second == entry.displacement) {
      blocks.back().second += entry.size;
    } else {
      blocks.emplace_back(entry.displacement, entry.size);
    }
    if (!signature.empty() && signature.back().first == entry.type) {
      ++signature.back().second;
    } else {
      signature.emplace_back(entry.type, 1);
    }
    for (std::int64_t i = 0; i < entry.size; ++i) {
      auto byte = touched[static_cast<std::size_t>(entry.displacement + i - strict.true_lb)];
      overlaps |= byte;
      byte = true;
    }
  }

  std::vector<Entry> streamed;
  TypemapCursor entries(layouts, root);
  for (TypemapEntry entry; entries.next(entry);) streamed.emplace_back(entry.type, *entry.displacement.to_int64());
  EXPECT_EQ(streamed, wanted);

  EXPECT_EQ(facts.blocks, Exact(static_cast<std::int64_t>(blocks.size())));
  std::vector<std::pair<std::int64_t, std::int64_t>> streamed_blocks;
  BlockCursor cursor(layouts, root);
  for (Block block; cursor.next(block);) {
    streamed_blocks.emplace_back(*block.displacement.to_int64(), *block.length.to_int64());
  }
  EXPECT_EQ(streamed_blocks, blocks);

  EXPECT_EQ(facts.signature_runs, Exact(static_cast<std::int64_t>(signature.size())));
  std::vector<std::pair<PredefinedId, std::int64_t>> runs;
  for (const SignatureRun& run : signature_runs(layouts, root, SIZE_MAX)) {
    runs.emplace_back(run.type, *run.repeat.to_int64());
  }
  EXPECT_EQ(runs, signature);

  const StridedRuns strided = strided_runs(layouts, root, 100000);
  EXPECT_FALSE(strided.truncated);
  std::vector<Entry> expanded;
  for (const StridedRun& run : strided.runs) expand(run, 0, *run.displacement.to_int64(), expanded);
  EXPECT_EQ(expanded, wanted);

  EXPECT_EQ(text_of(overlap_within(layouts, root)), overlaps ? "yes" : "no");
  EXPECT_EQ(text_of(overlap_of_copies(layouts, root, bounds.extent)),
            copies_overlap(touched, strict.extent()) ? "yes" : "no");
  const std::int64_t covered = std::count(touched.begin(), touched.end(), true);
  EXPECT_EQ(*bytes_covered(layouts, root), Exact(covered));
  // With less work allowed the answer may be open, never wrong.
  for (const std::size_t limit : {0u, 1u, 3u}) {
    EXPECT_NE(overlap_within(layouts, root, limit), overlaps ? Overlap::no : Overlap::yes);
    EXPECT_NE(overlap_of_copies(layouts, root, bounds.extent, limit),
              copies_overlap(touched, strict.extent()) ? Overlap::no : Overlap::yes);
    const std::optional<Exact> some = bytes_covered(layouts, root, limit);
    EXPECT_TRUE(!some || *some == Exact(covered));
  }

  const Diagnosis diagnosis = diagnose(layouts, id);
  EXPECT_EQ(*diagnosis.hole_bytes, Exact(strict.true_ub - strict.true_lb - covered));
  EXPECT_EQ(diagnosis.bytes_before_lb,
            Exact(expected.empty() ? 0 : std::max<std::int64_t>(0, strict.lb - strict.true_lb)));
  EXPECT_EQ(diagnosis.bytes_beyond_ub,
            Exact(expected.empty() ? 0 : std::max<std::int64_t>(0, strict.true_ub - strict.ub)));

  const ConstructorCall& call = types.store()[id].call;
  CallFromContents rebuilt;
  ASSERT_TRUE(rebuilt.build(call.combiner, call.form, contents_of(call))) << rebuilt.problem();
  const auto [same, is_new] = types.store().intern(rebuilt.call());
  EXPECT_FALSE(is_new);
  EXPECT_EQ(same, id);
}

std::string call_text(const DefinitionStore& store, DefinitionId id) {
  return constructor_call_text(
      store, id, [&](DefinitionId oldtype) { return "D" + std::to_string(oldtype.value); }, 100);
}

TEST(RandomTypes, AgreeWithTheStandardsDefinitions) {
  const std::uint64_t seed = from_environment("DDTSCOPE_RANDOM_SEED", 20);
  const std::uint64_t count = from_environment("DDTSCOPE_RANDOM_COUNT", 4000);
  std::printf("DDTSCOPE_RANDOM_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::array<int, combiner_count> seen{};
  std::set<std::uint32_t> checked;
  for (std::uint64_t round = 0; checked.size() < count && round < 50; ++round) {
    TestStore types(round % 2 == 0 ? mpich_constants : openmpi_constants);
    Generator generator(types, seed * 1000 + round);
    Oracle oracle(types.store());
    std::set<std::uint32_t> in_round;
    for (int i = 0; i < 1000 && checked.size() + in_round.size() < count; ++i) {
      const DefinitionId id = generator.next();
      if (!id.valid() || !in_round.insert(id.value).second) continue;
      check(types, oracle, id);
      ++seen[static_cast<std::size_t>(types.store()[id].call.combiner)];
      if (testing::Test::HasFailure()) {
        std::string text;
        for (std::uint32_t k = 12; k <= id.value; ++k) {
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

}  // namespace
}  // namespace ddtscope::test
