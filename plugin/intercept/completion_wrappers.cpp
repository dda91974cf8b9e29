// The C names of the functions that complete what is pending: of requests and split collectives. Those of
// Fortran reach them through the library. Statuses that the program has asked for tell how much has come.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/caller.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/own_statuses.h"
#include "plugin/intercept/wanted_status.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

/// Which requests of those that it is given a call may complete.
enum class Completes : std::uint8_t { all, one, some };

/// Positions of a completing function's parameters; -1 where there is none.
struct Completion {
  Completes completes = Completes::all;
  std::int8_t requests = 0;
  std::int8_t count = -1;  // else there is one request
  std::int8_t flag = -1;   // else they are complete when it returns
  std::int8_t index = -1;
  std::int8_t outcount = -1;
  std::int8_t indices = -1;
  std::int8_t statuses = -1;   // one for each that it tells to be complete, in their order
  bool may_find_none = false;  // without a flag: it comes back at once
};

/// Requests as they were before the call, which changes them.
class Requests {
 public:
  explicit Requests(Word address) : address_(address) {}
  /// Once, before the call. Throws std::bad_alloc where they are many and there is no memory.
  void take(Word count) {
    const auto number = static_cast<int>(count);
    if (count_ != 0 || address_ == 0 || number <= 0) return;
    const auto length = static_cast<std::size_t>(number);
    if (length > few) [[unlikely]]
      more_ = std::make_unique<MPI_Request[]>(length);
    count_ = length;
    const auto* const given = reinterpret_cast<const MPI_Request*>(address_);
    MPI_Request* const taken = handles();
    for (std::size_t i = 0; i < length; ++i) {
      MPI_Request request = given[i];
      // One by one: several loaded at once would wait until each is stored, which the program has just done.
      __asm__("" : "+r"(request));
      taken[i] = request;
    }
  }
  std::size_t size() const { return count_; }
  Holder operator[](std::size_t i) const {
    return {handle_in_memory(handles(), i, sizeof(MPI_Request)),
            static_cast<std::uint64_t>(address_) + i * sizeof(MPI_Request)};
  }

 private:
  static constexpr std::size_t few = 32;
  MPI_Request* handles() { return more_ ? more_.get() : few_.data(); }
  const MPI_Request* handles() const { return more_ ? more_.get() : few_.data(); }

  Word address_;
  std::size_t count_ = 0;
  std::array<MPI_Request, few> few_;
  std::unique_ptr<MPI_Request[]> more_;
};

int integer_at(Word address) {
  int value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// Calls `complete(holder, which)` for those that a call that succeeded has completed: `which` of the statuses tells of
/// it.
template <class Complete>
[[gnu::always_inline]] inline void each_complete(const Completion& function, const Word* arguments,
                                                 const Requests& requests, const Complete& complete) {
  if (function.flag >= 0 && integer_at(arguments[function.flag]) == 0) return;
  const auto complete_at = [&](int index, std::size_t which) {
    const bool is_there = index >= 0 && static_cast<std::size_t>(index) < requests.size();
    if (is_there) complete(requests[static_cast<std::size_t>(index)], which);
  };
  switch (function.completes) {
    case Completes::all:
      for (std::size_t i = 0; i < requests.size(); ++i) complete(requests[i], i);
      break;
    case Completes::one:
      complete_at(integer_at(arguments[function.index]), 0);
      break;
    case Completes::some: {
      const int number = std::min(integer_at(arguments[function.outcount]), static_cast<int>(requests.size()));
      for (int i = 0; i < number; ++i) {
        const Word index = arguments[function.indices] + i * static_cast<Word>(sizeof(int));
        complete_at(integer_at(index), static_cast<std::size_t>(i));
      }
    }
  }
}

/// What the statuses tell that a call was to fill in.
class Told {
 public:
  /// Of those at an address that the program gave, by the call's result. Where that refers to them, what each says of
  /// its own operation (MPI-4.1 3.7.5); of other calls that failed they say nothing.
  Told(const Session& session, Word statuses, int result)
      : session_(session),
        statuses_(has_no_status(statuses) || (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) ? 0 : statuses),
        are_some_errors_(result == MPI_ERR_IN_STATUS) {}
  bool is_there() const { return statuses_ != 0; }
  /// Whether it is the library that must be asked, for which nobody may hold the lock.
  bool is_asked_for() const { return is_there() && !session_.status_bytes().are_in_fields(); }
  /// Whether the status number `which` says that its operation has neither failed nor ended.
  bool goes_on(std::size_t which) const {
    return are_some_errors_ && is_there() && at(which).MPI_ERROR == MPI_ERR_PENDING;
  }
  /// How many bytes have come, as the status number `which` tells; negative where nobody says, or it must be asked for.
  [[gnu::always_inline]] inline std::int64_t operator()(std::size_t which) const {
    return is_there() && session_.status_bytes().are_in_fields() ? ask(which) : -1;
  }
  /// The same without the lock.
  [[gnu::always_inline]] inline std::int64_t ask(std::size_t which) const {
    const MPI_Status& status = at(which);
    if (are_some_errors_ && status.MPI_ERROR != MPI_SUCCESS) [[unlikely]]
      return -1;
    return session_.status_bytes().told_by(status);
  }

 private:
  const MPI_Status& at(std::size_t which) const { return reinterpret_cast<const MPI_Status*>(statuses_)[which]; }

  const Session& session_;
  const Word statuses_;  // 0: there are none
  const bool are_some_errors_;
};

/// What a call has told of all that it has completed, before any buffer is let go.
template <class Each>
[[gnu::noinline]] void count_all_received(Session& session, const Told& told, const Each& each) {
  each([&](const Holder& request, std::size_t which) {
    const std::int64_t bytes = told.ask(which);
    if (bytes < 0) return;
    session.guarded([&](Registry&) {
      session.pending()->received(request, static_cast<std::uint64_t>(bytes));
      return true;  // no line was written, that the trace should have stopped
    });
  });
}

/// The session, where something is pending.
[[gnu::always_inline]] inline Session* watching_session() {
  Session* const session = Session::active();
  return session != nullptr && session->pending() != nullptr && session->pending()->may_complete() ? session : nullptr;
}

/// Whether nobody wants to know what is complete: who does is there beside who watches buffers.
[[gnu::always_inline]] inline bool is_watched_by_nobody() {
  const Session* const session = Session::active();
  return session == nullptr || session->pending() == nullptr;
}

/// Who is to be told what receives of any source or tag have got, where there are such ones.
[[gnu::always_inline]] inline Messages* awaiting_messages(const Session* session) {
  Messages* const messages = session != nullptr ? session->messages() : nullptr;
  return messages != nullptr && messages->awaits_requests() ? messages : nullptr;
}

/// The accesses to windows that have requests, as they were before the library got a call that completes some: when it
/// has come back, the handles of these may be others' already.
class AwaitedAccesses {
 public:
  explicit AwaitedAccesses(Session* session)
      : session_(session),
        windows_(session != nullptr ? session->window_accesses() : nullptr),
        last_(windows_ != nullptr ? windows_->last_awaited() : 0) {}
  bool are_any() const { return last_ != 0; }
  /// Whoever is complete, or may be.
  template <class Each>
  [[gnu::always_inline]] inline void complete(const Each& each) const {
    if (are_any()) [[unlikely]]
      complete_those(each);
  }

 private:
  template <class Each>
  [[gnu::noinline]] void complete_those(const Each& each) const {
    session_->guarded([&](Registry&) {
      each([&](const Holder& holder, std::size_t) { windows_->request_completed(holder, last_); });
    });
  }

  Session* session_;
  WindowAccesses* windows_;
  std::uint64_t last_;
};

/// Of a call whose arguments and requests these are, once it has come back.
template <Completion function>
[[gnu::always_inline]] inline void complete_pending(Session& session, const AwaitedAccesses& accesses,
                                                    const Word* arguments, const Requests& requests, int status) {
  // Where a call has failed that completes one or some, they stand in another order than those that are let go.
  const bool is_nobodys = status != MPI_SUCCESS && function.completes != Completes::all;
  const Told told(session, is_nobodys ? 0 : arguments[function.statuses], status);
  const auto each = [&](const auto& complete) __attribute__((always_inline)) {
    if (status == MPI_SUCCESS) [[likely]]
      return each_complete(function, arguments, requests, complete);
    // Nobody knows which are, but of those that are said to go on.
    constexpr Completion all{.requests = function.requests, .count = function.count};
    each_complete(all, arguments, requests, [&](const Holder& request, std::size_t which) {
      if (!told.goes_on(which)) complete(request, which);
    });
  };
  if (told.is_asked_for()) [[unlikely]]
    count_all_received(session, told, each);
  session.guarded([&](Registry&) __attribute__((always_inline)) {
    session.pending()->complete_those(each, told);
    return true;  // no line was written, that the trace should have stopped
  });
  accesses.complete(each);
}

/// What was received is told.
template <Completion function>
void tell_messages(OwnStatuses& statuses, const Word* arguments, const Requests& requests, int status) {
  if (status == MPI_SUCCESS) {
    each_complete(function, arguments, requests,
                  [&](const Holder& holder, std::size_t which) { statuses.completed(holder, which); });
    return;
  }
  const auto lose = [&](const Holder& holder, std::size_t) { statuses.lost(holder); };
  if (function.completes != Completes::one && status != MPI_ERR_IN_STATUS) {
    // The call failed as a whole: nothing that it puts out can be relied on.
    constexpr Completion all{.requests = function.requests, .count = function.count};
    return each_complete(all, arguments, requests, lose);
  }
  if (function.completes == Completes::one && arguments[function.index] == 0) return;
  // The standard says which have failed where several may have, and no flag (MPI-4.1 3.7.5).
  Completion failed = function;
  failed.flag = -1;
  each_complete(failed, arguments, requests, [&](const Holder& holder, std::size_t which) {
    function.completes == Completes::one ? statuses.failed(holder, which, status)
                                         : statuses.completed_or_failed(holder, which);
  });
}

/// Statuses are a completing function's last argument.
template <Completion function, class... Words>
[[gnu::noinline]] int call_telling_messages(Session& session, Messages& messages, Requests& requests,
                                            int (*next)(Words...), Words... words) {
  const Word given[] = {words...};  // statuses that the program has asked for
  Word arguments[] = {words...};
  Word& last = arguments[sizeof...(Words) - 1];
  OwnStatuses statuses(session, messages);
  const AwaitedAccesses accesses(&session);
  const bool are_taken = session.attempt([&](Registry&) {
    requests.take(arguments[function.count]);
    last = statuses.begin(requests, last, function.completes == Completes::one ? 1 : requests.size());
    return true;
  });
  const int status = pass_on(next, arguments, std::index_sequence_for<Words...>());
  if (!are_taken) [[unlikely]]
    return status;
  complete_pending<function>(session, accesses, given, requests, status);
  if (!statuses.is_awaited()) return status;
  session.guarded([&](Registry&) { tell_messages<function>(statuses, arguments, requests, status); });
  return status;
}

/// `requests` are the call's, which may be taken already.
template <Completion function, class... Words>
[[gnu::noinline]] int call_completing_several(Requests& requests, int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  if (Messages* const messages = awaiting_messages(session); messages != nullptr) [[unlikely]]
    return call_telling_messages<function>(*session, *messages, requests, next, words...);
  const AwaitedAccesses accesses(session);
  if (watching_session() == nullptr && !accesses.are_any()) return next(words...);
  const Word arguments[] = {words...};
  const bool are_taken = session->attempt([&](Registry&) __attribute__((always_inline)) {
    requests.take(arguments[function.count]);
    return true;
  });
  const int status = next(words...);
  if (!are_taken) [[unlikely]]
    return status;
  complete_pending<function>(*session, accesses, arguments, requests, status);
  return status;
}

/// Whom the end of one request concerns, and which one it is.
struct OneRequest {
  Session& session;
  Holder holder;
};

/// The same as call_telling_messages of MPI_Wait and MPI_Test.
template <class... Words>
[[gnu::noinline]] int tell_message(const OneRequest& one, Word flag, int (*next)(Words...), Words... words) {
  Word arguments[] = {words...};
  Word& last = arguments[sizeof...(Words) - 1];
  Messages* const messages = one.session.messages();
  if (messages == nullptr) return next(words...);
  OwnStatuses statuses(one.session, *messages);
  one.session.attempt([&](Registry&) { last = statuses.begin(std::array{one.holder}, last, 1); });
  const int status = pass_on(next, arguments, std::index_sequence_for<Words...>());
  if (!statuses.is_awaited() || one.session.messages() == nullptr) return status;
  if (status == MPI_SUCCESS && flag != 0 && integer_at(flag) == 0) return status;
  one.session.guarded([&](Registry&) {
    status == MPI_SUCCESS ? statuses.completed(one.holder, 0) : statuses.failed(one.holder, 0, status);
  });
  return status;
}

/// Addresses of what a call of one request puts out; 0 where there is none.
struct OneCompletion {
  Word flag = 0, status = 0;
};

Holder holder_at(Word request) {
  return {handle_in_memory(reinterpret_cast<const void*>(request), 0, sizeof(MPI_Request)),
          static_cast<std::uint64_t>(request)};
}

/// MPI_Wait and MPI_Test.
template <class... Words>
[[gnu::always_inline]] inline int call_completing_one(const OneCompletion& told, int (*next)(Words...), Word request,
                                                      Words... words) {
  Session* const active = Session::active();
  const bool is_message_awaited = awaiting_messages(active) != nullptr;
  Session* const session = watching_session();
  const AwaitedAccesses accesses(active);
  if (request == 0 || (session == nullptr && !is_message_awaited && !accesses.are_any())) return next(words...);
  const Holder holder = holder_at(request);
  const int status =
      is_message_awaited ? tell_message(OneRequest{*active, holder}, told.flag, next, words...) : next(words...);
  if (status == MPI_SUCCESS && told.flag != 0 && integer_at(told.flag) == 0) return status;
  const auto each = [&](const auto& complete) __attribute__((always_inline)) { complete(holder, 0); };
  if (session != nullptr) {
    const Told by_status(*session, status == MPI_SUCCESS ? told.status : 0, status);
    if (by_status.is_asked_for()) [[unlikely]]
      count_all_received(*session, by_status, each);
    session->guarded([&](Registry&) __attribute__((always_inline)) {
      session->pending()->complete_those(each, by_status);
      return true;  // no line was written, that the trace should have stopped
    });
  }
  accesses.complete(each);
  return status;
}

/// Nobody tells when a request that is to be cancelled is complete.
int call_cancelling(int (*next)(Word), Word request) {
  Session* const session = Session::active();
  if (session == nullptr || session->pending() == nullptr || request == 0) return next(request);
  const Holder holder = holder_at(request);
  session->guarded([&](Registry& registry) {
    registry.beside([&] {
      Messages* const messages = session->messages();
      if (messages != nullptr) messages->cancelling(holder, session->pending()->buffers());
    });
  });
  const int status = next(request);
  session->guarded([&](Registry&) { session->pending()->complete(holder); });
  return status;
}

/// MPI_Request_get_status has the request itself, not where the program keeps it.
int call_asking_one(int (*next)(Word, Word, Word), Word request, Word flag, Word status_of_request) {
  Session* const active = Session::active();
  Session* const session = watching_session();
  const AwaitedAccesses accesses(active);
  const Holder holder{bits_of_word(request, sizeof(MPI_Request)), 0};
  const int status = awaiting_messages(active) != nullptr
                         ? tell_message(OneRequest{*active, holder}, flag, next, request, flag, status_of_request)
                         : next(request, flag, status_of_request);
  if (status != MPI_SUCCESS || flag == 0 || integer_at(flag) == 0) return status;
  const auto each = [&](const auto& complete) { complete(holder, 0); };
  if (session != nullptr) {
    const Told told(*session, status_of_request, status);
    if (told.is_there()) count_all_received(*session, told, each);
    session->guarded([&](Registry&) { session->pending()->release(bits_of_word(request, sizeof(MPI_Request))); });
  }
  accesses.complete(each);
  return status;
}

/// MPI_Parrived (MPI-4.1 4.2.2).
int call_asking_for_partition(int (*next)(Word, Word, Word), Word request, Word partition, Word flag) {
  Session* const session = watching_session();
  const int status = next(request, partition, flag);
  if (session != nullptr && status == MPI_SUCCESS && flag != 0 && integer_at(flag) != 0) {
    const std::array<int, 1> number{static_cast<int>(partition)};
    session->guarded([&](Registry&) {
      session->pending()->no_more_pending({bits_of_word(request, sizeof(MPI_Request)), number});
    });
  }
  return status;
}

/// What holds buffers at all its places: a file.
void release(Session* session, HandleBits holder) {
  if (session != nullptr) session->guarded([&](Registry&) { session->pending()->release(holder); });
}

void release_freed(Session* session, Word address, std::uint8_t bytes) {
  if (address == 0) return;
  release(session, handle_in_memory(reinterpret_cast<const void*>(address), 0, bytes));
}

/// A call that completes requests as others see it, while it waits for them, and what it has completed. `complete` is
/// the whole of the call, with its requests, `arguments` are what it is given.
template <Completion function, class Complete>
[[gnu::always_inline]] inline int complete_in_flight(const Arrival& arrival, const Word* arguments,
                                                     const Complete& complete) {
  Session* const session = Session::active();
  PendingFile* const file = session != nullptr ? session->in_flight() : nullptr;
  Requests requests(arguments[function.requests]);
  if (file == nullptr) return complete(requests);
  const bool are_taken = session->attempt([&](Registry&) {
    requests.take(function.count >= 0 ? arguments[function.count] : 1);
    return true;
  });
  if (!are_taken) return complete(requests);
  // The library's Fortran layer waits for the program, and others may within a call that is shown.
  const bool is_waiting = function.flag < 0 && !function.may_find_none &&
                          (caller_of(arrival.return_place.address) == Caller::program || !file->is_in_call());
  if (is_waiting) {
    constexpr auto call =
        function.completes == Completes::all ? trace::PendingCall::wait_all : trace::PendingCall::wait_any;
    file->enter_wait(call, session->operation_in_flight(arrival.entry, arrival.return_place), requests.size(),
                     [&](std::size_t i) { return requests[i].handle; });
  }
  const int status = complete(requests);
  if (is_waiting) file->leave();
  // Of those that have failed nobody knows which are complete.
  if (status == MPI_SUCCESS) {
    each_complete(function, arguments, requests,
                  [&](const Holder& holder, std::size_t) { file->complete(holder.handle); });
  } else {
    for (std::size_t i = 0; i < requests.size(); ++i) file->complete(requests[i].handle);
  }
  return status;
}

HandleBits file_of(Word word) { return bits_of_word(word, sizeof(MPI_File)); }
void forget_file(Word address) {
  Session* const session = Session::active();
  FileAccesses* const files = session != nullptr ? session->file_accesses() : nullptr;
  if (files == nullptr || address == 0) return;
  const HandleBits file = handle_in_memory(reinterpret_cast<const void*>(address), 0, sizeof(MPI_File));
  session->guarded([&](Registry&) { files->closed(file); });
}

}  // namespace
}  // namespace ddtscope::plugin

#define DDTSCOPE_COMPLETING_AS(n, symbol, ...)                    \
  namespace ddtscope::plugin {                                    \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                            \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol); \
    __VA_ARGS__                                                   \
  }                                                               \
  }
#define DDTSCOPE_COMPLETING(n, function, ...)            \
  DDTSCOPE_COMPLETING_AS(n, MPI_##function, __VA_ARGS__) \
  DDTSCOPE_COMPLETING_AS(n, PMPI_##function, __VA_ARGS__)

#define DDTSCOPE_LIST_1 a0
#define DDTSCOPE_LIST_2 DDTSCOPE_LIST_1, a1
#define DDTSCOPE_LIST_3 DDTSCOPE_LIST_2, a2
#define DDTSCOPE_LIST_4 DDTSCOPE_LIST_3, a3
#define DDTSCOPE_LIST_5 DDTSCOPE_LIST_4, a4

// One request (MPI-4.1 3.7.3, 3.7.6, 3.8.4).
#define DDTSCOPE_ONE(n, function, completion, ...)                                                       \
  DDTSCOPE_COMPLETING(n, function, if (is_watched_by_nobody()) return next.get()(DDTSCOPE_LIST_##n);     \
                      static constexpr EntryPoint entry{"MPI_" #function, "c"};                          \
                      const Word words[] = {DDTSCOPE_LIST_##n}; return complete_in_flight<completion>(   \
                          {entry, Function::none, false, DDTSCOPE_RETURN_PLACE}, words, [&](Requests&) { \
                            return call_completing_one(OneCompletion{__VA_ARGS__}, next.get(),           \
                                                       a0 DDTSCOPE_VALUES_##n);                          \
                          });)
DDTSCOPE_ONE(2, Wait, Completion{}, .status = a1)
DDTSCOPE_ONE(3, Test, Completion{.flag = 1}, .flag = a1, .status = a2)
DDTSCOPE_COMPLETING(1, Cancel, return call_cancelling(next.get(), a0);)
DDTSCOPE_COMPLETING(3, Request_get_status, return call_asking_one(next.get() DDTSCOPE_VALUES_3);)

// A partition.
DDTSCOPE_COMPLETING(3, Parrived, return call_asking_for_partition(next.get() DDTSCOPE_VALUES_3);)

// Several (MPI-4.1 3.7.5, 3.7.6).
#define DDTSCOPE_SEVERAL(n, function, ...)                                                                        \
  DDTSCOPE_COMPLETING(n, function, if (is_watched_by_nobody()) return next.get()(DDTSCOPE_LIST_##n);              \
                      static constexpr Completion completion{__VA_ARGS__};                                        \
                      static constexpr EntryPoint entry{"MPI_" #function, "c"};                                   \
                      const Word words[] = {DDTSCOPE_LIST_##n}; return complete_in_flight<completion>(            \
                          {entry, Function::none, false, DDTSCOPE_RETURN_PLACE}, words, [&](Requests& requests) { \
                            return call_completing_several<completion>(requests, next.get() DDTSCOPE_VALUES_##n); \
                          });)
DDTSCOPE_SEVERAL(3, Waitall, .requests = 1, .count = 0, .statuses = 2)
DDTSCOPE_SEVERAL(4, Testall, .requests = 1, .count = 0, .flag = 2, .statuses = 3)
DDTSCOPE_SEVERAL(4, Waitany, .completes = Completes::one, .requests = 1, .count = 0, .index = 2, .statuses = 3)
DDTSCOPE_SEVERAL(5, Testany, .completes = Completes::one, .requests = 1, .count = 0, .flag = 3, .index = 2,
                 .statuses = 4)
DDTSCOPE_SEVERAL(5, Waitsome, .completes = Completes::some, .requests = 1, .count = 0, .outcount = 2, .indices = 3,
                 .statuses = 4)
DDTSCOPE_SEVERAL(5, Testsome, .completes = Completes::some, .requests = 1, .count = 0, .outcount = 2, .indices = 3,
                 .statuses = 4, .may_find_none = true)
DDTSCOPE_SEVERAL(4, Request_get_status_all, .requests = 1, .count = 0, .flag = 2, .statuses = 3)
DDTSCOPE_SEVERAL(5, Request_get_status_any, .completes = Completes::one, .requests = 1, .count = 0, .flag = 3,
                 .index = 2, .statuses = 4)
DDTSCOPE_SEVERAL(5, Request_get_status_some, .completes = Completes::some, .requests = 1, .count = 0, .outcount = 2,
                 .indices = 3, .statuses = 4, .may_find_none = true)

// Split collectives (MPI-4.1 14.4.5). What is freed may be given to another thread at once.
#define DDTSCOPE_RELEASING(n, function, holder)                                 \
  DDTSCOPE_COMPLETING(n, function, Session* const session = watching_session(); \
                      const int status = next.get()(DDTSCOPE_LIST_##n); release(session, holder); return status;)
#define DDTSCOPE_FREEING(function, bytes, forget) \
  DDTSCOPE_COMPLETING(1, function, release_freed(watching_session(), a0, bytes); forget(a0); return next.get()(a0);)
DDTSCOPE_RELEASING(3, File_read_all_end, file_of(a0))
DDTSCOPE_RELEASING(3, File_read_at_all_end, file_of(a0))
DDTSCOPE_RELEASING(3, File_read_ordered_end, file_of(a0))
DDTSCOPE_RELEASING(3, File_write_all_end, file_of(a0))
DDTSCOPE_RELEASING(3, File_write_at_all_end, file_of(a0))
DDTSCOPE_RELEASING(3, File_write_ordered_end, file_of(a0))
DDTSCOPE_FREEING(File_close, sizeof(MPI_File), forget_file)
