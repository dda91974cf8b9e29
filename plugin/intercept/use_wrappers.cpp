// The C names of the functions that use datatypes, one MPI_ and one PMPI_ for each function of uses.def, and of those
// that start or free what others have made.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/record_uses.h"
#include "plugin/intercept/use_signature.h"
#include "plugin/library/newer_mpi_uses.h"
#include "plugin/library/next_function.h"

#define DDTSCOPE_USING(n, symbol, binding, called)                                                           \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                                       \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                            \
    static constexpr UsingFunction function{                                                                 \
        {#symbol, binding}, Function::P##called, #symbol[0] == 'P', row_of_##called};                        \
    return call_with_uses<row_of_##called>(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n); \
  }
#define DDTSCOPE_USES_ALONE(n, function, ...)                                                         \
  static constexpr UseRow row_of_##function = use_row<decltype(P##function)>(#function, __VA_ARGS__); \
  DDTSCOPE_USING(n, function, "c", function)                                                          \
  DDTSCOPE_USING(n, P##function, "pmpi", function)
#define DDTSCOPE_USES(n, function, ...)         \
  DDTSCOPE_USES_ALONE(n, function, __VA_ARGS__) \
  DDTSCOPE_USES_ALONE(n, function##_c, __VA_ARGS__)

namespace ddtscope::plugin {
namespace {

/// What became of the messages that are started.
using Started = std::vector<Messages::Placed>;

/// They were: their buffers are the library's.
struct StartedCall {
  ProgramCall came;
  StartingCall call;
  Word array;
};
void leave_started_pending(Session& session, const StartedCall& started, const Started& operations) {
  Messages* const messages = session.messages();
  session.guarded([&](Registry&) {
    const StartingCall& call = started.call;
    Word array = started.array;
    std::vector<Holder> requests;
    requests.reserve(call.requests.size());
    for (const HandleBits request : call.requests) {
      requests.push_back({request, place_of_request(started.came, array)});
      array += static_cast<Word>(sizeof(MPI_Request));
    }
    session.pending()->started({requests, call.called, call.stack});
    for (std::size_t i = 0; i < operations.size() && messages != nullptr; ++i) {
      messages->wait_for(operations[i], requests[i]);
    }
  });
}

/// A library may put another handle there (MPI-4.1 3.9): Open MPI does where it has not sent yet what was buffered when
/// the last start was completed.
void follow_moved(Session& session, const void* array, std::vector<HandleBits>& requests) {
  session.guarded([&](Registry&) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const HandleBits now = handle_in_memory(array, i, sizeof(MPI_Request));
      if (now == requests[i]) continue;
      const MovedRequest moved{requests[i], now};
      session.stopped_uses()->request_moved(moved);  // another thread may have stopped it
      session.pending()->request_moved(moved);
      if (Messages* const messages = session.messages()) messages->request_moved(moved);
      requests[i] = now;
    }
  });
}

void show_all_started(const Session& session, const std::vector<HandleBits>& requests, const Started& started) {
  PendingFile* const file = session.in_flight();
  if (file == nullptr) return;
  for (std::size_t i = 0; i < started.size(); ++i) file->start(requests[i], started[i].in_flight);
}

/// Persistent requests are started: MPI_Start, MPI_Startall.
template <class... Words>
[[gnu::always_inline]] inline int call_starting(const Arrival& arrival, std::size_t count, int (*next)(Words...),
                                                Words... words) {
  Session* session = Session::active();
  UseCounters* const counting = session ? session->uses() : nullptr;  // another thread may stop it
  if (counting == nullptr) return next(words...);
  const Word arguments[] = {words...};
  const ProgramCall came = program_call(arrival, arguments[0]);
  if (!came.entry) return next(words...);
  UseCounters& uses = *counting;
  Messages* const messages = session->messages();
  Stack stack;
  session->capture(stack, came);
  const auto* const array = reinterpret_cast<const void*>(arguments[sizeof...(Words) - 1]);
  std::vector<HandleBits> requests;
  Started started;
  const auto call = [&] { return StartingCall{requests, came.entry, &stack}; };
  session->guarded([&](Registry&) {
    for (std::size_t i = 0; array != nullptr && i < count; ++i) {
      requests.push_back(handle_in_memory(array, i, sizeof(MPI_Request)));
    }
    uses.start(call());
    if (messages != nullptr) started = messages->start(call());
  });
  int status;
  {
    const Progress progress({.function = arrival.function, .first_argument = arguments[0]});
    status = next(words...);
  }
  if (status != MPI_SUCCESS) {
    session->guarded([&](Registry&) {
      uses.starting_failed(call());
      if (messages != nullptr) messages->starting_failed(started);
    });
    session->call_failed(status, came);
  } else {
    follow_moved(*session, array, requests);
    leave_started_pending(*session, StartedCall{came, call(), arguments[sizeof...(Words) - 1]}, started);
    show_all_started(*session, requests, started);
  }
  return status;
}

/// Partitions of a send are given to the library (MPI-4.1 4.2.1). Before it gets them: another thread may see the whole
/// request complete as soon as it has the last one.
template <class... Words>
[[gnu::always_inline]] inline int call_making_ready(const Arrival& arrival, const PendingCalls::Partitions& partitions,
                                                    int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  if (session == nullptr || session->uses() == nullptr) return next(words...);
  const Word arguments[] = {words...};
  const ProgramCall came = program_call(arrival, arguments[0]);
  if (!came.entry) return next(words...);
  Stack stack;
  session->capture(stack, came);
  session->guarded([&](Registry&) { session->pending()->ready({partitions, came.entry, &stack}); });
  int status;
  {
    const Progress progress({.function = arrival.function, .first_argument = arguments[0]});
    status = next(words...);
  }
  if (status != MPI_SUCCESS) {
    session->guarded([&](Registry&) { session->pending()->no_more_pending(partitions); });
    session->call_failed(status, came);
  }
  return status;
}

HandleBits request_of(Word word) { return bits_of_word(word, sizeof(MPI_Request)); }

class PartitionsBetween {
 public:
  PartitionsBetween(Word low, Word high) {
    const int last = std::min(static_cast<int>(high), static_cast<int>(CallBuffers::most_partitions) - 1);
    for (int number = std::max(static_cast<int>(low), 0); number <= last; ++number) numbers_[size_++] = number;
  }
  /// Those of them that may be watched.
  operator std::span<const int>() const { return std::span(numbers_).first(size_); }

 private:
  std::array<int, CallBuffers::most_partitions> numbers_;
  std::size_t size_ = 0;
};

std::span<const int> numbers_of_list(Word length, Word array) {
  const auto number = static_cast<int>(length);
  if (array == 0 || number <= 0) return {};
  return {reinterpret_cast<const int*>(array), static_cast<std::size_t>(number)};
}

/// What is freed, by whomever, is forgotten before the library can give its handle to another thread.
int call_freeing_request(int (*next)(Word), Word argument) {
  Session* session = Session::active();
  const auto* const handle = reinterpret_cast<const void*>(argument);
  if (session && session->stopped_uses() && handle != nullptr) {
    session->guarded(
        [&](Registry&) { session->stopped_uses()->request_freed(handle_in_memory(handle, 0, sizeof(MPI_Request))); });
  }
  return next(argument);
}
/// Nobody will tell when an active request that is freed is complete.
void forget_buffers_of(Word request) {
  Session* session = Session::active();
  const auto* const handle = reinterpret_cast<const void*>(request);
  if (session == nullptr || session->pending() == nullptr || handle == nullptr) return;
  if (PendingFile* const file = session->in_flight()) file->complete(handle_in_memory(handle, 0, sizeof(MPI_Request)));
  session->guarded([&](Registry&) {
    const Holder holder{handle_in_memory(handle, 0, sizeof(MPI_Request)), static_cast<std::uint64_t>(request)};
    session->pending()->request_freed(holder);
    if (Messages* const messages = session->messages()) messages->request_freed(holder);
  });
}
static_assert(sizeof(MPI_Comm) == sizeof(MPI_Datatype) && sizeof(MPI_Request) == sizeof(MPI_Datatype) &&
              sizeof(MPI_Message) == sizeof(MPI_Datatype) && sizeof(MPI_Op) == sizeof(MPI_Datatype));

}  // namespace

#include "plugin/call/uses.def"

#define DDTSCOPE_STARTING(n, symbol, binding, called, count)                                                 \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                                       \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                            \
    static constexpr EntryPoint entry{#symbol, binding};                                                     \
    const auto number = static_cast<int>(count);                                                             \
    return call_starting({entry, Function::P##called, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE},             \
                         number > 0 ? static_cast<std::size_t>(number) : 0, next.get() DDTSCOPE_VALUES_##n); \
  }
DDTSCOPE_STARTING(1, MPI_Start, "c", MPI_Start, 1)
DDTSCOPE_STARTING(1, PMPI_Start, "pmpi", MPI_Start, 1)
DDTSCOPE_STARTING(2, MPI_Startall, "c", MPI_Startall, a0)
DDTSCOPE_STARTING(2, PMPI_Startall, "pmpi", MPI_Startall, a0)

#define DDTSCOPE_MAKING_READY(n, symbol, binding, called, request, ...)                              \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                               \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                    \
    static constexpr EntryPoint entry{#symbol, binding};                                             \
    const auto numbers = __VA_ARGS__;                                                                \
    return call_making_ready({entry, Function::P##called, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE}, \
                             {request_of(request), numbers}, next.get() DDTSCOPE_VALUES_##n);        \
  }
#define DDTSCOPE_MAKING_READY_AS(n, function, request, ...)               \
  DDTSCOPE_MAKING_READY(n, function, "c", function, request, __VA_ARGS__) \
  DDTSCOPE_MAKING_READY(n, P##function, "pmpi", function, request, __VA_ARGS__)
DDTSCOPE_MAKING_READY_AS(2, MPI_Pready, a1, std::array<int, 1>{static_cast<int>(a0)})
DDTSCOPE_MAKING_READY_AS(3, MPI_Pready_range, a2, PartitionsBetween(a0, a1))
DDTSCOPE_MAKING_READY_AS(3, MPI_Pready_list, a2, numbers_of_list(a0, a1))

#define DDTSCOPE_FREEING_REQUEST(symbol)            \
  DDTSCOPE_EXPORTED_WORDS(1, symbol) {              \
    static constinit Next<int(Word)> next(#symbol); \
    forget_buffers_of(a0);                          \
    return call_freeing_request(next.get(), a0);    \
  }
DDTSCOPE_FREEING_REQUEST(MPI_Request_free)
DDTSCOPE_FREEING_REQUEST(PMPI_Request_free)

}  // namespace ddtscope::plugin
