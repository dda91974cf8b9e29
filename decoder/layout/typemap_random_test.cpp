// Cursors over random types and copies of them against the brute-force oracle: from the start, and from every seek.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "decoder/coverage/byte_search.h"
#include "decoder/layout/layout_index.h"
#include "decoder/layout/typemap.h"
#include "decoder/testing/each_random_type.h"
#include "decoder/testing/sanitizers.h"

namespace ddtscope::test::typemap_random_test {
namespace {

using Item = std::pair<std::int64_t, std::int64_t>;

Item item_of(const TypemapEntry& entry) { return {entry.type.value, *entry.displacement.to_int64()}; }
Item item_of(const Block& block) { return {*block.displacement.to_int64(), *block.length.to_int64()}; }
Item item_of(const NarrowBlock& block) { return {block.displacement, block.length}; }
Item item_of(const SignatureRun& run) { return {run.type.value, *run.repeat.to_int64()}; }

/// What a cursor yields, up to `limit` items.
template <class Unit, class Cursor>
std::vector<Item> read(Cursor& cursor, std::size_t limit) {
  std::vector<Item> items;
  for (Unit unit; items.size() < limit && cursor.next(unit);) items.push_back(item_of(unit));
  return items;
}

/// The same in batches of `batch`.
template <class Unit, class Cursor>
std::vector<Item> read_batches(Cursor& cursor, std::size_t batch) {
  std::vector<Item> items;
  std::vector<Unit> units(batch);
  while (true) {
    const std::size_t n = cursor.next(std::span(units));
    for (std::size_t i = 0; i < n; ++i) items.push_back(item_of(units[i]));
    if (n < batch) return items;
  }
}

std::vector<Item> slice(const std::vector<Item>& items, std::size_t begin, std::size_t length) {
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(std::min(begin, items.size()));
  return {first, first + static_cast<std::ptrdiff_t>(std::min(length, items.size() - std::min(begin, items.size())))};
}

template <class Unit, class Cursor>
void check_cursor(LayoutIndex& index, LayoutId root, Copies copies, const std::vector<Item>& expected) {
  Cursor all(index.layouts(), root, copies);
  ASSERT_EQ(read<Unit>(all, SIZE_MAX), expected);
  Cursor cursor(index, root, copies);
  // Every place, or so many that the test stays short.
  const std::size_t step = expected.size() / 300 + 1;
  for (std::size_t i = 0; i < expected.size(); i += step) {
    ASSERT_TRUE(cursor.seek(Exact(static_cast<std::int64_t>(i)))) << i;
    ASSERT_EQ(read<Unit>(cursor, 3), slice(expected, i, 3)) << "from " << i;
  }
  for (const std::int64_t none : {std::int64_t{-1}, static_cast<std::int64_t>(expected.size()), INT64_MAX}) {
    EXPECT_FALSE(cursor.seek(none));
    EXPECT_EQ(read<Unit>(cursor, 1).size(), 0u);
  }
  if (expected.empty()) return;
  const std::size_t middle = expected.size() / 2;
  ASSERT_TRUE(all.seek(Exact(static_cast<std::int64_t>(middle))));
  EXPECT_EQ(read<Unit>(all, SIZE_MAX), slice(expected, middle, SIZE_MAX));
}

/// Which bytes the entries cover, in a map from their bytes; asked for every byte, or so many that the test stays
/// short.
void check_bytes(ByteSearch& search, const std::vector<Item>& entries, std::int64_t entries_per_copy,
                 const PredefinedTable& table) {
  std::set<std::int64_t> covered;
  for (const auto& [type, at] : entries) {
    const std::int64_t size = table[PredefinedId{static_cast<std::uint32_t>(type)}].size;
    for (std::int64_t i = 0; i < size; ++i) covered.insert(at + i);
  }
  const std::int64_t first = covered.empty() ? -3 : *covered.begin() - 3;
  const std::int64_t end = covered.empty() ? 3 : *covered.rbegin() + 4;
  const std::int64_t step = (end - first) / 150 + 1;
  for (std::int64_t byte = first; byte < end; byte += step) {
    SCOPED_TRACE("byte " + std::to_string(byte));
    const ByteAnswer answer = search.find(byte);
    ASSERT_EQ(text_of(answer.covered), covered.contains(byte) ? "yes" : "no");
    if (answer.covered == Covered::yes) {
      const std::int64_t k = *answer.entry.entry.to_int64();
      ASSERT_EQ(item_of(answer.entry.place), entries.at(static_cast<std::size_t>(k)));
      ASSERT_EQ(answer.entry.copy, Exact(k / entries_per_copy));
      ASSERT_EQ(answer.entry.place.displacement + answer.entry.byte, Exact(byte));
      ASSERT_TRUE(answer.entry.byte >= Exact(0) && answer.entry.byte < Exact(table[answer.entry.place.type].size));
    }
    if (byte % 3 != 0) continue;
    const auto above = covered.upper_bound(byte);
    const NearestByte found_above = search.nearest_above(byte);
    ASSERT_EQ(text_of(found_above.exists), above != covered.end() ? "yes" : "no");
    if (above != covered.end()) {
      ASSERT_EQ(found_above.byte, Exact(*above));
    }
    const auto at = covered.lower_bound(byte);
    const NearestByte found_below = search.nearest_below(byte);
    ASSERT_EQ(text_of(found_below.exists), at != covered.begin() ? "yes" : "no");
    if (at != covered.begin()) {
      ASSERT_EQ(found_below.byte, Exact(*std::prev(at)));
    }
  }
}

void check(TestStore& types, Oracle& oracle, DefinitionId id) {
  const LayoutId root = types.layouts().root(id);
  const OracleTypemap typemap = oracle.entries(id);
  const OracleBounds bounds = oracle.bounds(id);
  LayoutIndex index(types.layouts());
  const std::int64_t span = bounds.true_ub - bounds.true_lb;
  const std::array<std::pair<std::int64_t, std::int64_t>, 7> cases = {
      {{1, 0}, {2, bounds.extent()}, {3, 0}, {4, -bounds.extent() - 1}, {3, span}, {2, span - bounds.size}, {0, 8}}};
  for (const auto& [count, extent] : cases) {
    if (count > 1 && typemap.size() > 300) continue;
    SCOPED_TRACE(std::to_string(count) + " copies, extent " + std::to_string(extent));
    std::vector<Item> entries, blocks, runs;
    for (std::int64_t copy = 0; copy < count; ++copy) {
      for (const OracleEntry& entry : typemap) {
        const std::int64_t at = entry.displacement + copy * extent;
        entries.emplace_back(entry.type.value, at);
        if (!blocks.empty() && blocks.back().first + blocks.back().second == at) {
          blocks.back().second += entry.size;
        } else {
          blocks.emplace_back(at, entry.size);
        }
        if (!runs.empty() && runs.back().first == entry.type.value) {
          ++runs.back().second;
        } else {
          runs.emplace_back(entry.type.value, 1);
        }
      }
    }
    const Copies copies = {count, extent};
    check_cursor<TypemapEntry, TypemapCursor>(index, root, copies, entries);
    check_cursor<Block, BlockCursor>(index, root, copies, blocks);
    check_cursor<SignatureRun, SignatureCursor>(index, root, copies, runs);
    const LayoutFacts facts = facts_of_copies(types.layouts(), root, copies);
    EXPECT_EQ(facts.entries, Exact(static_cast<std::int64_t>(entries.size())));
    EXPECT_EQ(facts.blocks, Exact(static_cast<std::int64_t>(blocks.size())));
    ByteSearch search(index, root, copies);
    check_bytes(search, entries, static_cast<std::int64_t>(typemap.size()), types.store().predefined());
    for (const std::size_t batch : {1u, 3u, 64u}) {
      BlockCursor by_blocks(types.layouts(), root, copies);
      EXPECT_EQ(read_batches<NarrowBlock>(by_blocks, batch), blocks);
      TypemapCursor by_entries(types.layouts(), root, copies);
      EXPECT_EQ(read_batches<TypemapEntry>(by_entries, batch), entries);
    }
  }
}

TEST(RandomCursors, StreamAndSeekAsTheTypemapSays) { for_each_random_type(has_sanitizer ? 300 : 1500, check); }
TEST(RandomCursors, FindTheirWayAmongManyParts) { for_each_type_of_many_parts(60, has_sanitizer ? 100 : 300, check); }

}  // namespace
}  // namespace ddtscope::test::typemap_random_test
