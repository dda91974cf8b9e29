#include "reporters/measure/program_text.h"

namespace ddtscope::reporters {

const char* const program_text = R"(#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

@functions@
struct form {
  MPI_Datatype (*make)(void);
  int is_made; /* else predefined: neither committed nor freed */
};
static const struct form forms[] = {@forms@};
enum { form_count = @form_count@ };

static const long long copies = @copies@, size = @size@, lb = @lb@, extent = @extent@, true_lb = @true_lb@;
static const long long true_extent = @true_extent@, first = @first@, span = @span@, turns = @turns@, stride = @stride@;
static const int may_receive = @may_receive@;

/* Where the bytes lie. */
struct row {
  int64_t displacement, length, count, stride;
};
/* Which of them have a meaning. */
struct value {
  int64_t size, meaning, count;
};
static struct row *rows;
static struct value *values;
static int64_t row_count, value_count;

static unsigned char *source, *target;         /* buffers: the addresses that MPI gets */
static unsigned char *source_memory, *target_memory; /* their first bytes that are touched */
static unsigned char *expected, *packed;       /* the data, one byte behind the other */
static int room;                               /* of each of the two */
static MPI_Datatype type;                      /* the form that is measured */
static MPI_Datatype (*make_type)(void);

/* By these, so that no compiler leaves out what it takes for done. */
static void *(*volatile copy_memory)(void *, const void *, size_t) = memcpy;

static void *memory_of(long long bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, (size_t)bytes + 4096) != 0) {
    fprintf(stderr, "there is no memory for %lld bytes\n", bytes);
    exit(3);
  }
  memset(memory, 0, (size_t)bytes + 4096);
  return memory;
}

/* The first byte that is touched stands where the alignment of the buffer's address puts it. */
static unsigned char *touched_memory(void) {
  return (unsigned char *)memory_of(span + 64) + ((first % 64) + 64) % 64;
}

static void *read_numbers(FILE *file, int64_t count, size_t bytes) {
  void *numbers = memory_of(count * (int64_t)bytes);
  if (fread(numbers, bytes, (size_t)count, file) != (size_t)count) {
    fprintf(stderr, "the table is too short\n");
    exit(3);
  }
  return numbers;
}

static void read_table(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fread(&row_count, 8, 1, file) != 1 || fread(&value_count, 8, 1, file) != 1) {
    fprintf(stderr, "the table cannot be read\n");
    exit(3);
  }
  rows = read_numbers(file, row_count, sizeof *rows);
  values = read_numbers(file, value_count, sizeof *values);
  fclose(file);
}

#define EACH_BLOCK(bytes, from_memory, to_memory)          \
  for (i = 0; i < row->count; ++i, block += row->stride) { \
    memcpy(to_memory, from_memory, (size_t)(bytes));       \
    data += (bytes);                                       \
  }
#define EACH_ROW(from_memory, to_memory)                                  \
  for (turn = 0; turn < turns; ++turn, buffer += (uintptr_t)stride) {     \
    for (row = rows; row < rows + row_count; ++row) {                     \
      uintptr_t block = buffer + (uintptr_t)row->displacement;            \
      switch (row->length) {                                              \
        case 1: EACH_BLOCK(1, from_memory, to_memory) break;              \
        case 2: EACH_BLOCK(2, from_memory, to_memory) break;              \
        case 4: EACH_BLOCK(4, from_memory, to_memory) break;              \
        case 8: EACH_BLOCK(8, from_memory, to_memory) break;              \
        case 16: EACH_BLOCK(16, from_memory, to_memory) break;            \
        default: EACH_BLOCK(row->length, from_memory, to_memory) break;   \
      }                                                                   \
    }                                                                     \
  }

/* What somebody would write who packs by hand. */
static void pack_by_hand(unsigned char *data, uintptr_t buffer) {
  const struct row *row;
  long long turn, i;
  EACH_ROW((const void *)block, data)
}

static void unpack_by_hand(const unsigned char *data, uintptr_t buffer) {
  const struct row *row;
  long long turn, i;
  EACH_ROW(data, (void *)block)
}

static void (*volatile gather)(unsigned char *, uintptr_t) = pack_by_hand;
static void (*volatile scatter)(const unsigned char *, uintptr_t) = unpack_by_hand;

/* The first byte that differs and has a meaning; -1. */
static long long difference(const unsigned char *a, const unsigned char *b) {
  const unsigned char *begin = a;
  long long copy, i, k;
  if (value_count == 0) {
    if (memcmp(a, b, (size_t)(size * copies)) == 0) return -1;
    while (*a == *b) ++a, ++b;
    return a - begin;
  }
  for (copy = 0; copy < copies; ++copy) {
    const struct value *value;
    for (value = values; value < values + value_count; ++value) {
      for (i = 0; i < value->count; ++i, a += value->size, b += value->size) {
        for (k = 0; k < value->meaning; ++k) {
          if (a[k] != b[k]) return a + k - begin;
        }
      }
    }
  }
  return -1;
}

static void clear_target(void) {
  memset(target_memory, 0xAA, (size_t)span);
  memset(packed, 0, (size_t)room);
}

/* Whether the target has the data, and nothing else was written; `packed` is overwritten. */
static long long difference_in_target(void) {
  long long at, i;
  gather(packed, (uintptr_t)target);
  at = difference(expected, packed);
  if (at >= 0) return at;
  memset(packed, 0xAA, (size_t)room);
  scatter(packed, (uintptr_t)target);
  for (i = 0; i < span; ++i) {
    if (target_memory[i] != 0xAA) return size * copies;
  }
  return -1;
}

static void pack(void) {
  int position = 0;
  MPI_Pack(source, (int)copies, type, packed, room, &position, MPI_COMM_SELF);
}

static void unpack(void) {
  int position = 0;
  MPI_Unpack(expected, (int)(size * copies), &position, target, (int)copies, type, MPI_COMM_SELF);
}

static void send(void) {
  MPI_Sendrecv(source, (int)copies, type, 0, 0, target, (int)copies, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void send_bytes(void) {
  const int bytes = (int)(size * copies);
  MPI_Sendrecv(expected, bytes, MPI_BYTE, 0, 0, packed, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void copy(void) { copy_memory(packed, expected, (size_t)(size * copies)); }
static void gather_source(void) { gather(packed, (uintptr_t)source); }
static void scatter_target(void) { scatter(expected, (uintptr_t)target); }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds that so many operations took. */
static double seconds_of(void (*operation)(void), long times) {
  const double begin = now();
  long i;
  for (i = 0; i < times; ++i) operation();
  return now() - begin;
}

enum { batch = 64 };

/* Types are made many at a time, so that the clock is not what is measured. */
static double seconds_of_making(long times, int is_commit) {
  MPI_Datatype made[batch];
  double seconds = 0, begin;
  long done, i;
  for (done = 0; done < times; done += batch) {
    const long count = times - done < batch ? times - done : batch;
    begin = now();
    for (i = 0; i < count; ++i) made[i] = make_type();
    if (!is_commit) seconds += now() - begin;
    begin = now();
    for (i = 0; i < count; ++i) MPI_Type_commit(&made[i]);
    if (is_commit) seconds += now() - begin;
    for (i = 0; i < count; ++i) MPI_Type_free(&made[i]);
  }
  return seconds;
}

static double seconds_of_create(void (*unused)(void), long times) {
  (void)unused;
  return seconds_of_making(times, 0);
}

static double seconds_of_commit(void (*unused)(void), long times) {
  (void)unused;
  return seconds_of_making(times, 1);
}

enum { least_samples = 5, most_samples = 200 };

struct samples {
  double ns[most_samples]; /* of one operation, ascending */
  int count;
};

static void add_sample(struct samples *samples, double ns) {
  int i = samples->count++;
  for (; i > 0 && samples->ns[i - 1] > ns; --i) samples->ns[i] = samples->ns[i - 1];
  samples->ns[i] = ns;
}

static double spread_of(const struct samples *samples) {
  const double median = samples->ns[samples->count / 2];
  const double between = samples->ns[3 * samples->count / 4] - samples->ns[samples->count / 4];
  return median > 0 ? between / median : 0;
}

/* A sample takes half a millisecond or more: short enough that on a machine that has other things to do most are not
   disturbed. As many as it takes until they agree and are 20 ms together, but at most 200, or half a second. */
static void print_figure(const char *name, double (*seconds)(void (*)(void), long), void (*operation)(void)) {
  struct samples samples;
  const double begin = now();
  long times = 1;
  double took = seconds(operation, times), sum = 0;
  samples.count = 0;
  while ((took = seconds(operation, times)) < 5e-4 && times < (1L << 26)) {
    times = took < 5e-5 ? times * 10 : (long)((double)times * 5.5e-4 / took) + 1;
    if (now() - begin > 0.2) break; /* what is measured is a small part of what is done for it */
  }
  while (samples.count < most_samples) {
    took = seconds(operation, times);
    sum += took;
    add_sample(&samples, took * 1e9 / (double)times);
    if (samples.count < least_samples) continue;
    if ((sum >= 0.02 && spread_of(&samples) <= 0.05) || now() - begin > 0.5) break;
  }
  printf(",\"%s\":{\"ns\":%.6g,\"spread\":%.4g,\"samples\":%d}", name, samples.ns[samples.count / 2], spread_of(&samples),
         samples.count);
}

static int print_bounds_that_differ(void) {
  MPI_Count of_size, of_lb, of_extent, of_true_lb, of_true_extent;
  MPI_Type_size_x(type, &of_size);
  MPI_Type_get_extent_x(type, &of_lb, &of_extent);
  MPI_Type_get_true_extent_x(type, &of_true_lb, &of_true_extent);
  if (of_size == size && of_lb == lb && of_extent == extent && of_true_lb == true_lb && of_true_extent == true_extent)
    return 0;
  printf(",\"bounds\":[%lld,%lld,%lld,%lld,%lld]", (long long)of_size, (long long)of_lb, (long long)of_extent,
         (long long)of_true_lb, (long long)of_true_extent);
  return 1;
}

static int print_wrong_data(const char *operation, long long at) {
  if (at >= 0) printf(",\"wrong\":\"%s\",\"at\":%lld", operation, at);
  return at >= 0;
}

/* Whether the library moves the bytes of the typemap, in its order. */
static int moves_other_bytes(void) {
  memset(packed, 0, (size_t)room);
  pack();
  if (print_wrong_data("pack", difference(expected, packed))) return 1;
  if (!may_receive) return 0;
  clear_target();
  unpack();
  if (print_wrong_data("unpack", difference_in_target())) return 1;
  clear_target();
  send();
  return print_wrong_data("send", difference_in_target());
}

/* Whether it could be measured. */
static int measure_form(int number) {
  const struct form *form = &forms[number];
  int wanted = 0, is_measured = 0;
  printf("{\"ddtscope_measure\":1,\"form\":%d", number);
  fflush(stdout);
  type = form->make();
  make_type = form->make;
  if (form->is_made) MPI_Type_commit(&type);
  MPI_Pack_size((int)copies, type, MPI_COMM_SELF, &wanted);
  if (wanted > room) {
    printf(",\"pack_size\":%d", wanted);
  } else if (!print_bounds_that_differ() && !moves_other_bytes()) {
    is_measured = 1;
    if (form->is_made) {
      print_figure("create", seconds_of_create, NULL);
      print_figure("commit", seconds_of_commit, NULL);
    }
    print_figure("pack", seconds_of, pack);
    if (may_receive) {
      print_figure("unpack", seconds_of, unpack);
      print_figure("send", seconds_of, send);
    }
  }
  printf(",\"done\":1}\n");
  fflush(stdout);
  if (form->is_made) MPI_Type_free(&type);
  return is_measured;
}

static void measure_plain(void) {
  printf("{\"ddtscope_measure\":1,\"plain\":1");
  print_figure("copy", seconds_of, copy);
  print_figure("pack", seconds_of, gather_source);
  if (may_receive) print_figure("unpack", seconds_of, scatter_target);
  print_figure("send", seconds_of, send_bytes);
  printf(",\"done\":1}\n");
  fflush(stdout);
}

/* The first line of a text, as far as nothing of it is to be escaped. */
static void print_text(const char *name, const char *text, int length) {
  int i;
  printf(",\"%s\":\"", name);
  for (i = 0; i < length && text[i] != '\n'; ++i) {
    if (text[i] == '\t') putchar(' ');
    if (text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\') putchar(text[i]);
  }
  putchar('"');
}

/* A launcher may start the program elsewhere: it says itself where it runs. */
static void print_library(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  int length;
  printf("{\"ddtscope_measure\":1");
  MPI_Get_library_version(version, &length);
  print_text("library", version, length);
  MPI_Get_processor_name(host, &length);
  print_text("host", host, length);
  printf("}\n");
  fflush(stdout);
}

int main(int argc, char **argv) {
  long long i;
  int number;
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  read_table(argv[1]);
  room = (int)(size * copies) + 4096;
  source_memory = touched_memory();
  target_memory = touched_memory();
  source = (unsigned char *)((uintptr_t)source_memory - (uintptr_t)first);
  target = (unsigned char *)((uintptr_t)target_memory - (uintptr_t)first);
  expected = memory_of(room);
  packed = memory_of(room);
  for (i = 0; i < span; ++i) source_memory[i] = (unsigned char)(((uint64_t)i * 2654435761u) >> 24);
  gather(expected, (uintptr_t)source);
  print_library();
  /* Where the type itself is none that can be measured, nothing else is worth it. */
  if (measure_form(0)) {
    measure_plain();
    for (number = 1; number < form_count; ++number) measure_form(number);
  }
  MPI_Finalize();
  return 0;
}
)";

}  // namespace ddtscope::reporters
