// What leads to a buffer, among words that are put there; and blocks of the allocator, real ones and such as only look
// like them.
#include "plugin/sources/heap_search.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "decoder/testing/sanitizers.h"

namespace ddtscope::plugin::heap_search_test {
namespace {

#ifdef __x86_64__

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

extern "C" [[gnu::noinline]] void find_frames_of_search(CallFrames* found) {
  found->find(DDTSCOPE_RETURN_PLACE, 2);
  __asm__ volatile("");
}

[[gnu::noinline]] HeapPlace search_from(const CallFrames& frames, const void* buffer) {
  const OwnMemory memory;
  return search_heap(memory, frames, frames.frames(),
                     {.address = address_of(buffer), .argument = 0, .in_register = {}});
}

/// Of a frame of three pages the middle one must not be read.
TEST(HeapSearch, ReadsNoPageOfAFrameThatIsProtected) {
  const OwnMemory memory;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const three = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(three, MAP_FAILED);
  const std::uintptr_t begin = address_of(three);
  const std::uintptr_t sought = 0x123456780;
  auto* const words = static_cast<std::uintptr_t*>(three);
  words[page / sizeof *words - 2] = sought;
  words[3 * page / sizeof *words - 1] = sought;
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(begin + page), page, PROT_NONE), 0);
  CallFrame frame{};
  frame.stack_pointer = begin + page - 64;  // near its end: the protected one is looked at next
  frame.cfa = begin + 3 * page;
  const StackPlace place = with_holders(memory, {}, frame, sought);
  ASSERT_EQ(place.slots.size(), 2U);
  EXPECT_EQ(place.slots[0].at, static_cast<std::int64_t>(page - 16) - static_cast<std::int64_t>(3 * page));
  EXPECT_EQ(place.slots[1].at, -8);
  munmap(three, 3 * page);
}

struct Freed {
  void operator()(void* pointer) const { std::free(pointer); }
};
using Block = std::unique_ptr<char, Freed>;
Block allocated(std::size_t bytes) { return Block(static_cast<char*>(std::malloc(bytes))); }

TEST(OwnMemory, EndsWhereThereIsNone) {
  const OwnMemory memory;
  ASSERT_TRUE(memory.works());
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const two = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(two, MAP_FAILED);
  auto* const words = static_cast<std::uintptr_t*>(two);
  const std::size_t in_page = page / sizeof *words;
  words[in_page - 1] = 7;
  ASSERT_EQ(munmap(static_cast<char*>(two) + page, page), 0);
  std::array<std::uintptr_t, 4> read{};
  EXPECT_EQ(memory.read(address_of(words + in_page - 2), read), 2U);
  EXPECT_EQ(read[1], 7U);
  EXPECT_EQ(memory.read(address_of(words + in_page), read), 0U);
  EXPECT_EQ(memory.read(0, read), 0U);
  EXPECT_EQ(memory.read(address_of(words) + 1, read), 0U);
  munmap(two, page);
}

TEST(OwnMemory, ReadsEachOfManyPiecesAsFarAsItIsThere) {
  const OwnMemory memory;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const two = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(two, MAP_FAILED);
  auto* const words = static_cast<std::uintptr_t*>(two);
  const std::size_t in_page = page / sizeof *words;
  for (std::size_t i = 0; i < in_page; ++i) words[i] = i;
  ASSERT_EQ(munmap(static_cast<char*>(two) + page, page), 0);
  // Where each begins among the words, of three: all there, its beginning, nothing, misaligned; more than go at once.
  constexpr std::size_t number = 101;
  constexpr std::size_t length = 3;
  std::array<std::array<std::uintptr_t, length>, number> read{};
  std::array<OwnMemory::Piece, number> pieces;
  std::array<std::size_t, number> wanted{};
  for (std::size_t i = 0; i < number; ++i) {
    const std::array begins{5 + i, in_page - 1, in_page + 7, 9 + i};
    const std::size_t kind = i % begins.size();
    pieces[i] = {address_of(words + begins[kind]) + (kind == 3 ? 1 : 0), read[i], length + 1};
    wanted[i] = std::array<std::size_t, 4>{length, 1, 0, 0}[kind];
  }
  memory.read_all(pieces);
  for (std::size_t i = 0; i < number; ++i) {
    ASSERT_EQ(pieces[i].read, wanted[i]) << i;
    for (std::size_t k = 0; k < wanted[i]; ++k) {
      EXPECT_EQ(read[i][k], (pieces[i].address - address_of(words)) / sizeof *words + k) << i;
    }
  }
  munmap(two, page);
}

/// What the allocator says; to the end of its pages where the block has its own (the second bit of its size): of these
/// glibc 2.43 keeps a word.
std::size_t usable_bytes(char* block) {
  const std::size_t usable = malloc_usable_size(block);
  std::size_t word;
  std::memcpy(&word, block - sizeof word, sizeof word);
  return (word & 2) != 0 ? (usable + 15) / 16 * 16 : usable;
}

TEST(HeapSearch, KnowsBlocksOfTheAllocator) {
  if (test::has_sanitizer) GTEST_SKIP() << "the allocator is a sanitizer's";
  const OwnMemory memory;
  std::vector<Block> blocks;
  for (const std::size_t bytes : {1U, 24U, 25U, 1000U, 4000U, 200'000U, 5'000'000U}) {
    blocks.push_back(allocated(bytes));
    EXPECT_EQ(usable_bytes_of_block(memory, address_of(blocks.back().get())), usable_bytes(blocks.back().get()))
        << bytes;
  }
  void* aligned = nullptr;
  ASSERT_EQ(posix_memalign(&aligned, 4096, 10'000), 0);
  EXPECT_EQ(usable_bytes_of_block(memory, address_of(aligned)), malloc_usable_size(aligned));
  std::free(aligned);
}

/// Written by hand, as glibc's malloc.c has it: nothing here has huge pages.
TEST(HeapSearch, KnowsBlocksInHugePages) {
  const OwnMemory memory;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  for (const std::size_t before : {std::size_t{0}, std::size_t{64}}) {
    auto* const header = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(pages) + before);
    const std::size_t size = 2 * page - before - 16;  // up to the header that one behind it would have
    header[0] = before | 1;
    header[1] = size | 2;
    EXPECT_EQ(usable_bytes_of_block(memory, address_of(header + 2)), size) << before;
    header[0] = (before + 16) | 1;
    EXPECT_FALSE(usable_bytes_of_block(memory, address_of(header + 2))) << before;
  }
  munmap(pages, 2 * page);
}

TEST(HeapSearch, TakesNothingElseForABlock) {
  const OwnMemory memory;
  const Block block = allocated(4000);
  std::fill_n(block.get(), 4000, '\0');
  for (std::size_t offset = 16; offset < 3984; offset += 16) {
    EXPECT_FALSE(usable_bytes_of_block(memory, address_of(block.get()) + offset)) << offset;
  }
  std::fill_n(block.get(), 4000, '\xFF');
  for (std::size_t offset = 16; offset < 3984; offset += 16) {
    EXPECT_FALSE(usable_bytes_of_block(memory, address_of(block.get()) + offset)) << offset;
  }
  alignas(16) std::array<std::uintptr_t, 64> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 8;
  for (std::size_t i = 2; i < numbers.size(); i += 2) {
    EXPECT_FALSE(usable_bytes_of_block(memory, address_of(&numbers[i]))) << i;
  }
  EXPECT_FALSE(usable_bytes_of_block(memory, 16));
  EXPECT_FALSE(usable_bytes_of_block(memory, UINTPTR_MAX - 15));
}

/// Where a variable of this frame lies.
std::int64_t distance_of(const CallFrames& frames, const volatile void* variable) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(variable) - frames.frames()[0].cfa);
}
bool has_slot(const HeapPlace& found, const PlaceRoute& wanted) {
  return std::ranges::find(found.slots, wanted) != found.slots.end();
}

TEST(HeapSearch, FindsPointersInSlotsAndInWhatTheyPointTo) {
  const Block block = allocated(500);
  char* volatile slot = block.get();
  struct Owner {
    std::array<char, 1024> others;
    char* volatile data;  // else gcc 16 leaves it out: nobody whom it knows of reads it
  };
  const auto owner = std::make_unique<Owner>();
  owner->data = block.get();
  Owner* volatile through = owner.get();
  CallFrames frames;
  find_frames_of_search(&frames);
  ASSERT_FALSE(frames.frames().empty());
  const HeapPlace found = search_from(frames, block.get());
  EXPECT_TRUE(has_slot(found, {0, distance_of(frames, &slot), {}, 0}));
  EXPECT_TRUE(has_slot(found, {0, distance_of(frames, &through), offsetof(Owner, data), 0}));
}

/// Earlier searches leave on the stack where the allocator gave them memory, and it gives the same again: what a search
/// has copied to there is no pointer of the program's.
TEST(HeapSearch, DoesNotFindItsOwnCopies) {
  if (test::has_sanitizer) GTEST_SKIP() << "the allocator is a sanitizer's";
  constexpr std::size_t bytes_at_once = 32768;
  constexpr std::size_t bytes_behind = 2048;
  Block scratch = allocated(bytes_at_once);
  const std::uintptr_t former = address_of(scratch.get());
  const Block behind = allocated(64);
  const Block block = allocated(500);
  const auto owner = std::make_unique<char*>(block.get());
  std::array<volatile std::uintptr_t, 1 + bytes_at_once / bytes_behind> slots{};
  slots[0] = address_of(owner.get());
  for (std::size_t i = 1; i < slots.size(); ++i) slots[i] = former + (i - 1) * bytes_behind;
  static CallFrames frames;
  find_frames_of_search(&frames);
  scratch.reset();
  const HeapPlace found = search_from(frames, block.get());
  const auto routes_of = [&](std::size_t slot) {
    const std::int64_t at = distance_of(frames, &slots[slot]);
    return std::ranges::count_if(found.slots, [&](const PlaceRoute& route) { return route.at == at; });
  };
  EXPECT_GE(routes_of(0), 1);
  for (std::size_t i = 1; i < slots.size(); ++i) EXPECT_EQ(routes_of(i), 0) << i;
}

/// A place in a block is told from the block, and from a slot that holds where it begins. `fill` is called when the
/// frame is there that is searched: what it leaves on the stack lies below.
[[gnu::noinline]] void expect_found_within(char* block, std::size_t offset, void (*fill)(char*)) {
  char* volatile slot = block;
  fill(block);
  CallFrames frames;
  find_frames_of_search(&frames);
  const HeapPlace found = search_from(frames, block + offset);
  ASSERT_TRUE(found.block);
  EXPECT_EQ(found.block->offset, offset);
  EXPECT_EQ(found.block->usable, malloc_usable_size(block));
  EXPECT_TRUE(has_slot(found, {0, distance_of(frames, &slot), {}, static_cast<std::int64_t>(offset)}));
}

TEST(HeapSearch, FindsTheBlockOfAPlaceInside) {
  if (test::has_sanitizer) GTEST_SKIP() << "the allocator is a sanitizer's";
  const Block block = allocated(500);
  expect_found_within(block.get(), 96, [](char*) {});
}

// Memory is given out with what stood in it before: blocks, and pointers to them. In a function of its own, so that no
// frame holds such a pointer.
[[gnu::noinline]] void leave_former_blocks(char* block) {
  const auto put = [&](std::size_t offset, std::uintptr_t word) { std::memcpy(block + offset, &word, sizeof word); };
  std::memset(block, 0, 3000);  // nothing else that stood there
  constexpr std::size_t former = 944;
  for (std::size_t i = 0; i < 4; ++i)
    put(former - 8 + 96 * i, 96 | 1);  // the second word of each header: its size, in use
  put(344, address_of(block) + former);
  ASSERT_EQ(usable_bytes_of_block(OwnMemory(), address_of(block) + former), 88U);
}
TEST(HeapSearch, ABlockHasNoOtherOneInIt) {
  if (test::has_sanitizer) GTEST_SKIP() << "the allocator is a sanitizer's";
  const Block block = allocated(3000);
  expect_found_within(block.get(), 1000, leave_former_blocks);
}

TEST(HeapSearch, FindsNothingForWhatNobodyHolds) {
  const volatile std::uintptr_t hidden = 0x123456789AB1;
  CallFrames frames;
  find_frames_of_search(&frames);
  const HeapPlace found = search_from(frames, reinterpret_cast<const void*>(hidden ^ 1));
  EXPECT_EQ(found, HeapPlace{});
}

#endif

}  // namespace
}  // namespace ddtscope::plugin::heap_search_test
