// The only file that defines MPI_* symbols, one per row of calls.def. A wrapper has a C++ name of its own
// and the MPI symbol as its assembler name, so that it never conflicts with what this mpi.h declares.
#include "plugin/intercept.h"

// mpi.h of Open MPI replaces removed names by error messages.
#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct

namespace ddtscope::plugin {
namespace {

/// The next function in line of a name, found at its first call.
template <class Function>
class Next {
 public:
  explicit constexpr Next(const char* name) : name_(name) {}
  Function* get() {
    Function* function = function_.load(std::memory_order_acquire);
    if (!function) [[unlikely]] {
      function = reinterpret_cast<Function*>(find_function(name_));
      if (!function) function = missing;
      function_.store(function, std::memory_order_release);
    }
    return function;
  }

 private:
  /// The program calls what its library does not have; without the plugin it would not have started.
  template <class F>
  struct Missing;
  template <class... Arguments>
  struct Missing<int(Arguments...)> {
    static int call(Arguments...) {
      say_once("the MPI library lacks a function that the program calls", "");
      return MPI_ERR_INTERN;
    }
  };
  static constexpr Function* missing = &Missing<Function>::call;

  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

}  // namespace
}  // namespace ddtscope::plugin

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
#define DDTSCOPE_VALUES_0
#define DDTSCOPE_VALUES_1 , a0
#define DDTSCOPE_VALUES_2 DDTSCOPE_VALUES_1, a1
#define DDTSCOPE_VALUES_3 DDTSCOPE_VALUES_2, a2
#define DDTSCOPE_VALUES_4 DDTSCOPE_VALUES_3, a3
#define DDTSCOPE_VALUES_5 DDTSCOPE_VALUES_4, a4
#define DDTSCOPE_VALUES_6 DDTSCOPE_VALUES_5, a5
#define DDTSCOPE_VALUES_7 DDTSCOPE_VALUES_6, a6
#define DDTSCOPE_VALUES_8 DDTSCOPE_VALUES_7, a7
#define DDTSCOPE_VALUES_9 DDTSCOPE_VALUES_8, a8
#define DDTSCOPE_VALUES_10 DDTSCOPE_VALUES_9, a9

#define DDTSCOPE_WRAPPER(n, symbol, Function, ...)                                                                     \
  namespace ddtscope::plugin {                                                                                         \
  extern "C"                                                                                                           \
      __attribute__((visibility("default"))) int wrapped_##symbol(DDTSCOPE_PARAMETERS_##n(Function)) __asm__(#symbol); \
  int wrapped_##symbol(DDTSCOPE_PARAMETERS_##n(Function)) {                                                            \
    static_assert(FunctionTraits<Function>::arity == n);                                                               \
    static constinit Next<PassedFunction<Function>> next(#symbol);                                                     \
    return intercept<Function, __VA_ARGS__>(next.get(), #symbol DDTSCOPE_VALUES_##n);                                  \
  }                                                                                                                    \
  }

#define DDTSCOPE_CALL(arity, function, ...) DDTSCOPE_WRAPPER(arity, function, decltype(P##function), __VA_ARGS__)
#define DDTSCOPE_CALL_AS(arity, function, same_type_as, ...) \
  DDTSCOPE_WRAPPER(arity, function, decltype(same_type_as), __VA_ARGS__)
#if MPI_VERSION >= 4
#define DDTSCOPE_LARGE_CALL(arity, function, ...) DDTSCOPE_CALL(arity, function, __VA_ARGS__)
#define DDTSCOPE_SESSION_CALL(arity, function, ...) DDTSCOPE_CALL(arity, function, __VA_ARGS__)
#endif
#include "plugin/calls.def"
