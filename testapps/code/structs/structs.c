/* Without GENERATED: a program that has the structs in its debugging information. With it: each is filled, sent to
   itself by the type that was written, as an array of two, and compared. Prints a line for each. */
#include "structs.h"

#include <stdio.h>
#include <string.h>

#ifdef GENERATED
#include "generated.h"

static const int me = 0;

static void fill(void* memory, size_t size, int seed) {
  unsigned char* bytes = memory;
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)(17 * i + (size_t)seed * 29 + 1);
}

/* What arrives is compared byte by byte: those that `is_sent` says must be alike, the others untouched. */
static int send(MPI_Datatype type, const void* from, void* to, const unsigned char* is_sent, size_t size) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  if (lb != 0 || (size_t)extent != size) return 1;
  memset(to, 0, 2 * size);
  MPI_Sendrecv(from, 2, type, me, 5, to, 2, type, me, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < 2 * size; ++i) {
    const unsigned char wanted = is_sent[i % size] ? ((const unsigned char*)from)[i] : 0;
    if (((const unsigned char*)to)[i] != wanted) return 2 + (int)i;
  }
  return 0;
}

#define MEMBER(S, m) memset(is_sent + offsetof(S, m), 1, sizeof(((S*)0)->m))
#define TRY(S, make, ...)                                            \
  {                                                                  \
    unsigned char is_sent[sizeof(S)] = {0};                          \
    static unsigned char from[2 * sizeof(S)], to[2 * sizeof(S)];     \
    __VA_ARGS__                                                      \
    MPI_Datatype made = make();                                      \
    fill(from, sizeof from, sizeof(S));                              \
    const int wrong = send(made, from, to, is_sent, sizeof(S));      \
    printf("%s: %s %d\n", #S, wrong == 0 ? "fine" : "wrong", wrong); \
    MPI_Type_free(&made);                                            \
  }
#endif

int main(int argc, char** argv) {
  (void)argc;
  (void)argv;
#ifdef GENERATED
  MPI_Init(&argc, &argv);
  TRY(struct plain, make_plain, MEMBER(struct plain, tag); MEMBER(struct plain, x); MEMBER(struct plain, id);)
  TRY(unnamed, make_unnamed, MEMBER(unnamed, code); MEMBER(unnamed, flag); MEMBER(unnamed, complex_parts);)
  TRY(
      struct nested, make_nested, MEMBER(struct nested, one.s); MEMBER(struct nested, one.l);
      for (int i = 0; i < 4; ++i) {
        MEMBER(struct nested, many[i].s);
        MEMBER(struct nested, many[i].l);
      } for (int i = 0; i < 2; ++i) {
        MEMBER(struct nested, within[i].u);
        MEMBER(struct nested, within[i].c);
      } MEMBER(struct nested, beside);
      for (int i = 0; i < 4; ++i) {
        MEMBER(struct nested, table[i / 2][i % 2].code);
        MEMBER(struct nested, table[i / 2][i % 2].flag);
        MEMBER(struct nested, table[i / 2][i % 2].complex_parts);
      })
  /* The bit-fields are the two bytes behind the enumeration; of a long double, libraries may leave the padding. */
  TRY(struct various, make_various, MEMBER(struct various, yes); MEMBER(struct various, colour);
      memset(is_sent + offsetof(struct various, colour) + 4, 1, 2); MEMBER(struct various, either);
      MEMBER(struct various, wide); MEMBER(struct various, longest); MEMBER(struct various, last);)
  TRY(struct large, make_large, MEMBER(struct large, a); MEMBER(struct large, b); MEMBER(struct large, last);)
  TRY(struct rows, make_rows, MEMBER(struct rows, of); MEMBER(struct rows, n);)
  TRY(type, make_type, MEMBER(type, x); MEMBER(type, id);)
  TRY(types, make_types, MEMBER(types, c); MEMBER(types, l);)
  TRY(places, make_places, MEMBER(places, c); MEMBER(places, i);)
  TRY(
      type1, make_type1, for (int i = 0; i < 2; ++i) {
        MEMBER(type1, first[i].s);
        MEMBER(type1, first[i].l);
      } MEMBER(type1, last);)
  MPI_Finalize();
#else
  struct plain plain = {0};
  unnamed second = {0};
  struct nested nested = {0};
  struct various* various = NULL;
  struct rows rows = {0};
  static struct large large;
  type one = {0};
  types two = {0};
  places three = {0};
  type1 four = {0};
  printf("%d %d %d %d\n", one.id, two.c, three.i, four.last);
  printf("%zu %zu %zu %zu %zu\n", sizeof plain + (size_t)plain.id, sizeof second + second.flag,
         sizeof nested + (size_t)nested.one.l, sizeof *various, sizeof rows + (size_t)rows.n + (size_t)large.last);
#endif
  return 0;
}
