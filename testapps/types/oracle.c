// Makes many pseudo-random types, asks the library about each of them, and writes its answers as JSON lines into a
// file, for comparison with what ddtscope says of the same types.
//
//   oracle tame|wild FILE
//
// "tame" types stay where both libraries follow the standard's text; "wild" ones go where they are known to part from
// it: empty types, nested markers, odd strides and displacements.
#include <string.h>

#include "testapp.h"

enum { TYPES = 400, LARGEST_DEPTH = 3 };

static unsigned long long state = 88172645463325252ull;
static int wild;

static int below(int limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)((state >> 16) % (unsigned long long)limit);
}

// The first value a count may have: empty types are wild.
static int count_up_to(int limit) { return wild ? below(limit + 1) : 1 + below(limit); }

// Distances in bytes. The tame ones keep every alignment, that of long double too. A byte stride of -1 is never drawn:
// Open MPI 4.1.4 takes it as contiguous, and then even the size is wrong.
static MPI_Aint bytes(void) { return wild ? 2 * (MPI_Aint)(below(64) - 16) : 16 * (MPI_Aint)(16 + below(8)); }

static const char* combiner_name(int combiner) {
  static const struct {
    int value;
    const char* name;
  } names[] = {{MPI_COMBINER_NAMED, "MPI_COMBINER_NAMED"},
               {MPI_COMBINER_DUP, "MPI_COMBINER_DUP"},
               {MPI_COMBINER_CONTIGUOUS, "MPI_COMBINER_CONTIGUOUS"},
               {MPI_COMBINER_VECTOR, "MPI_COMBINER_VECTOR"},
               {MPI_COMBINER_HVECTOR, "MPI_COMBINER_HVECTOR"},
               {MPI_COMBINER_INDEXED, "MPI_COMBINER_INDEXED"},
               {MPI_COMBINER_HINDEXED, "MPI_COMBINER_HINDEXED"},
               {MPI_COMBINER_INDEXED_BLOCK, "MPI_COMBINER_INDEXED_BLOCK"},
               {MPI_COMBINER_HINDEXED_BLOCK, "MPI_COMBINER_HINDEXED_BLOCK"},
               {MPI_COMBINER_STRUCT, "MPI_COMBINER_STRUCT"},
               {MPI_COMBINER_SUBARRAY, "MPI_COMBINER_SUBARRAY"},
               {MPI_COMBINER_DARRAY, "MPI_COMBINER_DARRAY"},
               {MPI_COMBINER_RESIZED, "MPI_COMBINER_RESIZED"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (names[i].value == combiner) return names[i].name;
  return "unknown";
}

static MPI_Datatype pool[TYPES];
static int depths[TYPES];
static int made;

static MPI_Datatype basic_type(void) {
  const MPI_Datatype basics[] = {MPI_CHAR,          MPI_SHORT,       MPI_INT,  MPI_DOUBLE,     MPI_FLOAT,
                                 MPI_LONG_LONG_INT, MPI_LONG_DOUBLE, MPI_BYTE, MPI_DOUBLE_INT, MPI_UNSIGNED_SHORT};
  return basics[below(wild ? 10 : 8)];
}

// An oldtype: what came before, often, so that types nest and share parts.
static MPI_Datatype oldtype(int* depth) {
  if (made > 0 && below(3) > 0) {
    int i = below(made);
    if (depths[i] < LARGEST_DEPTH) {
      if (depths[i] + 1 > *depth) *depth = depths[i] + 1;
      return pool[i];
    }
  }
  return basic_type();
}

static int darray(MPI_Datatype old, MPI_Datatype* type) {
  const int orders[] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
  const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int gsizes[2], kinds[2], arguments[2], psizes[2] = {2, 2};
  for (int d = 0; d < 2; ++d) {
    gsizes[d] = 4 + 4 * below(3);  // multiples of the grid: every rank owns something, in whole blocks
    kinds[d] = distributions[below(2)];
    arguments[d] = kinds[d] == MPI_DISTRIBUTE_CYCLIC && below(2) ? 1 : MPI_DISTRIBUTE_DFLT_DARG;
  }
  return MPI_Type_create_darray(4, below(4), 2, gsizes, kinds, arguments, psizes, orders[below(2)], old, type);
}

static void make_one(void) {
  int status = MPI_SUCCESS;
  MPI_Datatype type = MPI_DATATYPE_NULL, olds[4];
  int counts[4], places[4], depth = 1;
  MPI_Aint addresses[4];
  const int n = count_up_to(4);
  int place = 0;
  MPI_Aint address = 0;
  for (int i = 0; i < 4; ++i) {
    counts[i] = count_up_to(3);
    place += wild ? below(9) - 2 : counts[i] + below(3);
    places[i] = wild ? place : (i == 0 ? 0 : places[i - 1] + counts[i - 1] + below(3));
    address += bytes();
    addresses[i] = address;
  }
  MPI_Datatype old = oldtype(&depth);
  int stride = wild ? below(12) - 3 : 3 + below(4);
  if (stride == -1) stride = -2;  // with an extent of 1: see bytes()
  const int kind = below(12);
  switch (kind) {
    case 0:
      status = MPI_Type_contiguous(count_up_to(5), old, &type);
      break;
    case 1:
      status = MPI_Type_vector(count_up_to(4), count_up_to(3), stride, old, &type);
      break;
    case 2:
      status = MPI_Type_create_hvector(count_up_to(4), count_up_to(3), bytes(), old, &type);
      break;
    case 3:
      status = MPI_Type_indexed(n, counts, places, old, &type);
      break;
    case 4:
      status = MPI_Type_create_hindexed(n, counts, addresses, old, &type);
      break;
    case 5:
      status = MPI_Type_create_indexed_block(n, count_up_to(3), places, old, &type);
      break;
    case 6:
      status = MPI_Type_create_hindexed_block(n, count_up_to(3), addresses, old, &type);
      break;
    case 7:
    case 8:
      for (int i = 0; i < 4; ++i) olds[i] = oldtype(&depth);
      status = MPI_Type_create_struct(n, counts, addresses, olds, &type);
      break;
    case 9:
      status = MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){1 + below(4), 1 + below(5)}, (int[]){0, 0},
                                        below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, &type);
      break;
    case 10:
      status = darray(old, &type);
      break;
    default:
      if (wild) {
        status = MPI_Type_create_resized(old, bytes(), bytes(), &type);
      } else {
        status = MPI_Type_dup(old, &type);
      }
  }
  if (status != MPI_SUCCESS) return;  // Open MPI 4.1.4 refuses darrays of some empty types
  // Subarrays and darrays carry explicit bounds, which MPICH does not pass on to the types made of them.
  if (!wild && (kind == 9 || kind == 10)) depth = LARGEST_DEPTH;
  pool[made] = type;
  depths[made] = depth;
  ++made;
}

static void print_numbers(FILE* out, const char* name, const MPI_Count* values, MPI_Count n) {
  fprintf(out, ", \"%s\": [", name);
  for (MPI_Count i = 0; i < n; ++i) fprintf(out, "%s%lld", i ? ", " : "", (long long)values[i]);
  fprintf(out, "]");
}

// The library's own decoding of a type, children inside.
static void print_type(FILE* out, MPI_Datatype type) {
  MPI_Count integers, addresses, large_counts = 0, datatypes;
  int combiner;
#ifdef HAS_LARGE_COUNTS
  CHECK(MPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &datatypes, &combiner));
#else
  int few[3];
  CHECK(MPI_Type_get_envelope(type, &few[0], &few[1], &few[2], &combiner));
  integers = few[0], addresses = few[1], datatypes = few[2];
#endif
  if (combiner == MPI_COMBINER_NAMED) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CHECK(MPI_Type_get_name(type, name, &length));
    fprintf(out, "\"%s\"", name);
    return;
  }
  int* i = calloc((size_t)integers + 1, sizeof *i);
  MPI_Aint* a = calloc((size_t)addresses + 1, sizeof *a);
  MPI_Count* c = calloc((size_t)large_counts + 1, sizeof *c);
  MPI_Datatype* d = calloc((size_t)datatypes + 1, sizeof *d);
#ifdef HAS_LARGE_COUNTS
  CHECK(MPI_Type_get_contents_c(type, integers, addresses, large_counts, datatypes, i, a, c, d));
#else
  CHECK(MPI_Type_get_contents(type, (int)integers, (int)addresses, (int)datatypes, i, a, d));
#endif
  MPI_Count size, lb, extent, true_lb, true_extent;
  CHECK(MPI_Type_size_x(type, &size));
  CHECK(MPI_Type_get_extent_x(type, &lb, &extent));
  CHECK(MPI_Type_get_true_extent_x(type, &true_lb, &true_extent));

  MPI_Count* values = calloc((size_t)(integers + addresses) + 1, sizeof *values);
  fprintf(out, "{\"combiner\": \"%s\"", combiner_name(combiner));
  for (MPI_Count k = 0; k < integers; ++k) values[k] = i[k];
  print_numbers(out, "integers", values, integers);
  for (MPI_Count k = 0; k < addresses; ++k) values[k] = a[k];
  print_numbers(out, "addresses", values, addresses);
  print_numbers(out, "large_counts", c, large_counts);
  fprintf(out, ", \"datatypes\": [");
  for (MPI_Count k = 0; k < datatypes; ++k) {
    if (k) fprintf(out, ", ");
    print_type(out, d[k]);
  }
  fprintf(out, "], \"size\": %lld, \"lb\": %lld, \"extent\": %lld, \"true_lb\": %lld, \"true_extent\": %lld}",
          (long long)size, (long long)lb, (long long)extent, (long long)true_lb, (long long)true_extent);
  for (MPI_Count k = 0; k < datatypes; ++k) {
    int ni, na, nd, kind;
    CHECK(MPI_Type_get_envelope(d[k], &ni, &na, &nd, &kind));
    if (kind != MPI_COMBINER_NAMED) CHECK(MPI_Type_free(&d[k]));
  }
  free(values);
  free(i);
  free(a);
  free(c);
  free(d);
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  wild = strcmp(argv[1], "wild") == 0;
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  while (made < TYPES) make_one();
  FILE* out = argc > 2 ? fopen(argv[2], "w") : NULL;
  if (out) {
    for (int i = 0; i < made; ++i) {
      print_type(out, pool[i]);
      fprintf(out, "\n");
    }
    fclose(out);
  }
  for (int i = 0; i < made; ++i) CHECK(MPI_Type_free(&pool[i]));
  printf("made %d types\n", made);
  CHECK(MPI_Finalize());
  return 0;
}
