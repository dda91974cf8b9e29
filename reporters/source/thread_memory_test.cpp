// Which of a linker's symbols may be a variable's (names as gcc, clang and gfortran make them).
#include "reporters/source/thread_memory.h"

#include <gtest/gtest.h>

namespace ddtscope::reporters::thread_memory_test {
namespace {

TEST(ThreadMemory, SymbolsAreThoseOfTheirVariables) {
  for (const char* symbol : {"x", "x.0", "f.x", "x.lto_priv.0", "__m_MOD_x", "_ZL1x", "_ZZ4mainvE1x", "_ZN1n1xE"}) {
    EXPECT_TRUE(may_be_symbol_of(symbol, "x")) << symbol;
  }
  EXPECT_TRUE(may_be_symbol_of("_ZN1n4workIiEE", "work<int>"));
  for (const char* symbol : {"", "xx", "x_", "my_x", "x2.0", "f.xy", "_ZL2xy", "_ZN1n2axE", "__m_MOD_xy"}) {
    EXPECT_FALSE(may_be_symbol_of(symbol, "x")) << symbol;
  }
  EXPECT_FALSE(may_be_symbol_of("x", ""));
}

}  // namespace
}  // namespace ddtscope::reporters::thread_memory_test
