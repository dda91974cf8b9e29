/*
 * ddtscope_plugin.h: what a program, or another tool in its process, may ask of ddtscope's plugin while the job runs.
 * Nothing is linked: the plugin is preloaded or it is not there, and then dlsym gives NULL.
 *
 *     #include <ddtscope_plugin.h>
 *     #include <dlfcn.h>
 *
 *     ddtscope_on_free_function on_free = (ddtscope_on_free_function)dlsym(RTLD_DEFAULT, "ddtscope_on_free");
 *     if (on_free != NULL) on_free(forget_what_i_know, &my_cache);
 */
#ifndef DDTSCOPE_PLUGIN_H
#define DDTSCOPE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A datatype that MPI_Type_free has just freed (MPI-4.1 5.1.9). */
typedef struct ddtscope_freed_type {
  /* The bits of the handle that the program had passed: MPICH's int, Open MPI's pointer. The library may give them
   * to a new type at any moment. */
  uint64_t handle;
  /* The definition's key, as in the trace (`key`) and in ddtscope.h (ddtscope_type_get_key); 0 where the plugin does
   * not know the type. */
  uint64_t key;
  /* 1 where the handle goes on standing for the type: MPICH's MPI_Type_get_contents gives the same handle once more,
   * which has to be freed once more, too; else 0. */
  int lives_on;
} ddtscope_freed_type;

/* Called in the thread that called MPI_Type_free, after the library's call has succeeded and before MPI_Type_free
 * returns to the program. It may call MPI, with the exception of what the program's thread level forbids. `freed` is
 * valid during the call only; `data` is what was registered. */
typedef void (*ddtscope_free_callback)(const ddtscope_freed_type* freed, void* data);

/* Registers a callback: it is called for every type freed between MPI_Init and MPI_Finalize, those included that are
 * freed in the delete callbacks of MPI_COMM_SELF's attributes; for types only, not for F90 types, which are never
 * freed. Callbacks are called in the order of their registration and stay for as long as the process runs: the code
 * must not be unloaded. May be called at any time, by any thread, also before MPI_Init. Returns 0; -1 where the
 * callback is NULL, or 16 of them are registered already. */
int ddtscope_on_free(ddtscope_free_callback callback, void* data);
typedef int (*ddtscope_on_free_function)(ddtscope_free_callback callback, void* data);

#ifdef __cplusplus
}
#endif

#endif
