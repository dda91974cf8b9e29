// What places.c and its module know of each other.
#pragma once

/// Where a module's own addresses begin.
extern const char base_of_program __asm__("__ehdr_start") __attribute__((visibility("hidden")));

char* memory_of_module(void);
char* base_of_module(void);
