// The function that a wrapper passes its call on to.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "plugin/base/log.h"
#include "plugin/library/library.h"

namespace ddtscope::plugin {

/// The next function in line of a name, found at its first call.
template <class Signature>
class Next {
 public:
  explicit constexpr Next(const char* name) : name_(name) {}
  Signature* get() {
    Signature* function = function_.load(std::memory_order_acquire);
    if (!function) [[unlikely]] {
      function = reinterpret_cast<Signature*>(find_function(name_));
      if (!function) function = missing;
      function_.store(function, std::memory_order_release);
    }
    return function;
  }

 private:
  /// The program calls what its library does not have; without the plugin it would not have started.
  template <class S>
  struct Missing;
  template <class Result, class... Arguments>
  struct Missing<Result(Arguments...)> {
    static Result call(Arguments...) {
      say_once("the MPI library lacks a function that the program calls", "");
      if constexpr (!std::is_void_v<Result>) return MPI_ERR_INTERN;
    }
  };
  template <class Result, class... Arguments>
  struct Missing<Result(Arguments..., ...)> {
    // NOLINTNEXTLINE(cert-dcl50-cpp): so is MPI_Pcontrol
    static Result call(Arguments..., ...) { return Missing<Result(Arguments...)>::call(Arguments()...); }
  };
  static constexpr Signature* missing = &Missing<Signature>::call;

  const char* name_;
  std::atomic<Signature*> function_{nullptr};
};

/// Passes on as many words as the function takes.
template <class Result, class... Words, std::size_t... i>
[[gnu::always_inline]] inline Result pass_on(Result (*next)(Words...), const std::intptr_t* words,
                                             std::index_sequence<i...>) {
  return next(words[i]...);
}

}  // namespace ddtscope::plugin
