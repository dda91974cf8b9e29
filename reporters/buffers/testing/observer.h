/* What the plugin records of a buffer, recorded by the program itself: where it lies, and what leads to it. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lines of a trace go to standard output: the frames, and a `buffer` of so many elements. `name` is the variable that
   it is, behind a + where the type is its own, a - where it is not. */
void observe(const void* buffer, const char* type, long elements, const char* name);

/* Memory whose block is told, too. */
void* malloc_observed(size_t size);

#ifdef __cplusplus
}
#endif

#define NOINLINE __attribute__((noinline))
#define USED(p) __asm__ volatile("" : : "g"(p) : "memory")
