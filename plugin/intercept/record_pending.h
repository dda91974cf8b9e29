// What is recorded of a call that leaves its buffers with the library, once it has come back.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "plugin/call/program_call.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// Where a C program keeps a request tells it from others of the same handle. Fortran's layer over handles that are no
/// INTEGERs keeps it where others were before: that tells nothing.
inline std::uint64_t place_of_request(const ProgramCall& came, std::intptr_t address) {
  return came.is_fortran && sizeof(MPI_Request) == sizeof(std::uint64_t) ? 0 : static_cast<std::uint64_t>(address);
}

[[gnu::always_inline]] inline Holder holder_of(const ProgramCall& came, const UseCall& call) {
  const UseRow& row = call.row;
  const std::intptr_t word = call.words[row.holder];
  switch (row.lasts) {
    case Lasts::request:
      return {handle_in_memory(reinterpret_cast<const void*>(word), 0, sizeof(MPI_Request)),
              place_of_request(came, word)};
    case Lasts::window:
      return {bits_of_word(word, sizeof(MPI_Win)), static_cast<std::uint64_t>(call.integer(row.uses.first.peer))};
    case Lasts::file:
    case Lasts::call:
      break;
  }
  return {static_cast<HandleBits>(word), 0};
}

/// Whether a matched receive is of no message, which the library does not say any more when it comes back.
inline bool is_of_no_message(const UseRow& row, const std::intptr_t* words) {
  const std::int8_t position = row.uses.first.message;
  return position >= 0 && words[position] != 0 &&
         handle_in_memory(reinterpret_cast<const void*>(words[position]), 0, sizeof(MPI_Message)) ==
             bits_of(no_message());
}

/// Whether the communicator of a call is asked for here: where counting does without it.
inline bool wants_communicator(const UseRow& row) { return row.depends_on_rank() && !row.needs_communicator; }

[[gnu::noinline]] inline void leave_any_pending(Session& session, ProgramCall came, UsingCall call, PlainUse plain) {
  const UseRow& row = call.arguments.row;
  session.guarded([&](Registry&) {
    PendingCalls& pending = *session.pending();
    if (wants_communicator(row)) [[unlikely]] {
      session.stopped_uses()->communicator_is_alive(
          bits_of_word(call.arguments.words[row.uses.communicator], sizeof(MPI_Comm)));
    }
    if (row.uses.request >= 0) [[unlikely]] {
      const auto* const request = reinterpret_cast<const void*>(call.arguments.words[row.uses.request]);
      pending.made(call, handle_in_memory(request, 0, sizeof(MPI_Request)));
    } else if (row.lasts == Lasts::call) {
      pending.before_in_retrospect(call, plain);  // with what is known by now
    } else {
      pending.after(call, plain, holder_of(came, call.arguments));
    }
  });
}

/// The buffers of a call that succeeded are the library's: one of most calls, or else any.
[[gnu::always_inline]] inline void leave_pending(Session& session, const ProgramCall& came, const UsingCall& call,
                                                 const PlainUse& plain) {
  bool is_left = false;
  if (call.arguments.row.leaves_plain_buffer) {
    session.guarded([&](Registry&) __attribute__((always_inline)) {
      is_left = session.pending()->after_plain(call, plain, holder_of(came, call.arguments));
    });
  }
  if (!is_left) leave_any_pending(session, came, call, plain);
}

}  // namespace ddtscope::plugin
