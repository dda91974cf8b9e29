// Counters in memory that outlives the process: pages of a file, mapped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/error_class.h"
#include "reporters/trace/format/file_number.h"
#include "reporters/trace/format/use_parameter.h"
#include "reporters/trace/write/own_file.h"

namespace ddtscope::plugin {

/// A record's place in the pages, from 1 on.
enum class RecordNumber : std::uint32_t { none = 0 };

/// Records never move. Where the file cannot grow (no room, a limit), further records are in plain memory, and
/// `problem` says why. Not synchronised.
class CounterPages {
 public:
  CounterPages() = default;
  ~CounterPages();
  CounterPages(const CounterPages&) = delete;
  CounterPages& operator=(const CounterPages&) = delete;

  /// Makes the file; never overwrites. Where it cannot, all records are in plain memory.
  void create(const std::string& path);
  /// Absolute; empty without a file.
  const std::string& path() const { return path_; }

  struct Place {
    DefinitionNumber definition;
    FrameNumber site;
    std::string_view called, binding;
    trace::ErrorClass error_class = {};  // of failed calls
    trace::UseParameter parameter = {};  // of uses
    PredefinedNumber predefined = {};
  };
  /// A record with all counters 0. Throws std::bad_alloc without memory.
  trace::CounterRecord& add(const Place& place);
  /// The line that begins at `offset` of the trace file, which is written next, has these counts: whoever reads the
  /// record when the process was killed finds it there or not.
  static void begin_folding(trace::CounterRecord& record, std::uint64_t offset);
  /// The line is whole: the record counts from 0 again.
  static void end_folding(trace::CounterRecord& record);
  /// The line is whole, and nothing is counted any more: the counts stay, for debuggers.
  void stay_folded(const trace::CounterRecord& record);
  /// So many lines have been written that way.
  void count_folded_line();
  /// The record, whose counters are 0, is not needed any more; add() gives it again.
  void release(trace::CounterRecord& record);

  /// Whether the record counts what is done at this place by this entry point.
  static bool counts_at(const trace::CounterRecord& record, const Place& place);
  /// Whether the file holds the record, and may grow to twice its size without it.
  bool may_park(const trace::CounterRecord& record) const;
  RecordNumber number_of(const trace::CounterRecord& record) const;
  /// The record of this number, from memory or from the file: of pages that are looked at this way, all but the last
  /// few leave the process's memory.
  trace::CounterRecord& at(RecordNumber number);
  trace::CounterRecord& look_at(const trace::CounterRecord& record) { return at(number_of(record)); }
  /// The last of all numbers; records that were released are among them, with counter_file_none for a definition.
  RecordNumber last() const { return static_cast<RecordNumber>(used_ - 1); }

  /// The trace file takes no more lines: says so to whoever reads the counters. `why` is an errno or one of
  /// counter_file.h.
  void trace_stopped(std::uint32_t why);
  /// The process ends and the trace file cannot say so.
  void ended(trace::Completeness completeness, std::string_view reason);
  /// errno of what kept records out of the file; 0 where all are in it.
  int problem() const { return problem_; }
  /// The counters stand in the trace file now.
  void remove();

 private:
  static constexpr std::size_t page_bytes = std::size_t{64} * 1024;
  static constexpr std::size_t per_page = page_bytes / sizeof(trace::CounterRecord);
  static constexpr std::size_t most_looked_at = 16;  // pages that stay in memory
  // Chunks are addresses for pages, each for twice as many as the one before. What is behind the last page is not
  // touched: the file may be shorter.
  static std::size_t chunk_of(std::size_t page);
  static std::size_t first_page_of(std::size_t chunk) { return (std::size_t{1} << chunk) - 1; }
  static std::size_t bytes_of(std::size_t chunk) { return page_bytes << chunk; }
  std::byte* address_of(std::size_t page) const;
  trace::CounterRecord& record_at(std::size_t number) const;
  void add_page();
  bool allocate_in_file(std::size_t page);
  void map_in_plain_memory(std::size_t page);
  bool is_left_out(const trace::CounterRecord& record) const;

  trace::OwnFile file_;
  std::string path_;
  int problem_ = 0;
  trace::CounterFileHeader* header_ = nullptr;
  std::vector<std::byte*> chunks_;
  std::size_t pages_ = 0;
  std::size_t pages_in_file_ = 0;  // the first ones
  bool has_room_to_spare_ = false;
  std::array<std::size_t, most_looked_at> looked_at_{};
  std::size_t number_looked_at_ = 0;
  std::size_t used_ = 1;                   // of the pages' slots: the header is the first one
  std::uint64_t left_out_and_folded_ = 0;  // types that records counted which are not in the file, but in a line
  std::vector<trace::CounterRecord*> free_;
};

}  // namespace ddtscope::plugin
