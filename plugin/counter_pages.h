// Counters in memory that outlives the process: pages of a file, mapped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/counter_file.h"
#include "reporters/trace/error_class.h"
#include "reporters/trace/own_file.h"

namespace ddtscope::plugin {

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

  struct Place {
    std::uint32_t definition, site;  // numbers in the trace file, or counter_file_none
    std::string_view called, binding;
    trace::ErrorClass error_class = {};  // of failed calls
  };
  /// A record with all counters 0. Throws std::bad_alloc without memory.
  trace::CounterRecord& add(const Place& place);
  /// The line that begins at `offset` of the trace file, which is written next, has these counts: whoever reads the
  /// record when the process was killed finds it there or not.
  static void begin_folding(trace::CounterRecord& record, std::uint64_t offset);
  /// The line is whole: the record counts from 0 again.
  static void end_folding(trace::CounterRecord& record);
  /// So many lines have been written that way.
  void count_folded_line();
  /// The record, whose counters are 0, is not needed any more; add() gives it again.
  void release(trace::CounterRecord& record);

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
  static constexpr std::size_t page_bytes = 64 * 1024;
  static constexpr std::size_t per_page = page_bytes / sizeof(trace::CounterRecord);
  void* map_next_page();
  bool is_left_out(const trace::CounterRecord& record) const;

  trace::OwnFile file_;
  std::string path_;
  int problem_ = 0;
  trace::CounterFileHeader* header_ = nullptr;
  std::vector<void*> pages_;
  std::size_t pages_in_file_ = 0;  // the first ones
  std::size_t used_ = 1;           // of the pages' slots: the header is the first one
  std::vector<trace::CounterRecord*> free_;
};

}  // namespace ddtscope::plugin
