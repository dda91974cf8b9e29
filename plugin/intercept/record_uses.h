// What is recorded of the calls that use datatypes: before the library gets them, and after.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/record_collectives.h"
#include "plugin/intercept/record_in_flight.h"
#include "plugin/intercept/record_messages.h"
#include "plugin/intercept/record_pending.h"
#include "plugin/intercept/wanted_status.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// A wrapper of a name of a function that uses types.
struct UsingFunction {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  const UseRow& row;
};

/// What was found out before the library gets a call.
struct BegunUse {
  UseCounters::Known known = UseCounters::Known::all;
  PendingCalls::Seen seen = PendingCalls::Seen::all;
  bool is_of_nobody = false;
};

/// Which memory a call's arguments describe: a section of an array is described by the library alone, by a type that
/// nobody can ask about.
enum class Described : std::uint8_t { by_program, by_library };

/// A call's words with the counts and types that the program gave, where the library has put others in their places.
class WordsOfProgram {
 public:
  /// `words` where all are the program's.
  [[gnu::always_inline]] inline const Word* of(const ProgramCall& came, const UseRow& row,
                                               std::span<const Word> words) {
    if (!came.is_fortran || !fortran_call.amounts) [[likely]]
      return words.data();
    return replaced(row, words, *fortran_call.amounts);
  }

  /// Whether the library has put a type of its own in the place of the program's. No type at all is none: Open MPI 6
  /// passes that on for what is not significant, as beside MPI_IN_PLACE.
  static bool is_replaced(const UseRow& row, std::size_t which, const Word* words, const ProgramAmounts& amounts) {
    const Use& use = *row.uses.all()[which];
    if (use.type < 0 || use.count < 0 || use.buffer < 0 || row.has_count_array[which]) return false;
    const HandleBits passed = bits_of_word(words[static_cast<std::uint8_t>(use.type)], sizeof(MPI_Datatype));
    return passed != bits_of_word(amounts.types[which], sizeof(MPI_Datatype)) && passed != 0 &&
           passed != bits_of(null_datatype());
  }

 private:
  const Word* replaced(const UseRow& row, std::span<const Word> words, const ProgramAmounts& amounts) {
    bool has_others = false;
    for (std::size_t i = 0; i < Uses::most; ++i) {
      if (!is_replaced(row, i, words.data(), amounts)) continue;
      if (!has_others) std::copy(words.begin(), words.end(), words_.begin());
      has_others = true;
      const Use& use = *row.uses.all()[i];
      words_[static_cast<std::uint8_t>(use.type)] = amounts.types[i];
      words_[static_cast<std::uint8_t>(use.count)] = amounts.counts[i];
    }
    return has_others ? words_.data() : words.data();
  }

  std::array<Word, 16> words_;
};

/// A call's words with the handles of freed types that the INTEGERs of a Fortran program stood for: a library whose
/// handles are no INTEGERs passes on a null handle for them.
class WordsOfFreedTypes {
 public:
  WordsOfFreedTypes(Session& session, std::span<const Word> words) : session_(session), words_(words) {}
  [[gnu::always_inline]] inline const Word* of(const ProgramCall& came, const UseRow& row) {
    if constexpr (sizeof(MPI_Datatype) == sizeof(int)) return words_.data();
    return came.is_fortran ? replaced(row) : words_.data();
  }

 private:
  [[gnu::noinline]] const Word* replaced(const UseRow& row) {
    bool has_others = false;
    for (std::size_t i = 0; i < Uses::most; ++i) {
      const Use& use = *row.uses.all()[i];
      if (use.type < 0) continue;
      const auto position = static_cast<std::uint8_t>(use.type);
      const Word other = row.has_type_array[i]
                             ? session_.guarded([&](Registry&) { return replaced_array(row, i); })
                             : static_cast<Word>(freed_behind(bits_of_word(words_[position], sizeof(MPI_Datatype)),
                                                              fortran_call.types[i]));
      if (other == 0) continue;
      if (!has_others) std::copy(words_.begin(), words_.end(), others_.begin());
      has_others = true;
      others_[position] = other;
    }
    return has_others ? others_.data() : words_.data();
  }

  /// The freed type that the program's INTEGER stood for, where the library has passed on no type for it; else 0.
  HandleBits freed_behind(HandleBits passed, std::int32_t integer) {
    if (passed != 0 && passed != bits_of(null_datatype())) return 0;
    return session_.guarded([&](Registry& registry) { return registry.freed_in_fortran(integer); });
  }

  /// A copy of the array of types in which freed ones stand for themselves; 0 where there are none, or nobody knows how
  /// long it is, or it says nothing.
  Word replaced_array(const UseRow& row, std::size_t which) {
    const Use& use = *row.uses.all()[which];
    const Word integers = fortran_call.type_arrays[which];
    if (integers == 0) return 0;
    const UseCall call{row, words_.data(), true};
    const std::size_t entries = session_.guarded([&](Registry& registry) {
      std::size_t known = 0;
      registry.beside([&] {
        const UseAmounts amounts(use_constants());
        const Communicator* const communicator =
            session_.stopped_uses()->communicators().find(amounts.wanted_communicator(call));
        const bool is_there = amounts.presence_of(call, use, communicator) == UseAmounts::Presence::there;
        if (!is_there || communicator == nullptr) return;
        known = amounts.entries_of(call, which, communicator).up_to_last(MPI_PROC_NULL);
      });
      return known;
    });
    const auto* const types = reinterpret_cast<const void*>(words_[static_cast<std::uint8_t>(use.type)]);
    const auto* const counts = reinterpret_cast<const void*>(words_[static_cast<std::uint8_t>(use.count)]);
    for (std::size_t i = 0; i < entries; ++i) {
      if (element_in_memory(counts, i, row.count_bytes) == 0) continue;
      const auto integer =
          static_cast<std::int32_t>(element_in_memory(reinterpret_cast<const void*>(integers), i, sizeof(int)));
      const HandleBits freed = freed_behind(handle_in_memory(types, i, sizeof(MPI_Datatype)), integer);
      if (freed == 0) continue;
      if (!arrays_) arrays_ = std::make_unique<Arrays>();
      std::vector<MPI_Datatype>& others = (*arrays_)[which];
      if (others.empty()) {
        const auto* const given = static_cast<const MPI_Datatype*>(types);
        others.assign(given, given + entries);
      }
      others[i] = handle_of<MPI_Datatype>(freed);
    }
    return arrays_ && !(*arrays_)[which].empty() ? reinterpret_cast<Word>((*arrays_)[which].data()) : 0;
  }

  Session& session_;
  std::span<const Word> words_;
  std::array<Word, 16> others_;
  using Arrays = std::array<std::vector<MPI_Datatype>, Uses::most>;
  std::unique_ptr<Arrays> arrays_;
};

/// Nobody can say which memory the library has now.
[[gnu::noinline]] inline void leave_unwatched(Session& session) {
  session.guarded([&](Registry&) { session.pending()->count_unwatched(); });
}

// What is not done for most calls gets copies of the call and of what was seen of it: they themselves can stay in
// registers as long as nobody has their addresses.

[[gnu::always_inline]] inline BegunUse begin_use(Session& session, const UsingCall& call, PlainUse& plain,
                                                 Described described) {
  const UseRow& row = call.arguments.row;
  PendingCalls& pending = *session.pending();
  BegunUse begun;
  UseCounters& uses = *session.stopped_uses();  // another thread may stop it after the call has begun
  begun.known = session.guarded([&](Registry&) __attribute__((always_inline)) { return uses.begin(call, plain); });
  if (described == Described::by_library) [[unlikely]] {
    if (pending.concerns(row)) leave_unwatched(session);
  } else if (pending.concerns(row)) {
    begun.seen = session.guarded([&](Registry&) __attribute__((always_inline)) {
      return pending.before(UsingCall(call), PlainUse(plain));
    });
  }
  begun.is_of_nobody = is_of_no_message(row, call.arguments.words);
  return begun;
}

/// The library has returned.
[[gnu::always_inline]] inline void end_use(Session& session, const UsingCall& call, const BegunUse& begun, int status) {
  const CallOutcome outcome{status == MPI_SUCCESS};
  if (outcome == CallOutcome::succeeded && begun.known == UseCounters::Known::all &&
      call.arguments.row.uses.request < 0) [[likely]]
    return;
  session.guarded([&](Registry&) __attribute__((always_inline)) {
    session.stopped_uses()->end(UsingCall(call), begun.known, outcome);
  });
}

/// Where its buffers lie, once for each count at each call site. What the library describes by types of its own is
/// told where the compiler's descriptor says of what it is a section.
[[gnu::always_inline]] inline void look_at_buffers(Session& session, const UsingCall& call, const PlainUse& plain,
                                                   const ProgramCall& came) {
  BufferSources* const sources = session.sources();
  if (sources == nullptr) return;
  session.guarded([&](Registry&) { sources->look_at(call, plain, came.caller); });
}

/// A call that succeeded is complete, and its status tells how much has come.
[[gnu::always_inline]] inline void count_received(Session& session, const UsingCall& call, const PlainUse& plain) {
  if (call.arguments.row.status < 0) return;
  const Word address = call.arguments.words[call.arguments.row.status];
  if (has_no_status(address)) return;
  const std::int64_t bytes = session.status_bytes().told_by(*reinterpret_cast<const MPI_Status*>(address));
  if (bytes < 0) return;
  session.guarded([&](Registry&) {
    session.stopped_uses()->arrived(UsingCall(call), PlainUse(plain), static_cast<std::uint64_t>(bytes));
  });
}

/// What a one-sided call reaches in a window. Its types may be known only when the library has returned.
[[gnu::noinline]] inline WindowAccesses::Begun begin_access(Session& session, const UsingCall& call) {
  WindowAccesses::Begun begun;
  WindowAccesses* const windows = session.window_accesses();
  if (windows == nullptr || session.messages() == nullptr) return begun;
  session.guarded([&](Registry&) { begun = windows->begin(call); });
  return begun;
}
[[gnu::noinline]] inline void end_access(Session& session, const UsingCall& call, ProgramCall came,
                                         const WindowAccesses::Begun& begun, int status) {
  const UseRow& row = call.arguments.row;
  const CallOutcome outcome{status == MPI_SUCCESS};
  session.guarded([&](Registry&) {
    WindowAccesses& windows = *session.window_accesses();
    const WindowAccesses::Begun recorded = windows.end(call, begun, outcome);
    if (outcome != CallOutcome::succeeded || row.lasts != Lasts::request) return;
    windows.has_request(call, recorded, holder_of(came, call.arguments));
  });
}
/// Whether there is something to do about one that has come back.
inline bool has_end(const UseRow& row, const WindowAccesses::Begun& begun, int status) {
  using enum WindowAccesses::Begun::State;
  if (status != MPI_SUCCESS && begun.is_of_fence) return true;
  return begun.state == left || (begun.state == recorded && (status != MPI_SUCCESS || row.lasts == Lasts::request));
}

/// What it is given that its file's mode forbids.
[[gnu::noinline]] inline void judge_access(Session& session, const UsingCall& call) {
  FileAccesses* const files = session.file_accesses();
  if (files != nullptr) session.guarded([&](Registry&) { files->judge(call); });
}

/// What it has accessed of a file, or how it views it.
[[gnu::noinline]] inline void look_at_file(Session& session, const UsingCall& call, int status) {
  FileAccesses* const files = session.file_accesses();
  if (files == nullptr) return;
  session.guarded([&](Registry&) { files->accessed(call, CallOutcome{status == MPI_SUCCESS}); });
}

/// A call that uses types, on its way through a wrapper.
struct UseUnderWay {
  Session& session;
  const UsingFunction& function;
  ProgramCall came;
  const Word* arguments;
};

/// What is done about any call that the program makes.
template <class... Words>
[[gnu::always_inline]] inline int record_call(const UseUnderWay& use, int (*next)(Words...), TimedCall& timed) {
  Session& session = use.session;
  const ProgramCall& came = use.came;
  const UseRow& row = use.function.row;
  WordsOfProgram of_program;
  const Word* const given = of_program.of(came, row, {use.arguments, sizeof...(Words)});
  const Described described = given == use.arguments ? Described::by_program : Described::by_library;
  WordsOfFreedTypes of_freed(session, {given, sizeof...(Words)});
  const Word* const words = of_freed.of(came, row);
  Stack stack;
  session.capture(stack, came);
  const bool has_translated_types = came.is_fortran && sizeof(MPI_Datatype) != sizeof(int);
  const UsingCall call{{row, words, has_translated_types},
                       came.entry,
                       &stack,
                       came.is_fortran ? fortran_call.with_descriptors : nullptr};
  PlainUse plain;
  const BegunUse begun = begin_use(session, call, plain, described);
  const bool is_described = described == Described::by_program || call.with_descriptors != nullptr;
  if (is_described && begun.known == UseCounters::Known::all) [[likely]]
    look_at_buffers(session, call, plain, came);
  if (row.file >= 0) judge_access(session, UsingCall(call));
  MessagesOfCall messages(session, call, plain);
  CollectiveOfCall collective(session, call);
  WindowAccesses::Begun access;
  if (row.is_one_sided()) access = begin_access(session, UsingCall(call));
  const InFlight in_flight(session, call, collective.shown());
  const Word* const passed = messages.arguments(use.arguments, sizeof...(Words));
  int status;
  {
    const Progress progress({.function = use.function.function, .first_argument = use.arguments[0]});
    const CallInFlight shown(in_flight.file(), in_flight.call(), in_flight.places());
    status = timed.around([&] { return pass_on(next, passed, std::index_sequence_for<Words...>()); });
  }
  if (status != MPI_SUCCESS) [[unlikely]]
    session.call_failed(status, came);
  in_flight.end(status);
  end_use(session, call, begun, status);
  messages.end(came, status);
  collective.end(status);
  if (row.is_one_sided() && has_end(row, access, status)) end_access(session, UsingCall(call), came, access, status);
  if (row.file >= 0) look_at_file(session, UsingCall(call), status);
  if (is_described && begun.known != UseCounters::Known::all && status == MPI_SUCCESS) [[unlikely]]
    look_at_buffers(session, call, plain, came);
  if (status == MPI_SUCCESS) count_received(session, call, plain);
  const bool is_pending =
      row.lasts != Lasts::call || row.uses.request >= 0 || begun.seen == PendingCalls::Seen::too_little;
  if (status == MPI_SUCCESS && is_pending && !begun.is_of_nobody) {
    described == Described::by_program ? leave_pending(session, came, call, plain) : leave_unwatched(session);
  }
  return status;
}

/// There is one for each number of arguments, which the wrappers share: of five hundred copies nobody would be the
/// faster.
template <class... Words>
[[gnu::noinline]] int record_use(Session& session, const UsingFunction& function, ReturnPlace place,
                                 int (*next)(Words...), const Word* arguments) {
  TimedCall timed(session.call_times(), TimedRole::uses);
  const ProgramCall came =
      program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) {
    timed.leave_out();
    return pass_on(next, arguments, std::index_sequence_for<Words...>());
  }
  return record_call(UseUnderWay{session, function, came, arguments}, next, timed);
}

/// The same of one of which it is known whose it is, where nothing is timed.
template <class... Words>
[[gnu::noinline]] int record_otherwise(UseUnderWay use, int (*next)(Words...)) {
  TimedCall not_timed(nullptr, TimedRole::uses);
  return record_call(use, next, not_timed);
}

/// What is done about messages that are not as most.
class MessageEnd {
 public:
  MessageEnd(const UseUnderWay& use, const PlainUse& plain, int status) : use_(use), plain_(plain), status_(status) {}
  /// The library has returned, and it was counted.
  [[gnu::noinline]] void record() {
    Session& session = use_.session;
    Stack stack;
    session.capture(stack, use_.came);
    const UsingCall call{{use_.function.row, use_.arguments}, use_.came.entry, &stack};
    if (status_ == MPI_SUCCESS) {
      leave_any_pending(session, use_.came, call, plain_);
      return;
    }
    session.call_failed(status_, use_.came);
    end_use(session, call, {}, status_);
    Messages* const messages = session.messages();
    if (messages == nullptr || session.is_truncated(status_)) return;
    session.guarded([&](Registry&) { messages->failed_again(call, plain_); });
  }

 private:
  const UseUnderWay use_;
  const PlainUse plain_;
  const int status_;
};

/// Counts a message before the library gets it and gives it its place, where it is plainly right, lies over nothing
/// that is pending and goes where one of lately went.
template <const UseRow& row>
[[gnu::always_inline]] inline bool count_message(Session& session, const UsingCall& call, PlainUse& plain) {
  Messages* const messages = session.messages();
  const auto may_count = [&](const void* counted) __attribute__((always_inline)) {
    const bool is_apart = row.lasts != Lasts::call || session.pending()->is_plainly_apart(call, plain);
    return is_apart && (messages == nullptr || messages->append_again<row>(call, plain, counted));
  };
  return session.attempt([&](Registry & registry) __attribute__((always_inline)) {
    bool is_counted = false;
    registry.beside([&]() __attribute__((always_inline)) {
      is_counted = session.stopped_uses()->count_again(call, plain, may_count);
    });
    return is_counted;
  });
}

/// One for each function that moves one plain buffer to or from another process: most calls are such ones, and what is
/// known of their arguments when this is compiled is not looked up. Here is what is done about those that are plainly
/// right, are like one of lately, and lie over nothing that is pending; in few words that stay in registers. The others
/// are left to record_otherwise() as they came.
template <const UseRow& row, class... Words>
[[gnu::noinline]] int record_message(Session& session, const UsingFunction& function, ReturnPlace place,
                                     int (*next)(Words...), const Word* arguments) {
  static_assert(row.lasts == Lasts::call || row.leaves_plain_buffer);
  static constexpr UseRow known_row = row;
  if (session.call_times() != nullptr) [[unlikely]]
    return record_use(session, function, place, next, arguments);
  const ProgramCall came =
      program_call({function.entry, function.function, function.is_profiling_name, place}, arguments[0]);
  if (!came.entry) [[unlikely]]
    return pass_on(next, arguments, std::index_sequence_for<Words...>());
  const auto use = [&]() __attribute__((always_inline)) { return UseUnderWay{session, function, came, arguments}; };
  PlainUse plain;
  const bool is_section =
      came.is_fortran && fortran_call.amounts && WordsOfProgram::is_replaced(row, 0, arguments, *fortran_call.amounts);
  if (is_section) [[unlikely]]
    return record_otherwise(use(), next);
  if (!session.recall(came.caller, plain.site)) [[unlikely]]
    plain.site = session.take_site(ProgramCall(came));
  plain.type = bits_of_word(arguments[row.uses.first.type], sizeof(MPI_Datatype));
  const UsingCall call{{known_row, arguments}, came.entry, nullptr};
  PendingCalls& pending = *session.pending();
  const bool is_counted = count_message<row>(session, call, plain);
  if (!is_counted) [[unlikely]]
    return record_otherwise(use(), next);
  const MessageInFlight<known_row> in_flight(session.in_flight());
  int status;
  {
    const Progress progress({.function = function.function, .first_argument = arguments[0]});
    in_flight.enter();
    status = pass_on(next, arguments, std::index_sequence_for<Words...>());
    in_flight.leave();
  }
  bool is_done = status == MPI_SUCCESS;
  if (is_done) in_flight.start(arguments);
  if constexpr (row.status >= 0) {
    if (is_done) count_received(session, call, plain);
  }
  if (row.leaves_plain_buffer && is_done) {
    is_done = session.guarded([&](Registry&) __attribute__((always_inline)) {
      return pending.after_plain(call, plain, holder_of(came, call.arguments));
    });
  }
  if (!is_done) [[unlikely]]
    MessageEnd(use(), PlainUse(plain), status).record();
  return status;
}

/// Arguments and result are the program's, untouched.
template <const UseRow& row, class... Words>
[[gnu::always_inline]] inline int call_with_uses(const UsingFunction& function, const ReturnPlace& place,
                                                 int (*next)(Words...), Words... words) {
  Session* const session = Session::active();
  if (session == nullptr || session->uses() == nullptr) return next(words...);
  const Word arguments[] = {words...};
  if constexpr (row.has_one_plain_buffer && row.uses.first.peer >= 0) {
    return record_message<row>(*session, function, place, next, arguments);
  } else {
    return record_use(*session, function, place, next, arguments);
  }
}

}  // namespace ddtscope::plugin
