/*
 * ddtscope_debug.h: the C API of libddtscope-debug, for scripts of debuggers. It tells what the datatypes of a process
 * are that was started under ddtscope, from the memory of the process or of its core: no function of the process is
 * ever called. The caller reads the memory; all meaning is given here, in the same words as the command `ddtscope` has.
 *
 * The library stands beside libddtscope, because it needs what the command needs (libdw for places in the source), and
 * who uses libddtscope to describe datatypes should not have to.
 *
 * What holds for all functions:
 * - Results: DDTSCOPE_SUCCESS, or an error class of ddtscope.h; ddtscope_debug_message() then says in one sentence what
 *   was wrong. What is written through pointers is written on success only. No call prints, aborts or throws.
 * - Text that is returned lives until the next call on the same session, or its end. It is UTF-8 without control
 *   characters but line feeds, and ends with '\0'.
 * - A session describes one instant: open a new one when the process has run.
 * - A session belongs to one thread at a time.
 */
#ifndef DDTSCOPE_DEBUG_H
#define DDTSCOPE_DEBUG_H

#include "ddtscope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies `bytes` bytes from `address` of the process to `to`. 0 where all were there, else anything else. */
typedef int (*ddtscope_debug_read)(void* user, uint64_t address, void* to, size_t bytes);

/* One reading of a process's memory. Opaque. */
typedef struct ddtscope_debug ddtscope_debug;

/* [begin, end) */
typedef struct ddtscope_debug_range {
  uint64_t begin, end;
} ddtscope_debug_range;

/* Searches the ranges for the plugin's variable `ddtscope_debug_view`, for a debugger that does not find the symbol.
 * DDTSCOPE_ERR_OTHER where it is not there. */
DDTSCOPE_API int ddtscope_debug_find(ddtscope_debug_read read, void* user, const ddtscope_debug_range ranges[],
                                     size_t number, uint64_t* address);

/* Reads what the variable `ddtscope_debug_view` at `address` leads to. `name` is what messages call the process.
 * DDTSCOPE_ERR_OTHER where it cannot be read: no view, one of a newer version, damaged, or MPI had not started. Places
 * that are damaged are left out: ddtscope_debug_notes(). `read` and `user` are kept until the session is closed. */
DDTSCOPE_API int ddtscope_debug_open(ddtscope_debug_read read, void* user, uint64_t address, const char* name,
                                     ddtscope_debug** session);
/* Reads what the variable at `address` of a core leads to, as ddtscope_debug_open() of a process. What stands in mapped
 * files, the counters, may be of later, and is left out where it does not fit the rest. */
DDTSCOPE_API int ddtscope_debug_open_core(ddtscope_debug_read read, void* user, uint64_t address, const char* name,
                                          ddtscope_debug** session);
/* Sets *session to NULL. */
DDTSCOPE_API void ddtscope_debug_close(ddtscope_debug** session);

/* What was wrong with the last call on the session, or, for NULL, with this thread's last call of
 * ddtscope_debug_find() or ddtscope_debug_open(). Never NULL. */
DDTSCOPE_API const char* ddtscope_debug_message(const ddtscope_debug* debug);

typedef struct ddtscope_debug_facts {
  int handle_bytes; /* sizeof(MPI_Datatype) */
  int is_ended;     /* MPI was finalized */
  int64_t rank;     /* in MPI_COMM_WORLD; -1 in a process that uses MPI sessions only */
  int64_t pid;
  uint64_t damaged; /* places that were left out */
  int64_t size;     /* of MPI_COMM_WORLD; -1 as above */
} ddtscope_debug_facts;
DDTSCOPE_API int ddtscope_debug_get_facts(ddtscope_debug* debug, ddtscope_debug_facts* facts);
/* What is odd about the memory, a line each; mostly empty. */
DDTSCOPE_API int ddtscope_debug_notes(ddtscope_debug* debug, const char** text);

enum {
  DDTSCOPE_DEBUG_UNKNOWN = 0,  /* no datatype that ddtscope knows: garbage, uninitialised, MPI_DATATYPE_NULL */
  DDTSCOPE_DEBUG_LIVE = 1,     /* the handle stands for the type */
  DDTSCOPE_DEBUG_DYING = 2,    /* inside MPI_Type_free */
  DDTSCOPE_DEBUG_FREED = 3,    /* stood for the type last */
  DDTSCOPE_DEBUG_CHANGING = 4, /* a thread was just making or freeing it */
  DDTSCOPE_DEBUG_NAMED = 5,    /* no handle was given */
  DDTSCOPE_DEBUG_DROPPED = 6   /* a datatype, but there was no room to keep what it is */
};

enum {
  DDTSCOPE_DEBUG_NOT_COMMITTED = 0,
  DDTSCOPE_DEBUG_COMMITTED = 1,
  /* It may be used, and no commit of it was seen: a duplicate of such a type (MPI-4.1 5.1.10), or given by the library,
   * which does not tell (5.1.13). */
  DDTSCOPE_DEBUG_NEEDS_NO_COMMIT = 2
};

typedef struct ddtscope_debug_type {
  int state;          /* one of the above */
  int is_committed;   /* one of these, COMMITTED for predefined ones; NOT_COMMITTED where no handle was given */
  int is_predefined;  /* named, or an F90 type */
  uint32_t number;    /* what the functions below take; DDTSCOPE_DEBUG_NO_TYPE where nothing is known of it */
  uint32_t undefined; /* bit i: the library calls the i-th of the next five MPI_UNDEFINED */
  int64_t size, lb, extent, true_lb, true_extent;
  uint64_t handle; /* that was asked for */
} ddtscope_debug_type;
#define DDTSCOPE_DEBUG_NO_TYPE UINT32_MAX

/* The type behind a handle: bits of the MPI_Datatype, zero-extended. Any bits may be asked for. */
DDTSCOPE_API int ddtscope_debug_find_handle(ddtscope_debug* debug, uint64_t handle, ddtscope_debug_type* type);
/* Whether the memory still says of the handle what the session read of it: for conditions of breakpoints, which are
 * asked between two stops. 0 for a handle that was not known. */
DDTSCOPE_API int ddtscope_debug_is_current(ddtscope_debug* debug, uint64_t handle, int* is_current);
/* As ddtscope_debug_find_handle(), for the INTEGER that stands for a handle in Fortran. */
DDTSCOPE_API int ddtscope_debug_find_fortran(ddtscope_debug* debug, int64_t integer, ddtscope_debug_type* type);
/* Where the call that freed the handle's last type returns to in the program; 0 where the handle was not freed, and
 * where it was so long ago that it is not known any more. */
DDTSCOPE_API int ddtscope_debug_freed_at(ddtscope_debug* debug, uint64_t handle, uint64_t* address);
/* By id ("T9"), key, the name that the program gave, or a predefined type's name. DDTSCOPE_ERR_TYPE where there is no
 * such type, or more than one. */
DDTSCOPE_API int ddtscope_debug_find_text(ddtscope_debug* debug, const char* text, ddtscope_debug_type* type);

/* One line of at most 200 columns for any state. */
DDTSCOPE_API int ddtscope_debug_line(ddtscope_debug* debug, const ddtscope_debug_type* type, const char** text);
/* "T9", "MPI_INT"; and the name that the program gave first, "" where it gave none. */
DDTSCOPE_API int ddtscope_debug_names(ddtscope_debug* debug, uint32_t type, const char** id, const char** name);

enum { DDTSCOPE_DEBUG_ALL = 0, DDTSCOPE_DEBUG_LIVE_ONLY = 1, DDTSCOPE_DEBUG_FREED_ONLY = 2 };
/* What a debugger holds in memory while it is printed is bounded: the functions below that take a limit refuse a larger
 * one with DDTSCOPE_ERR_ARG. A debugger ends, and its process with it, where there is not enough memory. */
#define DDTSCOPE_DEBUG_HIGHEST_LIMIT 1000000

/* All derived types, a line each; `name` and `site` are POSIX extended regular expressions that one of the type's
 * names, or of the places where it was made, must match; NULL: any. */
DDTSCOPE_API int ddtscope_debug_list(ddtscope_debug* debug, int which, const char* name, const char* site, size_t limit,
                                     const char** text);
/* What `ddtscope show` prints; `view` is "rows", "grid", "runs" or "tree", or NULL for the one that suits the type;
 * with the first `entries` entries of the typemap, where that is not 0. */
DDTSCOPE_API int ddtscope_debug_show(ddtscope_debug* debug, uint32_t type, const char* view, size_t entries,
                                     const char** text);
/* The constructor calls that make the type, as C. */
DDTSCOPE_API int ddtscope_debug_code(ddtscope_debug* debug, uint32_t type, const char** text);
/* What `ddtscope check` prints. */
DDTSCOPE_API int ddtscope_debug_check(ddtscope_debug* debug, const char** text);
/* Which call each thread is in, which operations are started and not complete, and how many each channel has had. Where
 * a core lacks it, the text says so. */
DDTSCOPE_API int ddtscope_debug_messages(ddtscope_debug* debug, const char** text);
/* The windows that are alive: what each is, which epochs are open and since which call, and which one-sided calls are
 * not known to be complete. */
DDTSCOPE_API int ddtscope_debug_windows(ddtscope_debug* debug, const char** text);

/* An array of the program's, as C has it: `double u[8][10]` has the name "u", 2 sizes and elements of 8 bytes. A first
 * size of 0 is not known, as of what a pointer points to. */
typedef struct ddtscope_debug_array {
  const char* name;
  uint64_t address;
  int64_t element_bytes;
  size_t dimensions; /* 1 to 8 */
  const int64_t* sizes;
} ddtscope_debug_array;
/* The array that the next buffers lie in: ddtscope_debug_values() and ddtscope_debug_where() name its elements beside
 * the addresses, until another array is given, or NULL for none. */
DDTSCOPE_API int ddtscope_debug_set_array(ddtscope_debug* debug, const ddtscope_debug_array* array);

/* Each entry of the buffer: offset, address, basic type and value, at most `limit`; with_holes: the holes between them,
 * too. A buffer of 0 is MPI_BOTTOM. */
DDTSCOPE_API int ddtscope_debug_values(ddtscope_debug* debug, uint32_t type, uint64_t buffer, int64_t count,
                                       size_t limit, int with_holes, const char** text);
/* Which entry covers the byte at `address` and by which constructors, or which gap it is in. */
DDTSCOPE_API int ddtscope_debug_where(ddtscope_debug* debug, uint32_t type, uint64_t buffer, int64_t count,
                                      uint64_t address, const char** text);
/* Which bytes the buffer has, in a line. The first copy begins `displacement` bytes from the buffer's address, as where
 * a call has a part for each rank. */
DDTSCOPE_API int ddtscope_debug_touched(ddtscope_debug* debug, uint32_t type, uint64_t buffer, int64_t displacement,
                                        int64_t count, const char** text);

/* Entries of `count` copies of the type from entry `first` on: offset from the buffer's address, and basic type. */
typedef struct ddtscope_debug_entry {
  int64_t offset;
  int64_t size;           /* bytes */
  const char* basic_type; /* lives as long as the session */
} ddtscope_debug_entry;
DDTSCOPE_API int ddtscope_debug_entries(ddtscope_debug* debug, uint32_t type, int64_t count, int64_t first,
                                        size_t max_entries, ddtscope_debug_entry entries[], size_t* number);

/* Writes a trace that `ddtscope` reads into `file`, which must not exist. */
DDTSCOPE_API int ddtscope_debug_save(ddtscope_debug* debug, const char* file);

#ifdef __cplusplus
}
#endif

#endif
