// The counter file beside a process's trace file (FORMAT.md): fixed records that are counted up in place
// through a mapping, so that they survive whatever happens to the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ddtscope::trace {

inline constexpr char counter_file_magic[8] = {'d', 'd', 't', 's', 'c', 'o', 'p', 'e'};
inline constexpr std::uint32_t counter_file_version = 4;
inline constexpr std::uint32_t counter_file_byte_order = 0x01020304;
/// "rank-3.jsonl" has its counters in "rank-3.counters".
inline constexpr const char* counter_file_extension = ".counters";

/// How a process ended MPI.
enum class Completeness : std::uint32_t { unknown = 0, complete = 1, incomplete = 2 };

/// At the file's start. Integers in the byte order of the machine that wrote them.
struct CounterFileHeader {
  char magic[8];
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint32_t record_bytes;
  std::uint32_t
      error;  // why the trace file ends early: errno of the failed write, or one of those below; 0: it does not
  std::uint32_t ended;           // a Completeness, where the trace file could not say it
  std::uint64_t records;         // raised after a record is whole
  char reason[64];               // how it ended, as in the trace file's last line; zeros behind
  std::uint32_t left_out;        // counters that found no room in this file: they are in the process's memory only
  std::uint32_t why_left_out;    // errno
  std::uint64_t left_out_types;  // what those counted in the end (created + adopted); 0 while the process runs
  std::uint64_t folded_lines;    // `instances` lines that the trace file has while the process runs; 0 in version 1
};
static_assert(sizeof(CounterFileHeader) == 128);

inline constexpr std::uint32_t counter_file_none = UINT32_MAX;
inline constexpr std::uint32_t counter_file_full = UINT32_MAX;           // the trace's limit was reached
inline constexpr std::uint32_t counter_file_abandoned = UINT32_MAX - 1;  // without memory, nothing was counted any more

/// Why there are types without a definition, where the trace file took all lines.
inline constexpr const char* no_memory = "there was no memory for its definition (DDTSCOPE_MAX_MEMORY)";
/// Why there are calls whose uses of types are not counted.
inline constexpr const char* no_memory_for_uses =
    "there was no memory to count its uses of datatypes (DDTSCOPE_MAX_MEMORY)";

/// Counters of one definition at one call site; or, where `failed` is not 0, of calls there that returned an error; or,
/// where it has a parameter, of uses of a type there: then it is a UseRecord.
struct CounterRecord {
  std::uint32_t definition;  // its number in the trace file; none: types that are not in the trace file, failed calls
  std::uint32_t site;        // frame in the trace file, or none
  std::uint64_t created, adopted, committed, freed;
  char binding[8];  // "c", "mpif.h", "mpi_f08", "pmpi"; zeros behind
  // Where in the trace file the `instances` line stands, or will stand, that has these counts: where it is whole, they
  // are in it. 0: nowhere; always in version 1, where a file without its last line has no `instances` that count.
  std::uint64_t folded_at;
  char called[48];            // entry point; zeros behind
  std::uint32_t parameter;    // of uses: a UseParameter, which no other record has; 0 in versions 1 and 2
  std::uint32_t predefined;   // of uses of a predefined type: its place among those of the trace file; else none
  std::uint32_t error_class;  // of failed calls: an ErrorClass
  std::uint32_t next;         // for the process itself: another record of the same definition
  std::uint64_t failed;
};
static_assert(sizeof(CounterRecord) == 128);
/// What uses of one type, in one way, come to.
struct UseCounts {
  std::uint64_t calls, elements, smallest, largest;
  // Of those of persistent requests that were started: what sends. Others are told by their function.
  std::uint64_t sent_calls = 0, sent_elements = 0;
  std::optional<std::uint64_t> received = std::nullopt;  // bytes, where a status told
  friend bool operator==(const UseCounts&, const UseCounts&) = default;
};
/// A record of uses, in the bytes of a CounterRecord: what both have stands at the same place.
struct [[gnu::may_alias]] UseRecord {
  std::uint32_t definition, site;
  std::uint64_t calls, elements, smallest, largest;
  char binding[8];
  std::uint64_t sent_elements;  // in versions before 4 this and what follows is 0
  char called[48];
  std::uint32_t parameter, predefined;
  std::uint64_t sent_calls;
  std::uint64_t received;  // bytes, and 1 for a status that told it; 0: none did
};
static_assert(sizeof(UseRecord) == sizeof(CounterRecord));
static_assert(offsetof(UseRecord, calls) == offsetof(CounterRecord, created));
static_assert(offsetof(UseRecord, binding) == offsetof(CounterRecord, binding));
static_assert(offsetof(UseRecord, called) == offsetof(CounterRecord, called));
static_assert(offsetof(UseRecord, predefined) == offsetof(CounterRecord, predefined));
inline UseRecord& use_record_of(CounterRecord& record) { return reinterpret_cast<UseRecord&>(record); }
inline UseCounts use_counts_of(const CounterRecord& record) {
  const auto& use = reinterpret_cast<const UseRecord&>(record);
  UseCounts counts{use.calls, use.elements, use.smallest, use.largest, use.sent_calls, use.sent_elements};
  if (use.received != 0) counts.received = use.received - 1;
  return counts;
}
/// What is counted up lies in one line of the cache.
static_assert(offsetof(CounterRecord, freed) + sizeof(std::uint64_t) <= 64);

}  // namespace ddtscope::trace
