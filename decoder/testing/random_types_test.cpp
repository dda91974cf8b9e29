// Random definitions against the brute-force oracle.
#include <gtest/gtest.h>

#include <algorithm>

#include "decoder/coverage/diagnosis.h"
#include "decoder/coverage/overlap.h"
#include "decoder/definition/envelope.h"
#include "decoder/layout/strided_runs.h"
#include "decoder/layout/typemap.h"
#include "decoder/testing/each_random_type.h"
#include "decoder/testing/overlap_oracle.h"
#include "decoder/testing/sanitizers.h"

namespace ddtscope::test::random_types_test {
namespace {

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

  const OracleBytes bytes(expected);
  const std::int64_t covered = bytes.covered();
  const auto wrong = [](bool overlaps) { return overlaps ? Overlap::no : Overlap::yes; };
  const std::int64_t first_copy = bytes.first_overlapping_copy(strict.extent());
  EXPECT_EQ(text_of(overlap_within(layouts, root)), bytes.overlap_within() ? "yes" : "no");
  EXPECT_EQ(text_of(overlap_of_copies(layouts, root, bounds.extent)), first_copy != 0 ? "yes" : "no");
  const FirstOverlap first = first_overlapping_copy(layouts, root, bounds.extent);
  EXPECT_EQ(text_of(first.answer), first_copy != 0 ? "yes" : "no");
  EXPECT_EQ(first.copy, Exact(first_copy));
  if (first.byte) {
    EXPECT_GT(bytes.times(*first.byte->to_int64()), 0);
    EXPECT_GT(bytes.times(*(*first.byte - first.copy * bounds.extent).to_int64()), 0);
  }
  const OverlapOfCopies both = find_overlap_of_copies(layouts, root, bounds.extent);
  EXPECT_EQ(both.answer, first.answer);
  if (both.first) {
    EXPECT_EQ(both.first->copy, Exact(first_copy));
  }
  const std::optional<Exact> twice = byte_touched_twice(layouts, root);
  EXPECT_EQ(twice.has_value(), bytes.overlap_within());
  if (twice) {
    EXPECT_GT(bytes.times(*twice->to_int64()), 1);
  }
  EXPECT_EQ(*touched_bytes(layouts, root).covered, Exact(covered));
  for (std::int64_t count = 0; count <= 5; ++count) {
    const bool overlaps = bytes.overlap_of_count(strict.extent(), count);
    EXPECT_EQ(text_of(overlap_of_count(layouts, root, {count, bounds.extent})), overlaps ? "yes" : "no") << count;
    for (const std::size_t limit : {0u, 1u, 3u}) {
      EXPECT_NE(overlap_of_count(layouts, root, {count, bounds.extent}, limit), wrong(overlaps)) << count;
    }
  }
  // With less work allowed the answer may be open, never wrong.
  for (const std::size_t limit : {0u, 1u, 3u}) {
    EXPECT_NE(overlap_within(layouts, root, limit), wrong(bytes.overlap_within()));
    EXPECT_NE(overlap_of_copies(layouts, root, bounds.extent, limit), wrong(first_copy != 0));
    const FirstOverlap soon = first_overlapping_copy(layouts, root, bounds.extent, limit);
    EXPECT_NE(soon.answer, wrong(first_copy != 0));
    EXPECT_TRUE(soon.answer != Overlap::yes || soon.copy == Exact(first_copy));
    const OverlapOfCopies limited = find_overlap_of_copies(layouts, root, bounds.extent, limit);
    EXPECT_TRUE(!limited.first || limited.first->copy == Exact(first_copy));
    const std::optional<Exact> some = touched_bytes(layouts, root, limit).covered;
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

TEST(RandomTypes, AgreeWithTheStandardsDefinitions) { for_each_random_type(has_sanitizer ? 1000 : 4000, check); }

}  // namespace
}  // namespace ddtscope::test::random_types_test
