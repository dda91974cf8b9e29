// What a reader of the debug view finds at any time: it walks the memory as a debugger would, by addresses alone.
#include "plugin/debug_view/debug_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "plugin/registry/handle_table.h"

namespace ddtscope::plugin::debug_memory_test {
namespace {

using trace::DebugArena;
using trace::DebugRecord;
using trace::DebugRecordKind;

template <class T>
const T& at(std::uint64_t address) {
  return *reinterpret_cast<const T*>(address);
}

struct Found {
  std::uint32_t kind;
  std::string content;
};

/// All records in order; those whose checksum is wrong fail the test.
std::vector<Found> records_from(std::uint64_t arena) {
  std::vector<Found> found;
  for (; arena != 0; arena = at<DebugArena>(arena).next) {
    EXPECT_EQ(std::string(at<DebugArena>(arena).magic, 8), std::string(trace::debug_arena_magic, 8));
    EXPECT_EQ(at<DebugArena>(arena).self, arena);
    std::uint64_t place = arena + sizeof(DebugArena);
    while (place < arena + at<DebugArena>(arena).used) {
      const DebugRecord& record = at<DebugRecord>(place);
      const auto* content = reinterpret_cast<const char*>(place + sizeof(DebugRecord));
      if (record.kind != 0) {
        DebugRecord header = record;
        header.checksum = 0;
        const std::size_t length = record.used - sizeof(DebugRecord);
        EXPECT_EQ(record.checksum, XXH3_64bits_withSeed(content, length, XXH3_64bits(&header, sizeof header)));
        found.push_back({record.kind, std::string(content, length)});
      }
      EXPECT_LE(record.used, record.bytes);
      place += record.bytes;
    }
    EXPECT_EQ(place, arena + at<DebugArena>(arena).used);
  }
  return found;
}

TEST(DebugRecords, AreWholeAndInOrderThroughAnyMakingAndReleasing) {
  std::uint64_t first = 0;
  std::mt19937_64 random(7);
  {
    DebugRecords records(first);
    std::map<std::byte*, std::string> live;
    std::vector<std::string> lines;
    const auto make = [&](DebugRecords::Room room) {
      const std::size_t length = random() % 50 == 0 ? random() % 100000 : random() % 600;
      std::string text = std::to_string(live.size() + lines.size()) + ":";
      text.resize(text.size() + length, static_cast<char>('a' + random() % 26));
      std::byte* content = records.allocate(text.size(), room);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(content) % 8, 0u);
      std::memcpy(content, text.data(), text.size());
      return std::pair(content, text);
    };
    for (int step = 0; step < 3000; ++step) {
      if (random() % 4 == 0) {
        const auto [content, text] = make(DebugRecords::Room::at_end);
        records.publish(content, text.size(), DebugRecordKind::line);
        lines.push_back(text);
      } else if (random() % 2 == 0 || live.empty()) {
        const auto [content, text] = make(DebugRecords::Room::anywhere);
        records.publish(content, text.size(), DebugRecordKind::definition);
        live[content] = text;
      } else {
        const auto gone = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
        records.release(gone->first);
        live.erase(gone);
      }
      if (step % 100 != 0) continue;
      std::multiset<std::string> definitions;
      std::vector<std::string> found_lines;
      for (const Found& record : records_from(first)) {
        if (record.kind == static_cast<std::uint32_t>(DebugRecordKind::line)) {
          found_lines.push_back(record.content);
        } else {
          definitions.insert(record.content);
        }
      }
      std::multiset<std::string> expected;
      for (const auto& [content, text] : live) expected.insert(text);
      ASSERT_EQ(definitions, expected);
      std::multiset<std::string> any_order(found_lines.begin(), found_lines.end());
      ASSERT_EQ(any_order, std::multiset<std::string>(lines.begin(), lines.end()));
    }
  }
  EXPECT_EQ(first, 0u);
}

TEST(DebugRecords, TakeTheRoomOfThoseThatAreGone) {
  std::uint64_t first = 0;
  DebugRecords records(first);
  for (const std::size_t length : {100u, 1000u, 10000u, 1000000u}) {
    std::vector<std::byte*> made;
    std::size_t most = 0;
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 5; ++i) {
        made.push_back(records.allocate(length, DebugRecords::Room::anywhere));
        records.publish(made.back(), length, DebugRecordKind::definition);
      }
      if (round == 0) most = records.bytes();
      EXPECT_EQ(records.bytes(), most);
      for (std::byte* content : made) records.release(content);
      made.clear();
    }
  }
  EXPECT_TRUE(records_from(first).empty());
}

TEST(DebugRecords, KeepLinesInTheirOrder) {
  std::uint64_t first = 0;
  DebugRecords records(first);
  std::vector<std::byte*> gone;
  for (int i = 0; i < 100; ++i) gone.push_back(records.allocate(500, DebugRecords::Room::anywhere));
  for (std::byte* content : gone) records.release(content);
  std::vector<std::string> lines;
  for (int i = 0; i < 2000; ++i) {
    lines.push_back(std::string(500, static_cast<char>('a' + i % 26)) + std::to_string(i));
    std::byte* content = records.allocate(lines.back().size(), DebugRecords::Room::at_end);
    std::memcpy(content, lines.back().data(), lines.back().size());
    records.publish(content, lines.back().size(), DebugRecordKind::line);
  }
  std::vector<std::string> found;
  for (const Found& record : records_from(first)) found.push_back(record.content);
  EXPECT_EQ(found, lines);
}

constexpr DebugMemory::Process only_process{.rank = 0, .size = 1, .mpi_datatype_bytes = 8, .long_double_digits = 64};

TEST(DebugMemory, IsFoundOnlyWhileItIsThere) {
  trace::DebugView view{};
  {
    DebugMemory memory(view);
    EXPECT_EQ(view.self, 0u);
    memory.begin({.rank = 3, .size = 4, .mpi_datatype_bytes = 8, .long_double_digits = 64});
    EXPECT_EQ(view.self, reinterpret_cast<std::uintptr_t>(&view));
    EXPECT_EQ(view.checksum, XXH3_64bits(&view, offsetof(trace::DebugView, checksum)));
    EXPECT_EQ(view.rank, 3);
    EXPECT_EQ(view.long_double_digits, 64u);
    memory.ended();
    EXPECT_EQ(view.state, 2u);
    memory.stopped();
    EXPECT_EQ(view.state, 2u);
  }
  EXPECT_EQ(view.self, 0u);
}

TEST(DebugMemory, SaysThatRecordingStoppedBeforeTheEnd) {
  trace::DebugView view{};
  DebugMemory memory(view);
  memory.begin(only_process);
  memory.stopped();
  memory.ended();
  EXPECT_EQ(view.state, 3u);
}

TEST(DebugMemory, SaysOfAChildThatItWasForked) {
  trace::DebugView view{};
  DebugMemory memory(view);
  memory.forked();
  EXPECT_EQ(view.state, 0u) << "nothing was recorded";
  memory.begin(only_process);
  memory.forked();
  memory.stopped();
  EXPECT_EQ(view.state, 4u);
}

TEST(DebugMemory, LeavesNothingOfAnOlderSession) {
  trace::DebugView view{};
  DebugMemory older(view);
  older.begin(only_process);
  older.keep("header", "the older one's");
  std::uint64_t tables = 0x1000;
  for (std::uint64_t& table : view.tables) table = tables++;
  older.ended();
  DebugMemory memory(view);
  EXPECT_EQ(view.self, 0u);
  memory.begin(only_process);
  EXPECT_EQ(view.state, 1u);
  EXPECT_EQ(view.first_arena, 0u);
  for (const std::uint64_t table : view.tables) EXPECT_EQ(table, 0u);
  memory.keep("header", "its own");
  ASSERT_EQ(records_from(view.first_arena).size(), 1u);
  EXPECT_EQ(records_from(view.first_arena)[0].content, "its own");
}

TEST(DebugMemory, KeepsWhatDefinitionsReferTo) {
  trace::DebugView view{};
  DebugMemory memory(view);
  memory.begin(only_process);
  memory.keep("header", "the header");
  memory.keep("instances", "not kept");
  memory.keep("frames", "frames");
  DefinitionStore store(LibraryConstants{}, memory);
  const DefinitionId real = store.add_predefined({"MPI_DOUBLE", PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  memory.predefined(real, "MPI_DOUBLE");
  const std::int32_t lengths[] = {1, 2, 3};
  const std::int32_t displacements[] = {0, 16, 64};
  ConstructorCall call;
  call.combiner = Combiner::indexed;
  call.scalars = {3};
  call.arrays = {IntegerArray(lengths), IntegerArray(displacements)};
  call.datatypes = {&real, 1};
  const DefinitionId id = store.intern(call).id;
  EXPECT_EQ(records_from(view.first_arena).size(), 3u);  // not yet described
  static constexpr EntryPoint called{"MPI_Type_indexed", "c"};
  const ObservedBounds bounds{.size = 48, .lb = 0, .extent = std::nullopt, .true_lb = 0, .true_extent = 88};
  memory.definition(
      {.id = id, .number = {0}, .site = {5}, .called = &called, .adopted = true, .since = 1, .bounds = bounds}, store);
  const std::vector<Found> found = records_from(view.first_arena);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].content, "the header");
  EXPECT_EQ(found[1].content, "frames");
  EXPECT_EQ(found[2].content.substr(sizeof(trace::DebugPredefined)), "MPI_DOUBLE");
  std::map<std::uint32_t, std::string> by_kind;
  for (const Found& record : found) by_kind[record.kind] = record.content;
  EXPECT_EQ(by_kind[3].substr(sizeof(trace::DebugEntry)), std::string("MPI_Type_indexed\0c", 18));
  const std::string& content = by_kind[4];
  trace::DebugDefinition definition;
  ASSERT_EQ(content.size(), sizeof definition + 8 + 16 + 16);
  std::memcpy(&definition, content.data(), sizeof definition);
  EXPECT_EQ(definition.definition, id.value);
  EXPECT_EQ(definition.key, store[id].key);
  EXPECT_EQ(definition.combiner, combiner_code(Combiner::indexed));
  EXPECT_EQ(definition.undefined, 1u << 2);
  EXPECT_EQ(definition.observed[4], 88);
  EXPECT_EQ(definition.adopted, 1);
  EXPECT_EQ(definition.datatypes, 1u);
  EXPECT_EQ(definition.array_lengths[1], 3u);
  std::int32_t third;
  std::memcpy(&third, content.data() + sizeof definition + 8 + 16 + 8, sizeof third);
  EXPECT_EQ(third, 64);
}

/// Lives as whoever looks at the slots sees them.
std::map<HandleBits, int> live_in(std::uint64_t handles, std::uint64_t older_lives) {
  std::map<HandleBits, int> live;
  const auto& table = at<trace::DebugTable>(handles);
  const auto* slots = reinterpret_cast<const trace::DebugHandle*>(&table + 1);
  std::size_t taken = 0;
  for (std::uint64_t i = 0; i < table.capacity; ++i) {
    EXPECT_EQ(slots[i].sequence % 2, 0);
    taken += slots[i].state != trace::DebugHandleState::none;
    if (slots[i].state == trace::DebugHandleState::live) ++live[slots[i].handle];
  }
  EXPECT_EQ(taken, table.used);
  const auto& older = at<trace::DebugTable>(older_lives);
  const auto* lives = reinterpret_cast<const trace::DebugOlderLife*>(&older + 1);
  for (std::uint64_t i = 0; i < older.used; ++i) {
    if (lives[i].handle != 0) ++live[lives[i].handle];
  }
  return live;
}

TEST(DebugRecords, GiveBackWhatIsEmptyWhateverSizesFollow) {
  std::uint64_t first = 0;
  DebugRecords records(first);
  records.publish(records.allocate(10, DebugRecords::Room::at_end), 10, DebugRecordKind::line);
  std::vector<std::byte*> held;
  constexpr std::size_t at_once = 4 << 20;
  for (std::size_t length = 100; length < 60000; length = length * 5 / 4) {
    std::size_t bytes = 0;
    std::vector<std::byte*> next;
    while (bytes < at_once) {
      next.push_back(records.allocate(length, DebugRecords::Room::anywhere));
      std::memset(next.back(), 1, length);
      records.publish(next.back(), length, DebugRecordKind::definition);
      bytes += length;
      if (!held.empty()) {
        records.release(held.back());
        held.pop_back();
      }
    }
    for (std::byte* content : held) records.release(content);
    held = std::move(next);
    EXPECT_LT(records.bytes(), 3 * at_once) << "records of " << length << " bytes";
  }
  EXPECT_EQ(records_from(first).size(), held.size() + 1);
}

TEST(DebugMemory, KeepsLinesUpToALimit) {
  trace::DebugView view{};
  DebugMemory memory(view);
  memory.keep_at_most(1000);
  for (int i = 0; i < 100; ++i) memory.keep("name", std::string(50, 'n'));
  memory.keep("header", "header");
  memory.keep("predefined", "predefined");
  memory.keep("instances", "not kept");
  const std::vector<Found> found = records_from(view.first_arena);
  EXPECT_GT(found.size(), 5u);
  EXPECT_LT(found.size(), 20u);
  std::size_t said = 0;
  for (const Found& record : found) {
    said += record.kind == static_cast<std::uint32_t>(DebugRecordKind::lines_left_out) ? 1 : 0;
  }
  EXPECT_EQ(said, 1u);
  EXPECT_EQ(found.at(found.size() - 2).content, "header") << "without which nothing can be read";
  EXPECT_EQ(found.back().content, "predefined");
}

TEST(HandleTable, SlotsSayWhatIsAlive) {
  std::uint64_t handles = 0;
  std::uint64_t older = 0;
  HandleTable table(handles, older);
  std::mt19937_64 random(11);
  std::map<HandleBits, int> expected;
  for (int step = 0; step < 200000; ++step) {
    const HandleBits handle = 0x1000 + 16 * (random() % 20000);
    HandleEntry* entry = table.find(handle);
    ASSERT_EQ(entry != nullptr, expected.contains(handle));
    const std::uint64_t what = random() % 8;
    if (!entry || what == 0) {
      table.begin_life(table.slot_for(handle), handle, {.definition = DefinitionId{1}, .counter = 1});
      expected[handle] = 1;
    } else if (what < 3) {
      table.share(*entry, 2);
      ++expected[handle];
    } else {
      EXPECT_EQ(table.end_life(*entry), expected[handle] > 1);
      if (--expected[handle] == 0) {
        expected.erase(handle);
        EXPECT_TRUE(table.is_dead(handle));
      }
    }
  }
  EXPECT_EQ(live_in(handles, older), expected);
  // No more than 64 bytes for each handle that the table has met.
  const auto& header = at<trace::DebugTable>(handles);
  EXPECT_LE(header.capacity * header.entry_bytes, 64 * header.used);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HandleTable, StaysUsableWhereItCannotGrow) {
  std::uint64_t handles = 0;
  std::uint64_t older = 0;
  HandleTable table(handles, older);
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit little = before;
  little.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + (rlim_t{1} << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  HandleBits next = 0x1000;
  bool has_failed = false;
  for (; next < 0x10000000 && !has_failed; next += 16) {
    try {
      table.begin_life(table.slot_for(next), next, {.definition = DefinitionId{1}, .counter = 1});
    } catch (const std::bad_alloc&) {
      has_failed = true;
      next -= 16;
    }
  }
  setrlimit(RLIMIT_AS, &before);
  ASSERT_TRUE(has_failed);
  for (HandleBits handle = 0x1000; handle < next; handle += 16) ASSERT_NE(table.find(handle), nullptr);
  EXPECT_EQ(table.find(next), nullptr);
}
#endif

}  // namespace
}  // namespace ddtscope::plugin::debug_memory_test
