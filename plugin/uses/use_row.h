// What the arguments of a function that uses datatypes mean: the positions that a row of uses.def names. Nothing of
// mpi.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reporters/trace/format/use_parameter.h"

namespace ddtscope::plugin {

using trace::UseParameter;

/// How many times its count of the type a buffer holds, or how many counts the array of them has.
enum class Copies : std::uint8_t {
  once,
  processes,     // of the communicator; the remote ones of an intercommunicator
  own_group,     // of the communicator's local group
  sources,       // neighbours that send
  destinations,  // neighbours that receive
  partitions
};

/// At which processes of a rooted collective an argument is significant. In an intercommunicator the root's group has
/// no leaves.
enum class Side : std::uint8_t { all, root, leaves };

/// Whether MPI_NO_OP makes the origin's arguments insignificant.
enum class NoOp : std::uint8_t { no_rule, spares_origin };

/// At which processes of a reduction without a root a result is written.
enum class ResultAt : std::uint8_t { everywhere, behind_rank_0 };

/// What a call does with the memory of a buffer.
enum class Access : std::uint8_t { none, reads, writes };

/// Until when a call's buffers are the library's (MPI-4.1 2.9, 3.7.3, 12.5, 14.4.5).
enum class Lasts : std::uint8_t {
  call,
  request,  // it completes
  window,   // is synchronised
  file      // the split collective ends
};

/// Where in a file a call accesses it (MPI-4.1 14.4.1).
enum class FilePointer : std::uint8_t { none, given_offset, individual, shared };

/// Which way a message goes, as this process has it.
enum class MessageDirection : std::uint8_t { none, send, receive };

/// A message that a call sends or receives (MPI-4.1 3, 4). Positions as in Use.
struct MessageSide {
  MessageDirection direction = MessageDirection::none;
  std::uint8_t use = 0;  // which of the row's uses says what it is
  std::int8_t peer = -1;
  std::int8_t tag = -1;
};

/// What a call sends to or receives from other processes.
struct MessageRow {
  std::array<MessageSide, 2> sides = {};
  std::int8_t communicator = -1;
  std::int8_t matched = -1;  // the message that a receive is of
  constexpr bool any() const { return sides[0].direction != MessageDirection::none; }
};

/// One argument that names datatypes, and the others that belong to it. Positions count from 0; -1 where there is none.
struct Use {
  UseParameter parameter = UseParameter::none;
  std::int8_t type = -1;
  std::int8_t count = -1;
  std::int8_t buffer = -1;
  std::int8_t peer = -1;        // a rank that may be MPI_PROC_NULL
  std::int8_t other_peer = -1;  // where one buffer is sent and received
  std::int8_t message = -1;     // that may be MPI_MESSAGE_NO_PROC
  Copies copies = Copies::once;
  Side side = Side::all;

  /// Whether an array of displacements stands behind that of the counts.
  constexpr bool has_displacements() const { return type != count + 1; }
  constexpr bool is_of_neighbours() const { return copies == Copies::sources || copies == Copies::destinations; }
  /// Whether it describes a file's view, of which nothing is moved.
  constexpr bool is_of_view() const { return parameter == UseParameter::etype || parameter == UseParameter::filetype; }
};

struct Uses {
  static constexpr std::size_t most = 3;

  Use first = {};
  Use second = {};
  Use third = {};
  std::int8_t communicator = -1;  // where something depends on it
  std::int8_t root = -1;
  std::int8_t partitions = -1;
  std::int8_t request = -1;  // the call makes a persistent one
  std::int8_t op = -1;
  std::uint8_t fixed_count = 0;  // of what has no count
  NoOp no_op = NoOp::no_rule;
  ResultAt result_at = ResultAt::everywhere;

  constexpr std::array<const Use*, most> all() const { return {&first, &second, &third}; }
};

/// What a call has to do with a collective operation (MPI-4.1 6, 8.6).
struct CollectiveRow {
  std::int8_t communicator = -1;  // whose processes call it together; -1 where it is none
  constexpr bool any() const { return communicator >= 0; }
};

/// A row, with what its function's type adds.
struct UseRow {
  Uses uses;
  std::uint8_t count_bytes = 4;                       // of an int or an MPI_Count
  std::array<bool, Uses::most> has_count_array = {};  // v and w forms
  std::array<bool, Uses::most> has_type_array = {};   // w forms
  /// Whether it takes a communicator's size or neighbours, or whether that has two groups, to count it.
  bool needs_communicator = false;
  /// Most functions have one type and one count, which nothing else changes but MPI_PROC_NULL.
  bool is_plain = false;
  // What becomes of the buffers: of each use, by its parameter's type; MPI_Bcast's root reads.
  std::array<Access, Uses::most> access = {};
  std::int8_t result_buffer = -1;  // of the same type as the first buffer, written: reductions
  Lasts lasts = Lasts::call;
  std::int8_t holder = -1;           // the request, window or file
  std::int8_t status = -1;           // of a call that is complete when it returns, and tells how much came
  std::uint8_t receives = 0;         // which of the uses that is
  bool status_tells = false;         // so does the status of its request
  std::int8_t window = -1;           // whose synchronisation completes an operation with a request, too
  bool has_several_buffers = false;  // of its own process
  bool has_one_plain_buffer = false;
  bool leaves_plain_buffer = false;  // which is the library's until a request is complete
  MessageRow message = {};
  CollectiveRow collective = {};
  std::int8_t file = -1;  // that the call accesses, or whose view it sets
  FilePointer pointer = FilePointer::none;

  /// Whether it takes this process's rank in the communicator to say what becomes of the buffers.
  constexpr bool depends_on_rank() const { return uses.root >= 0 || uses.result_at != ResultAt::everywhere; }
  /// Whether one buffer is read at the root and written at all other processes: MPI_Bcast.
  constexpr bool is_received_elsewhere() const { return uses.root >= 0 && uses.second.type < 0 && result_buffer < 0; }
  constexpr bool is_one_sided() const {
    return uses.first.parameter == UseParameter::origin_datatype || uses.fixed_count != 0;
  }
  /// Whether what a persistent request does with a buffer that `datatype` describes sends it.
  constexpr bool sends(std::size_t which) const {
    const bool is_one_of_both = uses.request >= 0 && uses.all()[which]->parameter == UseParameter::datatype;
    return is_one_of_both && (access[which] == Access::reads || result_buffer >= 0 || is_received_elsewhere());
  }
  constexpr bool has_plain_arguments() const {
    const Use& use = uses.first;
    return use.parameter == UseParameter::datatype && use.copies == Copies::once && use.count >= 0 &&
           !has_count_array[0] && use.other_peer < 0 && use.message < 0 && uses.second.type < 0 && uses.root < 0 &&
           uses.request < 0;
  }
};

/// The values that a library's mpi.h gives to what changes the meaning of other arguments.
struct UseConstants {
  std::intptr_t in_place = 0;  // MPI_IN_PLACE
  int null_process = 0;        // MPI_PROC_NULL
  int root = 0;                // MPI_ROOT
  std::uint64_t no_op = 0;     // MPI_NO_OP
  std::uint64_t no_message = 0;
  std::uint8_t handle_bytes = 0;  // of each handle
};

}  // namespace ddtscope::plugin
