// The C names of the functions that make communicators, one MPI_ and one PMPI_ for each row of communicators.def, and
// of those that free them.
#include <mpi.h>

#include <string_view>

#include "plugin/intercept/call_together.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/newer_mpi_communicators.h"
#include "plugin/library/next_function.h"
#include "plugin/messages/communicator_row.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

// A row held against the type of its function: positions that do not fit do not compile.
template <class Signature>
constexpr bool fits(const MakesCommunicator& row) {
  return is_at<Signature, MPI_Comm>(row.parent) && row.made >= 0 && is_at<Signature, MPI_Comm*>(row.made) &&
         is_at<Signature, int>(row.tag) && is_at<Signature, const char*>(row.string_tag) &&
         is_at<Signature, MPI_Request*>(row.request);
}

struct MakingCommunicator {
  EntryPoint entry;
  Function function;
  bool is_profiling_name;
  MakesCommunicator row;
  const UseRow& collective;  // of the parent's processes
};

HandleBits communicator_at(Word address) {
  return handle_in_memory(reinterpret_cast<const void*>(address), 0, sizeof(MPI_Comm));
}

/// One call, from before the library gets it until it has come back.
class MakingCommunicatorCall {
 public:
  MakingCommunicatorCall(Session& session, NamedCommunicators& names, const MakesCommunicator& row,
                         const Word* arguments)
      : session_(session), names_(names), row_(row), arguments_(arguments) {
    session_.guarded([&](Registry&) { begin(); });
  }
  void fail() {
    if (row_.parent < 0 || row_.together != MadeTogether::by_parent) return;
    session_.guarded([&](Registry&) { names_.call_failed(parent_); });
  }
  /// It succeeded.
  void end(const ProgramCall& came, const Stack& stack) {
    if (arguments_[row_.made] == 0) return;
    const HandleBits made = communicator_at(arguments_[row_.made]);
    if (made == bits_of(null_communicator())) return;
    session_.guarded([&](Registry&) {
      add({made, came.entry, &stack});
      UseCounters& uses = *session_.stopped_uses();
      if (row_.request < 0) {
        uses.communicator_is_made(made);  // so that the first call on it is judged, too
      } else {
        uses.communicator_freed(made);
      }
    });
  }

 private:
  void begin() {
    // What a call without a request puts there is new when it comes back.
    if (row_.request >= 0 && arguments_[row_.made] != 0) before_ = communicator_at(arguments_[row_.made]);
    if (row_.parent < 0) return;
    parent_ = bits_of_word(arguments_[row_.parent], sizeof(MPI_Comm));
    if (row_.together == MadeTogether::by_parent) {
      call_ = names_.begin_call(parent_);
    } else {
      call_.parent = names_.name_of_parent(parent_);
    }
  }

  void add(const NamedCommunicators::Made& made) {
    const bool is_incomplete = row_.request >= 0;
    // Where a library gives the handle only when the request is complete, it is not known which one it is.
    if (is_incomplete && made.communicator == before_) return;
    if (row_.together == MadeTogether::by_parent) {
      names_.made_by_parent(made, call_, is_incomplete ? parent_ : made.communicator);
    } else if (row_.parent >= 0 && !call_.parent) {
      names_.made_without_name(made);
    } else {
      names_.made_by_members(made, {call_.parent, tag(), string_tag()});
    }
  }

  std::int64_t tag() const { return row_.tag >= 0 ? static_cast<int>(arguments_[row_.tag]) : 0; }
  std::string_view string_tag() const {
    const bool has_tag = row_.string_tag >= 0 && arguments_[row_.string_tag] != 0;
    return has_tag ? reinterpret_cast<const char*>(arguments_[row_.string_tag]) : std::string_view();
  }

  Session& session_;
  NamedCommunicators& names_;
  const MakesCommunicator& row_;
  const Word* arguments_;
  HandleBits parent_ = 0;
  HandleBits before_ = 0;
  CommunicatorNames::Call call_;
};

/// Arguments and result are the program's, untouched.
template <class... Words>
int call_making_communicator(const MakingCommunicator& function, const ReturnPlace& place, int (*next)(Words...),
                             Words... words) {
  Session* const session = Session::active();
  NamedCommunicators* const names = session != nullptr ? session->named_communicators() : nullptr;
  if (names == nullptr) return next(words...);
  const auto begin = [&](const Word* arguments) {
    return MakingCommunicatorCall(*session, *names, function.row, arguments);
  };
  return call_together(*session, {function.entry, function.function, function.is_profiling_name, place},
                       function.collective, begin, next, words...);
}

/// What is freed, by whomever, is forgotten before the library can give its handle to another thread. What it was.
HandleBits forget(Word address) {
  Session* const session = Session::active();
  if (session == nullptr || address == 0) return 0;
  const HandleBits communicator = communicator_at(address);
  session->guarded([&](Registry&) {
    if (session->stopped_uses() != nullptr) session->stopped_uses()->communicator_freed(communicator);
    NamedCommunicators* const names = session->named_communicators();
    if (names != nullptr) names->freed(communicator);
    if (Messages* const messages = session->messages()) messages->communicator_freed(communicator);
    if (Collectives* const collectives = session->collectives()) collectives->communicator_freed(communicator);
  });
  return communicator;
}

/// Callbacks of attributes, which are called when it is freed (MPI-4.1 7.7.2), may have used it: then it was described.
void forget_description(HandleBits communicator) {
  Session* const session = Session::active();
  if (session == nullptr || session->stopped_uses() == nullptr || communicator == 0) return;
  session->guarded([&](Registry&) { session->stopped_uses()->communicator_freed(communicator); });
}

/// The program has told the library something of a communicator.
void hear_of_info(HandleBits communicator) {
  Session* const session = Session::active();
  Messages* const messages = session != nullptr ? session->messages() : nullptr;
  if (messages == nullptr) return;
  session->guarded([&](Registry&) { messages->communicator_info_set(communicator); });
}

}  // namespace

#define DDTSCOPE_MAKING_COMMUNICATOR(n, symbol, binding, called, ...)                                           \
  DDTSCOPE_EXPORTED_WORDS(n, symbol) {                                                                          \
    static constinit Next<int(DDTSCOPE_WORDS_##n)> next(#symbol);                                               \
    static constexpr MakesCommunicator row = __VA_ARGS__;                                                       \
    static constexpr UseRow collective = collective_row(                                                        \
        {.communicator = static_cast<std::int8_t>(row.together == MadeTogether::by_parent ? row.parent : -1)}); \
    static constexpr MakingCommunicator function{                                                               \
        {#symbol, binding}, Function::P##called, #symbol[0] == 'P', row, collective};                           \
    static_assert(fits<decltype(P##called)>(row) && FunctionTraits<decltype(P##called)>::arity == n);           \
    return call_making_communicator(function, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n);           \
  }
#define DDTSCOPE_COMMUNICATOR(n, function, ...)                         \
  DDTSCOPE_MAKING_COMMUNICATOR(n, function, "c", function, __VA_ARGS__) \
  DDTSCOPE_MAKING_COMMUNICATOR(n, P##function, "pmpi", function, __VA_ARGS__)
#include "plugin/call/communicators.def"

#define DDTSCOPE_FREEING_COMMUNICATOR(symbol)       \
  DDTSCOPE_EXPORTED_WORDS(1, symbol) {              \
    static constinit Next<int(Word)> next(#symbol); \
    const HandleBits freed = forget(a0);            \
    const int status = next.get()(a0);              \
    forget_description(freed);                      \
    return status;                                  \
  }
DDTSCOPE_FREEING_COMMUNICATOR(MPI_Comm_free)
DDTSCOPE_FREEING_COMMUNICATOR(PMPI_Comm_free)
DDTSCOPE_FREEING_COMMUNICATOR(MPI_Comm_disconnect)
DDTSCOPE_FREEING_COMMUNICATOR(PMPI_Comm_disconnect)

#define DDTSCOPE_SETTING_INFO(symbol)                                            \
  DDTSCOPE_EXPORTED_WORDS(2, symbol) {                                           \
    static constinit Next<int(Word, Word)> next(#symbol);                        \
    const int status = next.get()(a0, a1);                                       \
    if (status == MPI_SUCCESS) hear_of_info(bits_of_word(a0, sizeof(MPI_Comm))); \
    return status;                                                               \
  }
DDTSCOPE_SETTING_INFO(MPI_Comm_set_info)
DDTSCOPE_SETTING_INFO(PMPI_Comm_set_info)

}  // namespace ddtscope::plugin
