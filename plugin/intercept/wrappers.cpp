// The C names of the MPI functions, one MPI_ and one PMPI_ per row of calls.def. A wrapper has a C++ name of its own
// and the MPI symbol as its assembler name, so that it never conflicts with what this mpi.h declares.
#include "plugin/intercept/exported_function.h"
#include "plugin/intercept/intercept.h"
#include "plugin/library/newer_mpi.h"
#include "plugin/library/next_function.h"

// mpi.h of Open MPI replaces removed names by error messages.
#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct

#define DDTSCOPE_PARAMETERS_0(f)
#define DDTSCOPE_PARAMETERS_1(f) Passed<Argument<f, 0>> a0
#define DDTSCOPE_PARAMETERS_2(f) DDTSCOPE_PARAMETERS_1(f), Passed<Argument<f, 1>> a1
#define DDTSCOPE_PARAMETERS_3(f) DDTSCOPE_PARAMETERS_2(f), Passed<Argument<f, 2>> a2
#define DDTSCOPE_PARAMETERS_4(f) DDTSCOPE_PARAMETERS_3(f), Passed<Argument<f, 3>> a3
#define DDTSCOPE_PARAMETERS_5(f) DDTSCOPE_PARAMETERS_4(f), Passed<Argument<f, 4>> a4
#define DDTSCOPE_PARAMETERS_6(f) DDTSCOPE_PARAMETERS_5(f), Passed<Argument<f, 5>> a5
#define DDTSCOPE_PARAMETERS_7(f) DDTSCOPE_PARAMETERS_6(f), Passed<Argument<f, 6>> a6
#define DDTSCOPE_PARAMETERS_8(f) DDTSCOPE_PARAMETERS_7(f), Passed<Argument<f, 7>> a7
#define DDTSCOPE_PARAMETERS_9(f) DDTSCOPE_PARAMETERS_8(f), Passed<Argument<f, 8>> a8
#define DDTSCOPE_PARAMETERS_10(f) DDTSCOPE_PARAMETERS_9(f), Passed<Argument<f, 9>> a9

#define DDTSCOPE_WRAPPER(n, symbol, binding, function, Signature, ...)                                \
  namespace ddtscope::plugin {                                                                        \
  DDTSCOPE_EXPORTED(int, symbol, DDTSCOPE_PARAMETERS_##n(Signature)) {                                \
    static_assert(FunctionTraits<Signature>::arity == n);                                             \
    static constinit Next<PassedFunction<Signature>> next(#symbol);                                   \
    static constexpr EntryPoint entry{#symbol, binding};                                              \
    return intercept<Signature, __VA_ARGS__>(                                                         \
        next.get(), {entry, function, #symbol[0] == 'P', DDTSCOPE_RETURN_PLACE} DDTSCOPE_VALUES_##n); \
  }                                                                                                   \
  }
#define DDTSCOPE_WRAPPERS(n, name, same_type_as, ...)                                         \
  DDTSCOPE_WRAPPER(n, name, "c", Function::same_type_as, decltype(same_type_as), __VA_ARGS__) \
  DDTSCOPE_WRAPPER(n, P##name, "pmpi", Function::same_type_as, decltype(same_type_as), __VA_ARGS__)

#define DDTSCOPE_CALL(arity, function, ...) DDTSCOPE_WRAPPERS(arity, function, P##function, __VA_ARGS__)
#define DDTSCOPE_CALL_AS(arity, function, same_type_as, ...) \
  DDTSCOPE_WRAPPERS(arity, function, same_type_as, __VA_ARGS__)
#include "plugin/call/calls.def"
