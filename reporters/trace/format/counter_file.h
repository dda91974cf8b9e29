// The counter file beside a process's trace file (FORMAT.md): fixed records that are counted up in place
// through a mapping, so that they survive whatever happens to the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddtscope::trace {

inline constexpr char counter_file_magic[8] = {'d', 'd', 't', 's', 'c', 'o', 'p', 'e'};
inline constexpr std::uint32_t counter_file_version = 3;
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
/// where it has a parameter, of uses of a type there: UseCounts in place of lives.
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
/// What a record of uses has where others have `created` to `freed`.
struct [[gnu::may_alias]] UseCounts {
  std::uint64_t calls, elements, smallest, largest;
};
static_assert(sizeof(UseCounts) == offsetof(CounterRecord, binding) - offsetof(CounterRecord, created));
inline UseCounts& use_counts_of(CounterRecord& record) { return reinterpret_cast<UseCounts&>(record.created); }
inline const UseCounts& use_counts_of(const CounterRecord& record) {
  return reinterpret_cast<const UseCounts&>(record.created);
}
/// What is counted up lies in one line of the cache.
static_assert(offsetof(CounterRecord, freed) + sizeof(std::uint64_t) <= 64);

}  // namespace ddtscope::trace
