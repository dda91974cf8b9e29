// What the plugin knows, laid out for whoever reads the process's memory from outside: a debugger, or a reader of
// core files (DEBUG_VIEW.md). Checksums are XXH3, 64 bits, seed 0 where nothing else is said. Plain structs in the byte
// order and with the addresses of the process; all of it lies in anonymous memory, which every core has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddtscope::trace {

inline constexpr char debug_view_magic[8] = {'d', 'd', 't', 's', 'v', 'i', 'e', 'w'};
inline constexpr char debug_arena_magic[8] = {'d', 'd', 't', 'a', 'r', 'e', 'n', 'a'};
inline constexpr char debug_table_magic[8] = {'d', 'd', 't', 't', 'a', 'b', 'l', 'e'};
inline constexpr std::uint32_t debug_view_version = 1;
inline constexpr std::uint32_t debug_view_byte_order = 0x01020304;
/// In place of a number that is not there.
inline constexpr std::uint32_t debug_view_none = UINT32_MAX;

/// Stopped: the plugin gave up before MPI ended, so that the view is of then. Forked: a child of the process that is
/// recorded, so that the view is of then, too; what is in mapped files both have.
enum class DebugViewState : std::uint32_t { idle = 0, recording = 1, ended = 2, stopped = 3, forked = 4 };

enum class DebugTableKind : std::uint32_t {
  handles = 0,
  counters = 1,
  older_lives = 2,
  evicted = 3,
  fortran = 4,
  frees = 5,
  files = 6,
  windows = 7
};
inline constexpr std::size_t debug_table_kinds = 8;

/// The exported variable `ddtscope_debug_view`. Its members up to `tables` are written once, `self` last.
struct DebugView {
  char magic[8];
  std::uint32_t byte_order, version;
  std::uint64_t self;  // its own address; 0 before MPI started
  std::uint32_t bytes;
  // Sizes of the structs below, as this process writes them.
  std::uint32_t arena_bytes, record_bytes, definition_bytes, table_bytes;
  std::uint32_t mpi_datatype_bytes;  // sizeof(MPI_Datatype)
  std::int64_t pid;
  std::int64_t rank, size;                  // in MPI_COMM_WORLD; -1 in a process that uses MPI sessions only
  std::uint64_t first_arena;                // address
  std::uint64_t checksum;                   // XXH3 of what stands above
  std::uint32_t state;                      // a DebugViewState; from here on updated in place
  std::uint32_t long_double_digits;         // LDBL_MANT_DIG: which format C's long double has; 0: not told
  std::uint64_t tables[debug_table_kinds];  // addresses, by DebugTableKind; 0: no such table
};
static_assert(sizeof(DebugView) == 160);

/// In front of records. Arenas are a list; one is put at its end when it is ready to be read.
struct DebugArena {
  char magic[8];
  std::uint64_t self;
  std::uint64_t bytes;  // of the whole arena, this header included
  std::uint64_t next;   // address; 0: the last one
  std::uint64_t used;   // whole records stand in [sizeof this header, used)
  std::uint64_t reserved;
};
static_assert(sizeof(DebugArena) == 48);

enum class DebugRecordKind : std::uint32_t {
  none = 0,            // not written yet, or no longer there
  line = 1,            // text: a line of the process's trace file, without its line feed
  predefined = 2,      // DebugPredefined
  entry = 3,           // DebugEntry
  definition = 4,      // DebugDefinition
  lines_left_out = 5,  // nothing: from here on there was no room for some of the lines
};

/// In front of every record. `kind` is written last.
struct DebugRecord {
  std::uint64_t bytes;  // up to the next record: a multiple of 8
  std::uint64_t used;   // of these, what the record takes, this header included
  std::uint64_t
      checksum;        // XXH3 of the bytes behind this header, seeded with the XXH3 of the header with 0 in its place
  std::uint32_t kind;  // a DebugRecordKind
  std::uint32_t reserved;
};
static_assert(sizeof(DebugRecord) == 32);

/// Then the name, to the record's end: the first name in MPI-4.1 Annex A, synonyms folded.
struct DebugPredefined {
  std::uint32_t definition;  // its number in the process: what handle slots and datatypes say
  std::uint32_t reserved;
};

/// An entry point of the MPI library as the program calls it. Then its name, a zero, its binding, to the record's end.
struct DebugEntry {
  std::uint32_t number;
  std::uint32_t reserved;
};

/// Then what the call points to: datatypes (32-bit numbers of definitions), then the arrays in the order of the
/// combiner's row, each aligned to 8 bytes.
struct DebugDefinition {
  std::uint32_t definition;  // its number in the process; of one that was evicted it may be given again
  std::uint32_t line;        // its number in the trace file
  std::uint64_t key;
  std::uint32_t site;        // frame in the trace file, or none
  std::uint32_t entry;       // where it was seen first
  std::uint8_t adopted;      // 0 or 1
  std::uint8_t combiner;     // combiner_code() of decoder/definition/combiner.h
  std::uint8_t large;        // 1: the form with MPI_Count arguments
  std::uint8_t undefined;    // bit i: observed[i] is MPI_UNDEFINED
  std::uint32_t datatypes;   // how many
  std::int64_t observed[5];  // size, lb, extent, true_lb, true_extent as the library reports them. Bytes
  std::int64_t scalars[4];   // in the order of the combiner's row
  std::uint64_t array_lengths[4];
  std::uint8_t array_widths[4];  // bytes per integer: 4 or 8
  std::uint32_t since;  // handle slots of this generation and later can mean it, earlier ones an evicted definition
};
static_assert(sizeof(DebugDefinition) == 144);

/// In front of a table's entries. A table that grows is copied; then its new address is put into the view.
struct DebugTable {
  char magic[8];
  std::uint64_t self;
  std::uint32_t kind;  // a DebugTableKind
  std::uint32_t entry_bytes;
  std::uint64_t capacity;  // entries that there is room for
  std::uint64_t used;      // entries that are whole; of handles and of evicted definitions: those taken, at any place
};
static_assert(sizeof(DebugTable) == 40);

enum class DebugHandleState : std::uint8_t {
  none = 0,  // an empty slot
  live = 1,
  // Freed, or made of a type that was: some libraries take such a handle again, yet what is behind it may be gone, so
  // nothing is asked about it. Ends where the library gives the handle to a new type.
  dead = 2,
};

/// A slot of the handle table (open addressing; whoever reads it may take all slots in order). What it says of a dead
/// handle is its last life.
struct DebugHandle {
  std::uint64_t handle;      // bits of the MPI_Datatype
  std::uint32_t definition;  // its number in the process, or none: a dead handle of which nothing is known
  std::uint32_t counter;     // index in the table of counters, of the youngest life
  std::uint32_t generation;  // of the slot's lives, ascending
  std::uint16_t sequence;    // odd while the slot is being changed
  DebugHandleState state;
  std::uint8_t flags;  // of the youngest life
};
static_assert(sizeof(DebugHandle) == 24);
inline constexpr std::uint8_t debug_handle_predefined = 1;  // named, or an F90 type: never freed
inline constexpr std::uint8_t debug_handle_committed = 2;
inline constexpr std::uint8_t debug_handle_dying = 4;     // inside MPI_Type_free
inline constexpr std::uint8_t debug_handle_sharing = 8;   // has older lives
inline constexpr std::uint8_t debug_handle_dropped = 16;  // not freed: there was no memory for its definition
// It may be used without a commit that was seen: a duplicate of a committed type, or given by the library.
inline constexpr std::uint8_t debug_handle_needs_no_commit = 32;

/// One (definition, call site, entry point); where several threads call, one of several whose counts add up.
struct DebugCounter {
  std::uint32_t definition;  // its number in the process, or none: types that could not be recorded
  std::uint32_t site;        // frame in the trace file, or none
  std::uint32_t entry;
  std::uint32_t own;     // the plugin's; says nothing to others
  std::uint64_t counts;  // address of its trace::CounterRecord, which is in a mapped file
};
static_assert(sizeof(DebugCounter) == 24);

/// A life that goes on below a younger one of the same handle: MPICH's MPI_Type_get_contents returns the same handle
/// with one more reference.
struct DebugOlderLife {
  std::uint64_t handle;  // 0: the entry is free
  std::uint32_t counter;
  std::uint32_t older;  // index of the life below it, or none
  std::uint32_t committed;
  std::uint32_t reserved;
};
static_assert(sizeof(DebugOlderLife) == 24);

/// A definition that made room: its number in the trace file outlives it.
struct DebugEvicted {
  std::uint64_t key;  // 0: the entry is free
  std::uint32_t line;
  std::uint32_t check;  // more bits of the call's hash, the process's own affair
};
static_assert(sizeof(DebugEvicted) == 16);

/// The INTEGER that stands for a handle in Fortran, where it is not the handle's bits. A hash table by handle; whoever
/// reads it may take all entries in order.
struct DebugFortran {
  std::uint64_t handle;  // 0: the entry is free
  std::int32_t integer;
  std::uint32_t generation;  // as in the handle's slot, while the entry holds; 0: it is being changed
};
static_assert(sizeof(DebugFortran) == 16);

/// Where the last life of a handle ended. A hash table by handle of a fixed size, in which the last free of each entry
/// stands; whoever reads it may take all entries in order.
struct DebugFree {
  std::uint64_t handle;
  std::uint32_t line;  // of the definition that it had: its number in the trace file
  std::uint32_t reserved;
  std::uint64_t own;      // the plugin's; 0: the entry is free
  std::uint64_t address;  // where the call that freed it returns to in the program; 0: not known
};
static_assert(sizeof(DebugFree) == 32);

enum class DebugFileKind : std::uint32_t {
  pending = 1,   // pending_file.h
  counters = 2,  // counter_file.h: mapped in parts, so its address and bytes are 0
};

/// A file that is mapped into the process. A core mostly lacks what stands in it: then the file itself, if it is there
/// still, has it.
struct DebugFile {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint32_t kind;  // a DebugFileKind
  std::uint32_t reserved;
  char path[1000];  // absolute, zeros behind; empty where it is longer
};
static_assert(sizeof(DebugFile) == 1024);

}  // namespace ddtscope::trace
