/* Types that have the names of structs: right ones, and one for each way to be wrong. Natively compiled with -g. */
#include <stddef.h>

#include "../harness/testapp.h"

struct right {
  long id;
  double x[3];
  unsigned flags;
  char name[12];
};
struct id_too_short {
  long id;
  double x[3];
};
struct as_integer {
  double a;
  int b;
};
struct holds_pointer {
  double* data;
  int length;
};
struct other_sign {
  unsigned count;
  int delta;
};
struct with_padding {
  char tag;
  double value;
};
struct too_short {
  int a, b;
};
struct partly_sent {
  int a;
  float b;
  int scratch;
};
struct array_element {
  double a;
  char b;
};
struct long_long {
  long long a;
  long b;
};
/* No type has its name, and no other struct its layout. */
struct without_name {
  short s[2];
  float f;
  double d;
  unsigned char rest[8];
};
struct as_bytes {
  int a;
  double b;
};

struct named_later {
  int a;
  double b;
};

struct many {
  int id;
  double a[200];
};
struct of_addresses {
  int i;
  float f;
};

static int used(void) {
  struct many m = {0};
  struct of_addresses n = {0};
  struct right a = {0};
  struct id_too_short b = {0};
  struct as_integer c = {0};
  struct holds_pointer d = {0};
  struct other_sign e = {0};
  struct with_padding f = {0};
  struct too_short g = {0};
  struct partly_sent h = {0};
  struct array_element i = {0};
  struct long_long j = {0};
  struct without_name k = {0};
  struct as_bytes l = {0};
  struct named_later o = {0};
  return (int)a.id + (int)b.id + c.b + d.length + e.delta + (int)f.value + g.a + h.a + (int)i.a + (int)j.a + k.s[0] +
         l.a + m.id + n.i + o.a;
}

struct member {
  int count;
  MPI_Aint place;
  MPI_Datatype type;
};

static MPI_Datatype make(const char* name, const struct member* members, int count, MPI_Aint extent) {
  int counts[8];
  MPI_Aint places[8];
  MPI_Datatype types[8], packed, type;
  for (int i = 0; i < count; ++i) {
    counts[i] = members[i].count;
    places[i] = members[i].place;
    types[i] = members[i].type;
  }
  MPI_Type_create_struct(count, counts, places, types, &packed);
  MPI_Type_create_resized(packed, 0, extent, &type);
  MPI_Type_free(&packed);
  if (name[0] != 0) MPI_Type_set_name(type, name);
  MPI_Type_commit(&type);
  return type;
}

#define MAKE(name, extent, ...)                                                                       \
  {                                                                                                   \
    const struct member members[] = {__VA_ARGS__};                                                    \
    const int copies = 2, size = (int)sizeof members / (int)sizeof members[0];                        \
    static char from[4096], to[4096];                                                                 \
    MPI_Datatype type = make(name, members, size, extent);                                            \
    MPI_Sendrecv(from, copies, type, 0, 1, to, copies, type, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE); \
    MPI_Type_free(&type);                                                                             \
  }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MAKE("right", sizeof(struct right), {1, offsetof(struct right, id), MPI_LONG},
       {3, offsetof(struct right, x), MPI_DOUBLE}, {1, offsetof(struct right, flags), MPI_UNSIGNED},
       {12, offsetof(struct right, name), MPI_CHAR})
  MAKE("id_too_short", sizeof(struct id_too_short), {1, 0, MPI_INT}, {3, 8, MPI_DOUBLE})
  MAKE("as_integer", sizeof(struct as_integer), {1, 0, MPI_LONG}, {1, 8, MPI_INT})
  MAKE("holds_pointer", sizeof(struct holds_pointer), {1, 0, MPI_DOUBLE}, {1, 8, MPI_INT})
  MAKE("other_sign", sizeof(struct other_sign), {2, 0, MPI_INT})
  MAKE("with_padding", sizeof(struct with_padding), {1, 0, MPI_CHAR}, {1, 4, MPI_INT}, {1, 8, MPI_DOUBLE})
  MAKE("too_short", sizeof(struct too_short), {3, 0, MPI_INT})
  MAKE("partly_sent", sizeof(struct partly_sent), {1, 0, MPI_INT}, {1, 4, MPI_FLOAT})
  MAKE("array_element", 9, {1, 0, MPI_DOUBLE}, {1, 8, MPI_CHAR})
  MAKE("long_long", sizeof(struct long_long), {1, 0, MPI_LONG}, {1, 8, MPI_LONG})
  MAKE("", sizeof(struct without_name), {2, 0, MPI_SHORT}, {1, 4, MPI_FLOAT}, {1, 8, MPI_DOUBLE}, {8, 16, MPI_BYTE})
  MAKE("as_bytes", sizeof(struct as_bytes), {(int)sizeof(struct as_bytes), 0, MPI_BYTE})
  /* The name of no struct. */
  MAKE("something", 8, {1, 0, MPI_INT}, {1, 4, MPI_FLOAT})
  MAKE("many", sizeof(struct many), {1, 0, MPI_INT}, {200, 8, MPI_DOUBLE})
  /* No last word is a name. */
  MAKE("boundary too_short", 8, {1, 0, MPI_FLOAT}, {1, 4, MPI_FLOAT}) {
    static struct of_addresses object;
    MPI_Aint at[2];
    MPI_Get_address(&object.i, &at[0]);
    MPI_Get_address(&object.f, &at[1]);
    const struct member members[] = {{1, at[0], MPI_INT}, {1, at[1], MPI_FLOAT}};
    MPI_Datatype type = make("of_addresses", members, 2, sizeof object);
    MPI_Type_free(&type);
  }
  {
    const struct member members[] = {{1, 0, MPI_INT}, {1, 8, MPI_LONG}};
    MPI_Datatype type = make("tmp", members, 2, sizeof(struct named_later));
    MPI_Type_set_name(type, "named_later");
    MPI_Type_free(&type);
  }
  const int status = used();
  MPI_Finalize();
  return status;
}
