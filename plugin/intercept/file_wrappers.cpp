// The C names of the function that opens files. What accesses them is among the uses, what closes them among the
// completions.
#include <mpi.h>

#include <cstring>
#include <string_view>

#include "plugin/intercept/call_together.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/signature.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

/// Positions of MPI_File_open's arguments (MPI-4.1 14.2.1).
enum : std::uint8_t { at_communicator, at_name, at_mode, at_info, at_made };
using Signature = decltype(PMPI_File_open);
static_assert(is_at<Signature, MPI_Comm>(at_communicator) && is_at<Signature, const char*>(at_name) &&
              is_at<Signature, int>(at_mode) && is_at<Signature, MPI_File*>(at_made) &&
              FunctionTraits<Signature>::arity == 5);
constexpr UseRow collective = collective_row({.communicator = at_communicator});

std::string_view name_at(Word address) {
  constexpr std::size_t most = 4096;  // PATH_MAX
  const auto* const name = reinterpret_cast<const char*>(address);
  return name != nullptr ? std::string_view(name, strnlen(name, most)) : std::string_view();
}

/// One call that succeeds.
class OpeningCall {
 public:
  OpeningCall(Session& session, const Word* arguments) : session_(session), arguments_(arguments) {}
  void fail() const {}
  void end(const ProgramCall& came, const Stack& stack) const {
    FileAccesses* const files = session_.file_accesses();
    if (files == nullptr || arguments_[at_made] == 0) return;
    const auto* const made = reinterpret_cast<const void*>(arguments_[at_made]);
    session_.guarded([&](Registry&) {
      files->opened({.file = handle_in_memory(made, 0, sizeof(MPI_File)),
                     .communicator = bits_of_word(arguments_[at_communicator], sizeof(MPI_Comm)),
                     .name = name_at(arguments_[at_name]),
                     .mode = static_cast<int>(arguments_[at_mode]),
                     .called = came.entry,
                     .stack = &stack});
    });
  }

 private:
  Session& session_;
  const Word* arguments_;
};

int call_opening(const Arrival& arrival, int (*next)(Word, Word, Word, Word, Word), Word communicator, Word name,
                 Word mode, Word info, Word made) {
  Session* const session = Session::active();
  if (session == nullptr || session->file_accesses() == nullptr) return next(communicator, name, mode, info, made);
  const auto begin = [&](const Word* arguments) { return OpeningCall(*session, arguments); };
  return call_together(*session, arrival, collective, begin, next, communicator, name, mode, info, made);
}

}  // namespace

#define DDTSCOPE_OPENING(symbol, binding)                                                            \
  DDTSCOPE_EXPORTED_WORDS(5, symbol) {                                                               \
    static constinit Next<int(DDTSCOPE_WORDS_5)> next(#symbol);                                      \
    static constexpr EntryPoint entry{#symbol, binding};                                             \
    return call_opening({entry, Function::PMPI_File_open, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE}, \
                        next.get() DDTSCOPE_VALUES_5);                                               \
  }
DDTSCOPE_OPENING(MPI_File_open, "c")
DDTSCOPE_OPENING(PMPI_File_open, "pmpi")

}  // namespace ddtscope::plugin
