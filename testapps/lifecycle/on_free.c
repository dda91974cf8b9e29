// The plugin's callback for freed types, as a library that keeps what it knows of a datatype would use it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "plugin/api/ddtscope_plugin.h"
#include "testapp.h"

typedef struct log {
  int number;
  ddtscope_freed_type freed[16];
} log;

static log first, second;

static void note(const ddtscope_freed_type* freed, void* data) {
  log* here = data;
  if (here->number < 16) here->freed[here->number] = *freed;
  ++here->number;
  // MPI may be called from here, frees included.
  if (here == &first && here->number == 1) {
    MPI_Datatype inner;
    CHECK(MPI_Type_contiguous(99, MPI_CHAR, &inner));
    CHECK(MPI_Type_free(&inner));
  }
}

static uint64_t bits_of(MPI_Datatype type) {
  uint64_t bits = 0;
  memcpy(&bits, &type, sizeof type);
  return bits;
}

static int free_last(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)extra;
  return MPI_Type_free((MPI_Datatype*)value);
}

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                               \
    }                                                                         \
  } while (0)

int main(int argc, char** argv) {
  ddtscope_on_free_function on_free = NULL;
  void* symbol = dlsym(RTLD_DEFAULT, "ddtscope_on_free");
  memcpy(&on_free, &symbol, sizeof on_free);
  const char* preloaded = getenv("LD_PRELOAD");
  const int expected = preloaded != NULL && strstr(preloaded, "libddtscope-") != NULL;
  EXPECT(expected == (on_free != NULL));
  if (expected) {
    EXPECT(on_free(NULL, NULL) == -1);
    EXPECT(on_free(note, &first) == 0);
  }
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype a, b, c, outer, inner, last;
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &a));
  CHECK(MPI_Type_vector(3, 1, 2, MPI_INT, &b));
  CHECK(MPI_Type_contiguous(3, MPI_INT, &c));
  const uint64_t handles[] = {bits_of(a), bits_of(b), bits_of(c)};
  CHECK(MPI_Type_free(&a));
  if (expected) EXPECT(on_free(note, &second) == 0);
  CHECK(MPI_Type_free(&b));
  CHECK(MPI_Type_free(&c));
  if (expected) {
    // The inner type of the first callback comes before the callback's caller goes on.
    EXPECT(first.number == 4 && second.number == 2);
    EXPECT(first.freed[0].handle == handles[0] && first.freed[2].handle == handles[1]);
    EXPECT(first.freed[3].handle == handles[2] && second.freed[1].handle == handles[2]);
    EXPECT(first.freed[0].key != 0 && first.freed[0].key == first.freed[2].key);
    EXPECT(first.freed[3].key != 0 && first.freed[3].key != first.freed[0].key);
    EXPECT(first.freed[1].key != first.freed[0].key && first.freed[1].key != first.freed[3].key);
    EXPECT(!first.freed[0].lives_on);
  }

  // A free that the library refuses tells nobody.
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  MPI_Datatype predefined = MPI_INT;
  if (MPI_Type_free(&predefined) == MPI_SUCCESS) fprintf(stderr, "MPI_INT was freed\n");
  EXPECT(!expected || second.number == 2);

  // What MPI_Type_get_contents gives is freed, too; where it is the same handle again, that lives on.
  CHECK(MPI_Type_contiguous(3, MPI_INT, &c));
  CHECK(MPI_Type_dup(c, &outer));
  CHECK(MPI_Type_get_contents(outer, 0, 0, 1, NULL, NULL, &inner));
  const int same = bits_of(inner) == bits_of(c);
  CHECK(MPI_Type_free(&inner));
  EXPECT(!expected || (second.number == 3 && second.freed[2].lives_on == same));
  EXPECT(!expected || second.freed[2].key == second.freed[1].key);
  CHECK(MPI_Type_free(&c));
  EXPECT(!expected || (second.number == 4 && !second.freed[3].lives_on));
  CHECK(MPI_Type_free(&outer));

  // Callbacks come as long as MPI does, also inside MPI_Finalize.
  int keyval;
  CHECK(MPI_Type_contiguous(7, MPI_DOUBLE, &last));
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_last, &keyval, NULL));
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &last));
  CHECK(MPI_Finalize());
  EXPECT(!expected || second.number == 6);
  if (expected) {
    for (int i = 2; i < 16; ++i) EXPECT(on_free(note, &second) == 0);
    EXPECT(on_free(note, &second) == -1);
  }
  printf("done\n");
  return 0;
}
