// A library of the program's with memory of its own.
#include "places.h"

static char memory[256];

char* memory_of_module(void) { return memory + 32; }
char* base_of_module(void) { return (char*)&base_of_program; }
