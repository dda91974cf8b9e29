// The C names of the functions that synchronise windows, one MPI_ and one PMPI_ for each function of
// synchronisations.def: what the standard forbids is told before the library gets the call, and the buffers of the
// origin's operations are the program's again behind it (MPI-4.1 12.5). And of those that attach memory, name windows,
// and free groups.
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"
#include "plugin/windows/window_row.h"

namespace ddtscope::plugin {
namespace {

/// A row held against the type of its function: positions that do not fit do not compile.
template <class Signature>
constexpr bool fits(const Synchronises& row) {
  return (row.frees ? is_at<Signature, MPI_Win*>(row.window) : is_at<Signature, MPI_Win>(row.window)) &&
         row.window >= 0 && is_at<Signature, int>(row.target) && is_at<Signature, MPI_Group>(row.group) &&
         is_at<Signature, int>(row.assertion) && is_at<Signature, int>(row.lock_type) &&
         is_at<Signature, MPI_Info>(row.info) && is_at<Signature, int*>(row.flag);
}

struct SynchronisingFunction {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  Synchronises row;
};

HandleBits window_at(const Synchronises& row, const Word* arguments) {
  const Word word = arguments[row.window];
  if (!row.frees) return bits_of_word(word, sizeof(MPI_Win));
  return word != 0 ? handle_in_memory(reinterpret_cast<const void*>(word), 0, sizeof(MPI_Win)) : HandleBits{};
}

WindowAsserts asserts_of(int given) {
  constexpr int known[] = {MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE, MPI_MODE_NOSUCCEED};
  WindowAsserts asserts;
  for (std::size_t i = 0; i < std::size(known); ++i) {
    if ((given & known[i]) != 0) asserts.add(i);
  }
  return asserts;
}

SynchronisingCall call_of(const Synchronises& row, const Word* arguments) {
  SynchronisingCall call{.kind = row.kind, .window = window_at(row, arguments)};
  if (row.assertion >= 0) call.asserts = asserts_of(static_cast<int>(arguments[row.assertion]));
  if (row.target >= 0) call.target = static_cast<int>(arguments[row.target]);
  if (row.lock_type >= 0) call.is_exclusive = static_cast<int>(arguments[row.lock_type]) == MPI_LOCK_EXCLUSIVE;
  if (row.group >= 0) call.group = bits_of_word(arguments[row.group], sizeof(MPI_Group));
  if (row.info >= 0) call.info = bits_of_word(arguments[row.info], sizeof(MPI_Info));
  return call;
}

/// The recording of windows, where the program makes the call and it goes on.
WindowAccesses* recording(Session* session) {
  return session != nullptr && session->messages() != nullptr ? session->window_accesses() : nullptr;
}

/// Whether buffers may be the program's again behind the call.
constexpr bool releases(const Synchronises& row) {
  using enum WindowEventKind;
  return !row.frees && (row.kind == fence || row.kind == complete || row.kind == unlock || row.kind == unlock_all ||
                        row.kind == flush || row.kind == flush_local);
}

void release(Session& session, const Synchronises& row, const Word* arguments) {
  const HandleBits window = window_at(row, arguments);
  session.guarded([&](Registry&) {
    if (row.target < 0) return session.pending()->release(window);
    const auto rank = static_cast<std::uint64_t>(static_cast<int>(arguments[row.target]));
    session.pending()->release_at({window, rank});
  });
}

/// Arguments and result are the program's, untouched.
template <class... Words>
int synchronise(const SynchronisingFunction& function, WindowAccesses* windows, const ReturnPlace& place,
                int (*next)(Words...), Words... words) {
  const Word arguments[] = {words...};
  const ProgramCall came =
      windows == nullptr
          ? ProgramCall()
          : program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) return next(words...);
  Session& session = *Session::active();
  const Synchronises& row = function.row;
  Stack stack;
  session.capture(stack, came);
  SynchronisingCall call = call_of(row, arguments);
  call.called = came.entry;
  call.stack = &stack;
  WindowAccesses::Begun begun;
  DebugWindows::Place freed;
  session.guarded([&](Registry&) {
    if (row.frees) {
      freed = windows->freeing(call.window, *came.entry, stack);
    } else if (row.flag >= 0) {
      windows->begin_test(call);
    } else if (row.kind != WindowEventKind::ordering) {
      begun = windows->begin(call);
    }
  });
  PendingFile* const file = row.flag < 0 ? session.in_flight() : nullptr;  // it is on no communicator
  PlacesInFlight places{};
  if (file != nullptr) places[0].operation = session.operation_in_flight(*came.entry, came.caller);
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    const CallInFlight shown(file, trace::PendingCall::collective, places);
    status = next(words...);
  }
  if (status != MPI_SUCCESS) [[unlikely]]
    session.call_failed(status, came);
  if (row.frees) {
    session.guarded(
        [&](Registry&) { status == MPI_SUCCESS ? windows->freed(call.window, freed) : windows->not_freed(freed); });
  } else if (row.flag >= 0) {
    const auto* const flag = reinterpret_cast<const int*>(arguments[row.flag]);
    if (status != MPI_SUCCESS || flag == nullptr || *flag == 0) return status;
    session.guarded([&](Registry&) { windows->tested(call); });
  } else if (row.kind == WindowEventKind::ordering) {
    // Of an info that is none the library is not asked before it has taken it.
    if (status == MPI_SUCCESS) session.guarded([&](Registry&) { windows->ordered(call); });
  } else if (status != MPI_SUCCESS || begun.is_wrong) [[unlikely]] {
    session.guarded([&](Registry&) { windows->end(call, begun, CallOutcome{status == MPI_SUCCESS}); });
  }
  if (status == MPI_SUCCESS) DebugWindows::came_back(begun.shown);
  return status;
}

template <class... Words>
[[gnu::noinline]] int call_synchronising(const SynchronisingFunction& function, const ReturnPlace& place,
                                         int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  if (session == nullptr) return next(words...);
  const bool is_watched = session->pending() != nullptr && session->pending()->may_complete();
  const Word arguments[] = {words...};
  const HandleBits window = window_at(function.row, arguments);
  // What is freed may be given to another thread at once.
  if (function.row.frees && is_watched) {
    session->guarded([&](Registry&) { session->pending()->release(window); });
  }
  WindowAccesses* const windows = recording(session);
  const int status = synchronise(function, windows, place, next, words...);
  // Debuggers see no window that is gone, though nothing is recorded of it any more.
  if (function.row.frees && status == MPI_SUCCESS && windows == nullptr && session->window_accesses() != nullptr) {
    session->guarded([&](Registry&) { session->window_accesses()->freed(window, {}); });
  }
  if (releases(function.row) && is_watched) release(*session, function.row, arguments);
  return status;
}

/// As the library cuts it.
std::size_t length_of(Word name) { return strnlen(reinterpret_cast<const char*>(name), MPI_MAX_OBJECT_NAME - 1); }

/// The window is not touched by the program: nothing of it is asked.
int call_attaching(int (*next)(Word, Word, Word), Word window, Word base, Word bytes) {
  const int status = next(window, base, bytes);
  Session* const session = Session::active();
  WindowAccesses* const windows = recording(session);
  if (status != MPI_SUCCESS || windows == nullptr) return status;
  session->guarded([&](Registry&) { windows->attached(bits_of_word(window, sizeof(MPI_Win)), {base, bytes}); });
  return status;
}

int call_naming(int (*next)(Word, Word), Word window, Word name) {
  const int status = next(window, name);
  Session* const session = Session::active();
  WindowAccesses* const windows = session != nullptr ? session->window_accesses() : nullptr;
  if (status != MPI_SUCCESS || windows == nullptr || name == 0) return status;
  const std::string_view given(reinterpret_cast<const char*>(name), length_of(name));
  session->guarded([&](Registry&) { windows->named(bits_of_word(window, sizeof(MPI_Win)), given); });
  return status;
}

int call_freeing_group(int (*next)(Word), Word group) {
  Session* const session = Session::active();
  WindowAccesses* const windows = recording(session);
  if (windows != nullptr && group != 0) {
    const auto* const address = reinterpret_cast<const void*>(group);
    session->guarded([&](Registry&) { windows->group_freed(handle_in_memory(address, 0, sizeof(MPI_Group))); });
  }
  return next(group);
}
static_assert(sizeof(MPI_Win) == sizeof(MPI_Datatype) && sizeof(MPI_Group) == sizeof(MPI_Datatype));

}  // namespace

#define DDTSCOPE_SYNCHRONISING(n, symbol, binding, called, ...)                                 \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                          \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                               \
    static constexpr SynchronisingFunction function{                                            \
        {#symbol, binding}, Function::P##called, #symbol[0] == 'P', __VA_ARGS__};               \
    return call_synchronising(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n); \
  }
#define DDTSCOPE_SYNCHRONISATION(n, function, ...)                                                              \
  static_assert(fits<decltype(P##function)>(__VA_ARGS__) && FunctionTraits<decltype(P##function)>::arity == n); \
  DDTSCOPE_SYNCHRONISING(n, function, "c", function, __VA_ARGS__)                                               \
  DDTSCOPE_SYNCHRONISING(n, P##function, "pmpi", function, __VA_ARGS__)
#include "plugin/call/synchronisations.def"

#define DDTSCOPE_PASSING(n, symbol, call)                         \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                            \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol); \
    return call(next.get() DDTSCOPE_VALUES_##n);                  \
  }
// A tool in between passes MPI_X on to PMPI_X: the same again says nothing new.
DDTSCOPE_PASSING(3, MPI_Win_attach, call_attaching)
DDTSCOPE_PASSING(3, PMPI_Win_attach, call_attaching)
DDTSCOPE_PASSING(2, MPI_Win_set_name, call_naming)
DDTSCOPE_PASSING(2, PMPI_Win_set_name, call_naming)
DDTSCOPE_PASSING(1, MPI_Group_free, call_freeing_group)
DDTSCOPE_PASSING(1, PMPI_Group_free, call_freeing_group)

}  // namespace ddtscope::plugin
