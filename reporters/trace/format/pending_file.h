// The pending file beside a process's trace file (FORMAT.md): which call each thread is in, and which operations are
// started and not complete, through a mapping, so that it can be read while the process runs or hangs, and after it was
// killed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddtscope::trace {

inline constexpr char pending_file_magic[8] = {'d', 'd', 't', 's', 'p', 'e', 'n', 'd'};
inline constexpr std::uint32_t pending_file_version = 1;
/// "rank-3.jsonl" has it in "rank-3.pending".
inline constexpr const char* pending_file_extension = ".pending";
inline constexpr std::uint32_t pending_none = UINT32_MAX;
inline constexpr std::uint64_t pending_no_place = UINT64_MAX;
inline constexpr std::uint64_t pending_being_written = 1;  // in place of a request
/// Of a peer or a tag: any.
inline constexpr std::int32_t pending_any = INT32_MIN;

enum class PendingState : std::uint32_t {
  runs = 0,
  switched_off = 1,  // the program has stopped the recording: nothing here can be relied on
  ended = 2,         // the process has ended, without MPI_Finalize
};

/// At the file's start; the tables follow, in this order. Integers in the byte order of the machine that wrote them.
struct PendingFileHeader {
  char magic[8];
  std::uint32_t byte_order;  // counter_file_byte_order
  std::uint32_t version;
  std::uint32_t threads, operations, channels, started;                    // how many each table has room for
  std::uint32_t threads_used, operations_used, channels_used;              // raised after a record is whole
  std::uint32_t state;                                                     // a PendingState
  std::uint32_t threads_may_call;                                          // 1: MPI_THREAD_SERIALIZED or more
  std::uint32_t process;                                                   // its id
  std::uint64_t threads_left_out, channels_left_out, operations_left_out;  // that found no room, as
  std::uint64_t started_left_out;                                          // so many operations
  char unused[40];
};
static_assert(sizeof(PendingFileHeader) == 128);

enum class PendingCall : std::uint32_t {
  none = 0,
  message = 1,     // a blocking send, receive, probe, or both at once
  wait_all = 2,    // until all of the requests are complete
  wait_any = 3,    // until one of them is
  collective = 4,  // blocking
  finalize = 5,    // MPI_Finalize: no message of this process follows
};

/// What a thread does. `sequence` is odd while the record is being changed.
struct PendingThread {
  static constexpr std::size_t most_requests = 24;
  std::uint32_t sequence;
  std::uint32_t call;  // a PendingCall
  std::uint32_t thread;
  std::uint32_t operation;   // that the call is
  std::uint32_t channel[2];  // of a message or a collective; the second one is what MPI_Sendrecv receives
  std::uint64_t place[2];    // in these
  std::uint32_t requests;    // that it waits for; the first ones stand below
  std::uint32_t unused[5];
  std::uint64_t request[most_requests];
};
static_assert(sizeof(PendingThread) == 256 && offsetof(PendingThread, request) == 64);

/// A call of the program's, with what it sends or receives.
struct PendingOperation {
  char called[40];  // zeros behind
  char binding[8];
  std::uint32_t site;                    // a frame of the trace file
  std::uint32_t definition, predefined;  // of the type, as in CounterRecord
  std::uint32_t parameter;               // a UseParameter; 0: nothing is known of a type
  std::uint64_t elements;
  std::uint64_t unused;
};
static_assert(sizeof(PendingOperation) == 80);

enum class PendingDirection : std::uint32_t { send = 0, receive = 1, collective = 2, probe = 3 };

/// What goes one way between two processes in one communicator under one tag; or the collective operations of one; or
/// which messages receives would take that name no source or tag.
struct PendingChannel {
  static constexpr std::uint32_t is_partitioned = 1, is_unordered = 2, is_unknown = 4,
                                 is_pattern = 8;  // of receives whose places are not known
  std::uint64_t communicator;                     // its name; 0 of MPI_COMM_WORLD and MPI_COMM_SELF
  std::uint32_t predefined;                       // 1: MPI_COMM_WORLD, 2: MPI_COMM_SELF, 0: another one
  std::uint32_t direction;                        // a PendingDirection
  std::int32_t peer;                              // its rank in MPI_COMM_WORLD
  std::int32_t tag;
  std::uint32_t flags;
  std::uint32_t unused;
  std::uint64_t started;  // how many operations
  std::uint64_t unused_too;
};
static_assert(sizeof(PendingChannel) == 48);

/// An operation with a request that nobody has seen complete. `sequence` is odd while the record is being changed.
struct PendingStarted {
  std::uint64_t request;  // the handle; 0: there is none, or pending_being_written
  std::uint32_t sequence;
  std::uint32_t operation, channel;
  std::uint32_t unused;
  std::uint64_t place;
};
static_assert(sizeof(PendingStarted) == 32);

}  // namespace ddtscope::trace
