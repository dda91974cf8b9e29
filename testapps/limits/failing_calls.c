// Preloaded in front of the plugin: lets calls of the plugin's to the system fail, one after the other. Whatever else
// the process calls goes through.
//
//   FAIL_LOG=FILE       a line for each call of the plugin's: its kind and the file that it is about
//   FAIL_KIND=KIND      which calls fail: see below
//   FAIL_FROM=N FAIL_TO=M  those from the Nth to the Mth of that kind, counted from 1
//   FAIL_ERROR=ERRNO    in this way; a write fails after the first half of its bytes where FAIL_SHORT is set
//   FAIL_RANK=RANK      in this process of the job alone
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum kind {
  kind_open,
  kind_write,
  kind_read,
  kind_allocate,  // room in a file
  kind_map,       // a file
  kind_memory,    // from the system
  kind_new,       // in the plugin that is built with failing_heap.cpp
  kind_close,
  kind_sync,
  kind_rename,
  kind_unlink,
  kind_mkdir,
  kind_look,  // what the system is asked about files and folders
  kinds
};
static const char* const names[kinds] = {"open",  "write", "read",   "allocate", "map",   "memory", "new",
                                         "close", "sync",  "rename", "unlink",   "mkdir", "look"};

static atomic_long counts[kinds];

static const char* text(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int is_of_plugin(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "/libddtscope-");
}

static int is_rank_meant(void) {
  const char* wanted = text("FAIL_RANK");
  if (!*wanted) return 1;
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  return strcmp(rank ? rank : "0", wanted) == 0;
}

static void note(enum kind kind, const char* path) {
  const char* log = text("FAIL_LOG");
  if (!*log) return;
  char line[PATH_MAX + 32];
  const int length = snprintf(line, sizeof line, "%s %s\n", names[kind], path);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 || syscall(SYS_write, file, line, (size_t)length) != length) abort();
  syscall(SYS_close, file);
}

/// Which errno this call is to fail with; 0: it is to go through.
static int fault_of_plugin(enum kind kind, const char* path, int* is_first) {
  if (!is_rank_meant()) return 0;
  const int before = errno;
  const long number = atomic_fetch_add(&counts[kind], 1) + 1;
  note(kind, path);
  errno = before;
  if (is_first) *is_first = number == atol(text("FAIL_FROM"));
  if (strcmp(text("FAIL_KIND"), names[kind]) != 0) return 0;
  return number >= atol(text("FAIL_FROM")) && number <= atol(text("FAIL_TO")) ? atoi(text("FAIL_ERROR")) : 0;
}

static int fault(enum kind kind, const void* caller, const char* path, int* is_first) {
  return is_of_plugin(caller) ? fault_of_plugin(kind, path, is_first) : 0;
}

EXPORT int failing_calls_allocation(void) { return fault_of_plugin(kind_new, "", NULL); }

static int fault_of_file(enum kind kind, const void* caller, int file, int* is_first) {
  if (file <= STDERR_FILENO || !is_of_plugin(caller)) return 0;
  char link[64];
  char path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  return fault(kind, caller, path, is_first);
}

#define CALLER __builtin_return_address(0)
#define NEXT(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))
#define FAIL(error, result)     \
  do {                          \
    const int error_ = (error); \
    if (error_ != 0) {          \
      errno = error_;           \
      return result;            \
    }                           \
  } while (0)

#define OPEN(name)                                                    \
  EXPORT int name(const char* path, int flags, ...) {                 \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                     \
    FAIL(fault(kind_open, CALLER, path, NULL), -1);                   \
    return NEXT(name)(path, flags, mode);                             \
  }
OPEN(open)
OPEN(open64)

EXPORT FILE* fopen(const char* path, const char* mode) {
  FAIL(fault(kind_open, CALLER, path, NULL), NULL);
  return NEXT(fopen)(path, mode);
}
EXPORT FILE* fopen64(const char* path, const char* mode) {
  FAIL(fault(kind_open, CALLER, path, NULL), NULL);
  return NEXT(fopen64)(path, mode);
}

EXPORT ssize_t write(int file, const void* bytes, size_t count) {
  int is_first = 0;
  const int error = fault_of_file(kind_write, CALLER, file, &is_first);
  if (error != 0 && is_first && *text("FAIL_SHORT") && count > 1) return NEXT(write)(file, bytes, count / 2);
  FAIL(error, -1);
  return NEXT(write)(file, bytes, count);
}

EXPORT ssize_t read(int file, void* bytes, size_t count) {
  FAIL(fault_of_file(kind_read, CALLER, file, NULL), -1);
  return NEXT(read)(file, bytes, count);
}
#define PREAD(name)                                                        \
  EXPORT ssize_t name(int file, void* bytes, size_t count, off_t offset) { \
    FAIL(fault_of_file(kind_read, CALLER, file, NULL), -1);                \
    return NEXT(name)(file, bytes, count, offset);                         \
  }
PREAD(pread)
PREAD(pread64)

#define ALLOCATE(name)                                                  \
  EXPORT int name(int file, off_t offset, off_t bytes) {                \
    const int error = fault_of_file(kind_allocate, CALLER, file, NULL); \
    return error != 0 ? error : NEXT(name)(file, offset, bytes);        \
  }
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

#define MAP(name)                                                                                                     \
  EXPORT void* name(void* wanted, size_t bytes, int protection, int flags, int file, off_t offset) {                  \
    FAIL(file >= 0 ? fault_of_file(kind_map, CALLER, file, NULL) : fault(kind_memory, CALLER, "", NULL), MAP_FAILED); \
    return NEXT(name)(wanted, bytes, protection, flags, file, offset);                                                \
  }
MAP(mmap)
MAP(mmap64)

// What fails to close is closed.
EXPORT int close(int file) {
  const int error = fault_of_file(kind_close, CALLER, file, NULL);
  const int status = NEXT(close)(file);
  FAIL(error, -1);
  return status;
}
EXPORT int fsync(int file) {
  FAIL(fault_of_file(kind_sync, CALLER, file, NULL), -1);
  return NEXT(fsync)(file);
}
EXPORT int rename(const char* from, const char* to) {
  FAIL(fault(kind_rename, CALLER, from, NULL), -1);
  return NEXT(rename)(from, to);
}
EXPORT int unlink(const char* path) {
  FAIL(fault(kind_unlink, CALLER, path, NULL), -1);
  return NEXT(unlink)(path);
}
EXPORT int mkdir(const char* path, mode_t mode) {
  FAIL(fault(kind_mkdir, CALLER, path, NULL), -1);
  return NEXT(mkdir)(path, mode);
}

EXPORT int access(const char* path, int how) {
  FAIL(fault(kind_look, CALLER, path, NULL), -1);
  return NEXT(access)(path, how);
}
EXPORT DIR* opendir(const char* path) {
  FAIL(fault(kind_look, CALLER, path, NULL), NULL);
  return NEXT(opendir)(path);
}
#define STAT(name, status)                               \
  EXPORT int name(const char* path, struct status* to) { \
    FAIL(fault(kind_look, CALLER, path, NULL), -1);      \
    return NEXT(name)(path, to);                         \
  }
#define STAT_OF_FILE(name, status)                          \
  EXPORT int name(int file, struct status* to) {            \
    FAIL(fault_of_file(kind_look, CALLER, file, NULL), -1); \
    return NEXT(name)(file, to);                            \
  }
STAT(stat, stat)
STAT(stat64, stat64)
STAT_OF_FILE(fstat, stat)
STAT_OF_FILE(fstat64, stat64)
EXPORT char* realpath(const char* path, char* to) {
  FAIL(fault(kind_look, CALLER, path, NULL), NULL);
  return NEXT(realpath)(path, to);
}
EXPORT char* getcwd(char* to, size_t bytes) {
  FAIL(fault(kind_look, CALLER, ".", NULL), NULL);
  return NEXT(getcwd)(to, bytes);
}
EXPORT ssize_t readlink(const char* path, char* to, size_t bytes) {
  FAIL(fault(kind_look, CALLER, path, NULL), -1);
  return NEXT(readlink)(path, to, bytes);
}
