// The Fortran names of the MPI procedures, as the libraries export them for compilers that add nothing, one or two
// underscores or write in upper case, and those of the module mpi_f08. A wrapper passes its words on as they are and
// says what the program called, by the names of all versions of the libraries; the library translates the arguments and
// calls the C function, whose wrapper records them.
#include "plugin/intercept/call_in_progress.h"
#include "plugin/intercept/exported_function.h"
#include "plugin/library/fortran_handles.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

#define DDTSCOPE_USES_ALONE(n, function, ...) constexpr Uses uses_of_##function = __VA_ARGS__;
#define DDTSCOPE_USES(n, function, ...)         \
  DDTSCOPE_USES_ALONE(n, function, __VA_ARGS__) \
  DDTSCOPE_USES_ALONE(n, function##_c, __VA_ARGS__)
#include "plugin/call/uses.def"
constexpr Uses uses_of_MPI_Start, uses_of_MPI_Startall, uses_of_MPI_Pcontrol, uses_of_MPI_Abort;
constexpr Uses uses_of_MPI_Pready, uses_of_MPI_Pready_range, uses_of_MPI_Pready_list;

struct Procedure {
  EntryPoint entry;
  Function function;
  const Uses* uses = nullptr;    // where it uses types
  std::uint8_t count_bytes = 0;  // where it gets descriptors of arrays
};

Word integer_at(Word address, std::uint8_t bytes) {
  return static_cast<Word>(element_in_memory(reinterpret_cast<const void*>(address), 0, bytes));
}

/// Of an INTEGER: MPI_Fint, which the standard ABI's header leaves out.
constexpr std::size_t integer_bytes = sizeof(int);

/// What the C function gets where the program gives this INTEGER; nothing where the library cannot be asked.
std::optional<Word> type_of(Word integer) {
  if constexpr (sizeof(MPI_Datatype) == integer_bytes) {
    return integer;
  } else {
    static TypeFromFortran* const from_fortran = type_from_fortran();
    if (from_fortran == nullptr) return std::nullopt;
    return static_cast<Word>(bits_of(from_fortran(static_cast<int>(integer))));
  }
}

/// Of a section, the library gives the C function a type of its own.
std::optional<ProgramAmounts> amounts_of(const Procedure& procedure, const Word* words) {
  if (procedure.count_bytes == 0) return std::nullopt;
  ProgramAmounts amounts;
  for (std::size_t i = 0; i < Uses::most; ++i) {
    const Use& use = *procedure.uses->all()[i];
    const bool has_types = use.parameter == UseParameter::sendtypes || use.parameter == UseParameter::recvtypes;
    if (use.type < 0 || use.count < 0 || use.buffer < 0 || use.has_displacements() || has_types) continue;
    const std::uint8_t count_bytes = procedure.uses->partitions >= 0 ? 8 : procedure.count_bytes;
    amounts.counts[i] = integer_at(words[use.count], count_bytes);
    const std::optional<Word> type = type_of(integer_at(words[use.type], integer_bytes));
    if (!type) return std::nullopt;
    amounts.types[i] = *type;
  }
  return amounts;
}

/// What is no INTEGER for the C function is one for the program, which may have kept it longer than the type. How long
/// an array of them is, is known where it is looked at.
void add_types(const Procedure& procedure, const Word* words, FortranCall& call) {
  if (procedure.uses == nullptr || sizeof(MPI_Datatype) == integer_bytes) return;
  for (std::size_t i = 0; i < Uses::most; ++i) {
    const Use& use = *procedure.uses->all()[i];
    const bool has_types = use.parameter == UseParameter::sendtypes || use.parameter == UseParameter::recvtypes;
    if (use.type < 0 || words[use.type] == 0) continue;
    if (has_types) {
      call.type_arrays[i] = words[use.type];
    } else {
      call.types[i] = static_cast<std::int32_t>(integer_at(words[use.type], integer_bytes));
    }
  }
}

/// One for each number of arguments, which all wrappers share.
template <class... Words>
[[gnu::noinline]] void call_procedure(const Procedure& procedure, const ReturnPlace& caller, void (*next)(Words...),
                                      Words... words) {
  const CallInProgress& now = call_in_progress;
  const bool is_counted = now.function == procedure.function && now.is_awaited;  // a tool in between
  if (!Session::active() || is_counted || caller_of(caller.address) == Caller::library) {
    next(words...);
    return;
  }
  const FortranCall before = fortran_call;
  const Word arguments[] = {words...};
  fortran_call = {.entry = &procedure.entry,
                  .caller = caller,
                  .amounts = amounts_of(procedure, arguments),
                  .with_descriptors = procedure.count_bytes != 0 ? arguments : nullptr};
  add_types(procedure, arguments, fortran_call);
  {
    const Progress progress({.function = procedure.function, .is_awaited = true});
    next(words...);
  }
  fortran_call = before;
}

}  // namespace
}  // namespace ddtscope::plugin

// What follows is the rest of its Procedure.
#define DDTSCOPE_PROCEDURE_AS(n, symbol, binding, function, ...)                                                \
  namespace ddtscope::plugin {                                                                                  \
  DDTSCOPE_EXPORTED(void, symbol, DDTSCOPE_WORDS_##n) {                                                         \
    static constinit Next<void(DDTSCOPE_WORDS_##n)> next(#symbol);                                              \
    static constexpr Procedure procedure{{#symbol, binding}, Function::P##function __VA_OPT__(, ) __VA_ARGS__}; \
    call_procedure(procedure, DDTSCOPE_RETURN_PLACE, next.get() DDTSCOPE_VALUES_##n);                           \
  }                                                                                                             \
  }
#define DDTSCOPE_PROCEDURE(n, symbol, binding, function) DDTSCOPE_PROCEDURE_AS(n, symbol, binding, function)
// Of one that uses types.
#define DDTSCOPE_OF_USES(n, symbol, binding, function) \
  DDTSCOPE_PROCEDURE_AS(n, symbol, binding, function, &uses_of_##function)
// Of one that gets descriptors of arrays, and counts of so many bytes.
#define DDTSCOPE_OF_SECTIONS(n, symbol, binding, function, count_bytes) \
  DDTSCOPE_PROCEDURE_AS(n, symbol, binding, function, &uses_of_##function, count_bytes)

#define DDTSCOPE_MPIF_NAMES(PROCEDURE, n, function, lower, UPPER) \
  PROCEDURE(n, mpi_##lower, "mpif.h", MPI_##function)             \
  PROCEDURE(n, mpi_##lower##_, "mpif.h", MPI_##function)          \
  PROCEDURE(n, mpi_##lower##__, "mpif.h", MPI_##function)         \
  PROCEDURE(n, MPI_##UPPER, "mpif.h", MPI_##function)             \
  PROCEDURE(n, pmpi_##lower, "pmpi", MPI_##function)              \
  PROCEDURE(n, pmpi_##lower##_, "pmpi", MPI_##function)           \
  PROCEDURE(n, pmpi_##lower##__, "pmpi", MPI_##function)          \
  PROCEDURE(n, PMPI_##UPPER, "pmpi", MPI_##function)
#define DDTSCOPE_MPIF_CALL(n, function, lower, UPPER) DDTSCOPE_MPIF_NAMES(DDTSCOPE_PROCEDURE, n, function, lower, UPPER)
// The profiling names are pmpi_ in Open MPI and pmpir_ in MPICH.
#define DDTSCOPE_F08_NAMES(PROCEDURE, n, function, lower)     \
  PROCEDURE(n, mpi_##lower##_f08_, "mpi_f08", MPI_##function) \
  PROCEDURE(n, pmpi_##lower##_f08_, "pmpi", MPI_##function)   \
  PROCEDURE(n, pmpir_##lower##_f08_, "pmpi", MPI_##function)
#define DDTSCOPE_F08_CALL(n, function, lower) DDTSCOPE_F08_NAMES(DDTSCOPE_PROCEDURE, n, function, lower)
// _f08_large_ is MPICH 4.0's. Later ones, and Open MPI 6, have _c_f08_; its decoding calls have _f08_c_.
#define DDTSCOPE_F08_LARGE_CALL(n, function, lower)                          \
  DDTSCOPE_PROCEDURE(n, mpi_##lower##_f08_large_, "mpi_f08", MPI_##function) \
  DDTSCOPE_PROCEDURE(n, pmpir_##lower##_f08_large_, "pmpi", MPI_##function)  \
  DDTSCOPE_PROCEDURE(n, mpi_##lower##_c_f08_, "mpi_f08", MPI_##function)     \
  DDTSCOPE_PROCEDURE(n, pmpi_##lower##_c_f08_, "pmpi", MPI_##function)       \
  DDTSCOPE_PROCEDURE(n, pmpir_##lower##_c_f08_, "pmpi", MPI_##function)      \
  DDTSCOPE_PROCEDURE(n, mpi_##lower##_f08_c_, "mpi_f08", MPI_##function)     \
  DDTSCOPE_PROCEDURE(n, pmpi_##lower##_f08_c_, "pmpi", MPI_##function)
#include "plugin/intercept/fortran_calls.def"
#define DDTSCOPE_FORTRAN_COMMUNICATOR(n, function, lower, UPPER) \
  DDTSCOPE_MPIF_CALL(n, function, lower, UPPER)                  \
  DDTSCOPE_F08_CALL(n, function, lower)
#include "plugin/intercept/fortran_communicators.def"
#define DDTSCOPE_FORTRAN_COLLECTIVE(n, function, lower, UPPER) \
  DDTSCOPE_MPIF_CALL(n, function, lower, UPPER)                \
  DDTSCOPE_F08_CALL(n, function, lower)
#include "plugin/intercept/fortran_collectives.def"
#define DDTSCOPE_FORTRAN_WINDOW_CPTR(n, function, lower, UPPER) DDTSCOPE_MPIF_CALL(n, function, lower, UPPER)
#define DDTSCOPE_FORTRAN_WINDOW_ALONE(n, function, lower, UPPER)         \
  DDTSCOPE_MPIF_CALL(n, function, lower, UPPER)                          \
  DDTSCOPE_F08_CALL(n, function, lower)                                  \
  DDTSCOPE_PROCEDURE(n, mpi_##lower##_f08ts_, "mpi_f08", MPI_##function) \
  DDTSCOPE_PROCEDURE(n, pmpi_##lower##_f08ts_, "pmpi", MPI_##function)   \
  DDTSCOPE_PROCEDURE(n, pmpir_##lower##_f08ts_, "pmpi", MPI_##function)
#define DDTSCOPE_FORTRAN_WINDOW(n, function, lower, UPPER)                         \
  DDTSCOPE_FORTRAN_WINDOW_ALONE(n, function, lower, UPPER)                         \
  DDTSCOPE_F08_LARGE_CALL(n, function##_c, lower)                                  \
  DDTSCOPE_PROCEDURE(n, mpi_##lower##_f08ts_large_, "mpi_f08", MPI_##function##_c) \
  DDTSCOPE_PROCEDURE(n, pmpir_##lower##_f08ts_large_, "pmpi", MPI_##function##_c)  \
  DDTSCOPE_PROCEDURE(n, mpi_##lower##_c_f08ts_, "mpi_f08", MPI_##function##_c)     \
  DDTSCOPE_PROCEDURE(n, pmpi_##lower##_c_f08ts_, "pmpi", MPI_##function##_c)       \
  DDTSCOPE_PROCEDURE(n, pmpir_##lower##_c_f08ts_, "pmpi", MPI_##function##_c)
#include "plugin/intercept/fortran_windows.def"
// Opens files. Its name has a hidden length at the end.
DDTSCOPE_MPIF_CALL(7, File_open, file_open, FILE_OPEN)
DDTSCOPE_F08_CALL(7, File_open, file_open)

#define DDTSCOPE_FORTRAN_SYNCHRONISATION(n, function, lower, UPPER) \
  DDTSCOPE_MPIF_CALL(n, function, lower, UPPER)                     \
  DDTSCOPE_F08_CALL(n, function, lower)
#include "plugin/intercept/fortran_synchronisations.def"

// Procedures with a buffer: where the compiler describes arrays (MPI-4.1 19.1.6), f08ts stands in place of f08.
#define DDTSCOPE_FORTRAN_USES_ALONE(n, function, lower, UPPER)                \
  DDTSCOPE_MPIF_NAMES(DDTSCOPE_OF_USES, n, function, lower, UPPER)            \
  DDTSCOPE_F08_NAMES(DDTSCOPE_OF_USES, n, function, lower)                    \
  DDTSCOPE_OF_SECTIONS(n, mpi_##lower##_f08ts_, "mpi_f08", MPI_##function, 4) \
  DDTSCOPE_OF_SECTIONS(n, pmpi_##lower##_f08ts_, "pmpi", MPI_##function, 4)   \
  DDTSCOPE_OF_SECTIONS(n, pmpir_##lower##_f08ts_, "pmpi", MPI_##function, 4)
#define DDTSCOPE_FORTRAN_USES(n, function, lower, UPPER)                                \
  DDTSCOPE_FORTRAN_USES_ALONE(n, function, lower, UPPER)                                \
  DDTSCOPE_F08_LARGE_CALL(n, function##_c, lower)                                       \
  DDTSCOPE_OF_SECTIONS(n, mpi_##lower##_f08ts_large_, "mpi_f08", MPI_##function##_c, 8) \
  DDTSCOPE_OF_SECTIONS(n, pmpir_##lower##_f08ts_large_, "pmpi", MPI_##function##_c, 8)  \
  DDTSCOPE_OF_SECTIONS(n, mpi_##lower##_c_f08ts_, "mpi_f08", MPI_##function##_c, 8)     \
  DDTSCOPE_OF_SECTIONS(n, pmpi_##lower##_c_f08ts_, "pmpi", MPI_##function##_c, 8)       \
  DDTSCOPE_OF_SECTIONS(n, pmpir_##lower##_c_f08ts_, "pmpi", MPI_##function##_c, 8)
#include "plugin/intercept/fortran_uses.def"

#undef DDTSCOPE_MPIF_NAMES
#undef DDTSCOPE_F08_NAMES
#undef DDTSCOPE_MPIF_CALL
#undef DDTSCOPE_F08_CALL
#undef DDTSCOPE_F08_LARGE_CALL
