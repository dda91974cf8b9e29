// Arenas of records, and the room of those that are gone.
#include "plugin/debug_view/debug_records.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "reporters/trace/format/debug_view_checksum.h"

namespace ddtscope::plugin {
namespace {

using trace::DebugArena;
using trace::DebugRecord;

constexpr std::size_t arena_bytes = 256 * 1024;
constexpr std::size_t longest_shared = arena_bytes / 8;  // longer records have an arena each
constexpr std::size_t page_bytes = 4096;

/// Sizes of records: few of them, so that room is found again.
std::size_t size_class(std::size_t bytes) {
  const std::size_t step = bytes <= 1024 ? 64 : std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

std::uint64_t address_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

/// What a debugger may find at any instant: set after everything that it leads to.
template <class T>
void publish_value(T& place, T value) {
  std::atomic_ref(place).store(value, std::memory_order_release);
}

}  // namespace

std::byte* map_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

void unmap_memory(void* memory, std::size_t bytes) { munmap(memory, bytes); }

DebugRecords::~DebugRecords() {
  publish_value(first_, std::uint64_t{0});
  for (DebugArena* arena : arenas_) unmap_memory(arena, arena->bytes);
}

DebugArena& DebugRecords::add_arena(std::size_t bytes) {
  arenas_.reserve(arenas_.size() + 1);
  auto* arena = new (map_memory(bytes)) DebugArena{};
  std::memcpy(arena->magic, trace::debug_arena_magic, sizeof arena->magic);
  arena->self = address_of(arena);
  arena->bytes = bytes;
  arena->used = sizeof(DebugArena);
  publish_value(arenas_.empty() ? first_ : arenas_.back()->next, address_of(arena));
  arenas_.push_back(arena);
  bytes_ += bytes;
  return *arena;
}

void DebugRecords::remove_arena(DebugArena& arena) {
  const auto at = std::find(arenas_.begin(), arenas_.end(), &arena);
  publish_value(at == arenas_.begin() ? first_ : (*(at - 1))->next, arena.next);
  arenas_.erase(at);
  bytes_ -= arena.bytes;
  unmap_memory(&arena, arena.bytes);
}

void DebugRecords::remove_empty(DebugArena& arena) {
  auto* const begin = reinterpret_cast<std::byte*>(&arena);
  for (auto& [bytes, records] : free_) {
    std::erase_if(records, [&](DebugRecord* record) {
      auto* const at = reinterpret_cast<std::byte*>(record);
      return begin < at && at < begin + arena_bytes;
    });
  }
  live_.erase(begin);
  remove_arena(arena);
}

std::byte* DebugRecords::allocate(std::size_t bytes, Room room) {
  const std::size_t wanted = size_class(sizeof(DebugRecord) + bytes);
  const auto found = room == Room::anywhere ? free_.find(wanted) : free_.end();
  if (found != free_.end() && !found->second.empty()) {
    DebugRecord* record = found->second.back();
    found->second.pop_back();
    ++std::prev(live_.upper_bound(reinterpret_cast<std::byte*>(record)))->second;
    return reinterpret_cast<std::byte*>(record + 1);
  }
  // Records that are released have arenas of their own, which are given back when the last one is gone.
  DebugArena*& current = room == Room::anywhere ? current_anywhere_ : current_;
  DebugArena* arena = current;
  if (wanted > longest_shared) {
    arena = &add_arena((sizeof(DebugArena) + wanted + page_bytes - 1) / page_bytes * page_bytes);
  } else if (!arena || arena->bytes - arena->used < wanted) {
    if (room == Room::anywhere) {
      auto* full = std::exchange(current, nullptr);
      if (full && live_.at(reinterpret_cast<std::byte*>(full)) == 0) remove_empty(*full);
    }
    arena = &add_arena(arena_bytes);
    if (room == Room::anywhere) live_.emplace(reinterpret_cast<std::byte*>(arena), 0);
    current = arena;
  }
  auto* record = new (reinterpret_cast<std::byte*>(arena) + arena->used) DebugRecord{};
  record->bytes = wanted;
  if (room == Room::anywhere && wanted <= longest_shared) ++live_.at(reinterpret_cast<std::byte*>(arena));
  publish_value(arena->used, arena->used + wanted);
  return reinterpret_cast<std::byte*>(record + 1);
}

void DebugRecords::publish(std::byte* content, std::size_t bytes, trace::DebugRecordKind kind) {
  DebugRecord& record = reinterpret_cast<DebugRecord*>(content)[-1];
  DebugRecord whole = {.bytes = record.bytes,
                       .used = sizeof(DebugRecord) + bytes,
                       .checksum = 0,
                       .kind = static_cast<std::uint32_t>(kind),
                       .reserved = 0};
  record.used = whole.used;
  record.checksum = checksum_of(whole, content);
  publish_value(record.kind, whole.kind);
}

void DebugRecords::release(std::byte* content) {
  DebugRecord& record = reinterpret_cast<DebugRecord*>(content)[-1];
  publish_value(record.kind, static_cast<std::uint32_t>(trace::DebugRecordKind::none));
  // Nothing that comes to stand here may be seen under the old kind. Who looks has stopped the process: the order of
  // the instructions is what counts.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (record.bytes > longest_shared) {
    remove_arena(*reinterpret_cast<DebugArena*>(reinterpret_cast<std::byte*>(&record) - sizeof(DebugArena)));
  } else {
    free_[record.bytes].push_back(&record);
    const auto of_arena = std::prev(live_.upper_bound(reinterpret_cast<std::byte*>(&record)));
    auto& arena = *reinterpret_cast<DebugArena*>(of_arena->first);
    if (--of_arena->second == 0 && &arena != current_anywhere_) remove_empty(arena);
  }
}

}  // namespace ddtscope::plugin
