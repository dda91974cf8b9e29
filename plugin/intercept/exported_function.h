// The head of a wrapper: a function of the plugin's own, which the program finds by the name of the library's.
#pragma once

#include <cstdint>

#include "plugin/intercept/numbered_values.h"

namespace ddtscope::plugin {

/// An argument that is passed on as it is: an integer, an address or a handle; in Fortran an address, or the hidden
/// length of a string.
using Word = std::intptr_t;

}  // namespace ddtscope::plugin

/// What follows is its body.
#define DDTSCOPE_EXPORTED(result, symbol, ...)                                                             \
  extern "C" __attribute__((visibility("default"))) result wrapped_##symbol(__VA_ARGS__) __asm__(#symbol); \
  result wrapped_##symbol(__VA_ARGS__)
#define DDTSCOPE_EXPORTED_WORDS(n, symbol) DDTSCOPE_EXPORTED(int, symbol, DDTSCOPE_WORDS_##n)
