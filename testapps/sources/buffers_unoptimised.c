/* The same, compiled as it is written. */
#include "buffers.c"
