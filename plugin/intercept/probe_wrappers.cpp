// The C names of the probes that take a message out of those that others may receive (MPI-4.1 3.8.2): that is its place
// among what is received, whoever receives it later. Those of Fortran reach them through the library.
#include <mpi.h>

#include <cstring>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/wanted_status.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

/// What a probe tells, once it has come back.
struct Probe {
  Word communicator = 0, flag = 0, message = 0, status = 0;
};

/// The status that is passed on: the plugin's own where the program wants none.
Word status_to_pass(Word status, MPI_Status& own) {
  return wants_no_status(status) ? reinterpret_cast<Word>(&own) : status;
}

void record(Session& session, const Probe& probe) {
  Messages* const messages = session.messages();
  if (messages == nullptr || probe.message == 0) return;
  int flag = 1;
  if (probe.flag != 0) std::memcpy(&flag, reinterpret_cast<const void*>(probe.flag), sizeof flag);
  if (flag == 0) return;
  const HandleBits message = handle_in_memory(reinterpret_cast<const void*>(probe.message), 0, sizeof(MPI_Message));
  if (message == bits_of(no_message())) return;
  const auto* const status = reinterpret_cast<const MPI_Status*>(probe.status);
  session.guarded([&](Registry&) {
    messages->matched({.communicator = bits_of_word(probe.communicator, sizeof(MPI_Comm)),
                       .message = message,
                       .source = status->MPI_SOURCE,
                       .tag = status->MPI_TAG});
  });
}

/// A probe that waits, as others see it: `words` begin with source, tag and communicator.
PlacesInFlight place_of(Session& session, const Arrival& arrival, const Word* words) {
  PlacesInFlight places{};
  Messages* const messages = session.messages();
  if (session.in_flight() == nullptr || messages == nullptr) return places;
  Stack stack;
  session.capture(stack, {&arrival.entry, arrival.return_place, false});
  session.guarded([&](Registry& registry) {
    CallSiteId site;
    registry.beside([&] { site = registry.types_in_use().site_of(stack); });
    places[0] = messages->begin_probe({.communicator = bits_of_word(words[2], sizeof(MPI_Comm)),
                                       .source = static_cast<int>(words[0]),
                                       .tag = static_cast<int>(words[1])},
                                      arrival.entry, site);
  });
  return places;
}

int call_probe(const Arrival& arrival, int (*next)(Word, Word, Word, Word), const Word (&words)[4]) {
  Session* const session = Session::active();
  const PlacesInFlight places = session != nullptr ? place_of(*session, arrival, words) : PlacesInFlight{};
  const CallInFlight shown(session != nullptr ? session->in_flight() : nullptr, trace::PendingCall::message, places);
  return next(words[0], words[1], words[2], words[3]);
}

int call_mprobe(const Arrival& arrival, int (*next)(Word, Word, Word, Word, Word), const Word (&words)[5]) {
  Session* const session = Session::active();
  const PlacesInFlight places = session != nullptr ? place_of(*session, arrival, words) : PlacesInFlight{};
  MPI_Status own;
  const bool is_recorded = session != nullptr && session->messages() != nullptr;
  const Word status = is_recorded ? status_to_pass(words[4], own) : words[4];
  int result;
  {
    const CallInFlight shown(session != nullptr ? session->in_flight() : nullptr, trace::PendingCall::message, places);
    result = next(words[0], words[1], words[2], words[3], status);
  }
  if (is_recorded && result == MPI_SUCCESS) {
    record(*session, {.communicator = words[2], .message = words[3], .status = status});
  }
  return result;
}

int call_improbe(int (*next)(Word, Word, Word, Word, Word, Word), const Word (&words)[6]) {
  Session* const session = Session::active();
  MPI_Status own;
  const bool is_recorded = session != nullptr && session->messages() != nullptr;
  const Word status = is_recorded ? status_to_pass(words[5], own) : words[5];
  const int result = next(words[0], words[1], words[2], words[3], words[4], status);
  if (is_recorded && result == MPI_SUCCESS) {
    record(*session, {.communicator = words[2], .flag = words[3], .message = words[4], .status = status});
  }
  return result;
}

}  // namespace

#define DDTSCOPE_MPROBE(symbol)                                                                         \
  DDTSCOPE_EXPORTED(int, symbol, Word source, Word tag, Word communicator, Word message, Word status) { \
    static constinit Next<int(Word, Word, Word, Word, Word)> next(#symbol);                             \
    static constexpr EntryPoint entry{#symbol, "c"};                                                    \
    return call_mprobe({entry, Function::none, false, DDTSCOPE_RETURN_PLACE}, next.get(),               \
                       {source, tag, communicator, message, status});                                   \
  }
DDTSCOPE_MPROBE(MPI_Mprobe)
DDTSCOPE_MPROBE(PMPI_Mprobe)

// Those that only wait for one (MPI-4.1 3.8.1).
#define DDTSCOPE_PROBE(symbol)                                                            \
  DDTSCOPE_EXPORTED(int, symbol, Word source, Word tag, Word communicator, Word status) { \
    static constinit Next<int(Word, Word, Word, Word)> next(#symbol);                     \
    static constexpr EntryPoint entry{"MPI_Probe", "c"};                                  \
    return call_probe({entry, Function::none, false, DDTSCOPE_RETURN_PLACE}, next.get(),  \
                      {source, tag, communicator, status});                               \
  }
DDTSCOPE_PROBE(MPI_Probe)
DDTSCOPE_PROBE(PMPI_Probe)

#define DDTSCOPE_IMPROBE(symbol)                                                                                   \
  DDTSCOPE_EXPORTED(int, symbol, Word source, Word tag, Word communicator, Word flag, Word message, Word status) { \
    static constinit Next<int(Word, Word, Word, Word, Word, Word)> next(#symbol);                                  \
    return call_improbe(next.get(), {source, tag, communicator, flag, message, status});                           \
  }
DDTSCOPE_IMPROBE(MPI_Improbe)
DDTSCOPE_IMPROBE(PMPI_Improbe)

}  // namespace ddtscope::plugin
