// Records in memory that a debugger reads (reporters/trace/format/debug_view.h): they never move, and what is visible
// is whole at every instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "reporters/trace/format/debug_view.h"

namespace ddtscope::plugin {

/// Zeroed anonymous memory; throws std::bad_alloc.
std::byte* map_memory(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);

/// Not synchronised.
class DebugRecords {
 public:
  /// `first` is where the address of the first arena is to stand.
  explicit DebugRecords(std::uint64_t& first) : first_(first) {}
  ~DebugRecords();
  DebugRecords(const DebugRecords&) = delete;
  DebugRecords& operator=(const DebugRecords&) = delete;

  /// `at_end`: behind all records there are, so that they stand in order; `anywhere`: where one is gone, too.
  enum class Room { at_end, anywhere };
  /// Room for `bytes` behind a record's header, aligned to 8; readers do not see it yet. Throws std::bad_alloc.
  std::byte* allocate(std::size_t bytes, Room room);
  /// What was written there is whole: its first `bytes` are the record.
  void publish(std::byte* content, std::size_t bytes, trace::DebugRecordKind kind);
  /// Its room may be used again.
  void release(std::byte* content);

  /// Memory taken from the system.
  std::size_t bytes() const { return bytes_; }

 private:
  trace::DebugArena& add_arena(std::size_t bytes);
  void remove_arena(trace::DebugArena& arena);
  /// Gives an arena back to the system, of which no record is there.
  void remove_empty(trace::DebugArena& arena);

  std::uint64_t& first_;
  std::size_t bytes_ = 0;
  std::vector<trace::DebugArena*> arenas_;         // in the order of the list
  trace::DebugArena* current_ = nullptr;           // the one that is being filled, records at the end
  trace::DebugArena* current_anywhere_ = nullptr;  // the same, records anywhere
  std::map<std::byte*, std::size_t> live_;  // how many records of an arena for records anywhere are there, by address
  std::map<std::uint64_t, std::vector<trace::DebugRecord*>> free_;  // by bytes
};

}  // namespace ddtscope::plugin
