// What the constants of names.def are, in the standard ABI and in the library that plays it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
enum played_kind {
  played_combiner,
  played_order,
  played_distribution,
  played_distribution_argument,
  played_rank,
  played_topology,
  played_tag,
  played_thread_level,
  played_seek,
  played_binding,
  played_mode
};

// By the library's own mpi.h (native_constants.c), in the order of names.def and of error_classes.def.
extern const unsigned long played_native_handles[];
extern const int played_native_numbers[];
extern const int played_native_error_classes[];
#ifdef __cplusplus
}
#endif
