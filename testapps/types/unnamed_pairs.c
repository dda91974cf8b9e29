// Stands between a program and its MPI library and plays one whose MPI_Type_get_value_index gives pairs without a name,
// as MPI-4.1 6.9.4 allows: no library is known to. Pairs of MPI_CHAR are such, of whatever index; all others are left
// to the library, and where it lacks the function there is no such pair.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <string.h>

#ifdef MPI_ABI_VERSION
enum { MOST_PAIRS = 8, VALUE_INDEX = MPI_COMBINER_VALUE_INDEX };
#else  // where those put it that have it
enum { MOST_PAIRS = 8, VALUE_INDEX = MPI_COMBINER_HINDEXED_BLOCK + 1 };
#endif

struct pair {
  MPI_Datatype index;
  MPI_Datatype type;
};
static struct pair pairs[MOST_PAIRS];
static int number;

static const struct pair* find_pair(MPI_Datatype type) {
  for (int i = 0; i < number; ++i) {
    if (pairs[i].type == type) return &pairs[i];
  }
  return NULL;
}

// The library's own function, past whatever is preloaded.
#define LIBRARYS(function, name)                   \
  do {                                             \
    void* address_ = dlsym(RTLD_NEXT, name);       \
    memcpy(&function, &address_, sizeof address_); \
  } while (0)

static int make_pair(MPI_Datatype index, MPI_Datatype* type) {
  int (*make_struct)(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype*);
  int (*get_extent)(MPI_Datatype, MPI_Aint*, MPI_Aint*);
  int (*commit)(MPI_Datatype*);
  LIBRARYS(make_struct, "PMPI_Type_create_struct");
  LIBRARYS(get_extent, "PMPI_Type_get_extent");
  LIBRARYS(commit, "PMPI_Type_commit");
  MPI_Aint lb, extent;
  int status = get_extent(index, &lb, &extent);
  if (status == MPI_SUCCESS) {
    status = make_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, extent}, (MPI_Datatype[]){MPI_CHAR, index}, type);
  }
  return status == MPI_SUCCESS ? commit(type) : status;
}

static int get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  if (value_type != MPI_CHAR) {
    int (*next)(MPI_Datatype, MPI_Datatype, MPI_Datatype*);
    LIBRARYS(next, "PMPI_Type_get_value_index");
    if (next) return next(value_type, index_type, pair_type);
    *pair_type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
  }
  for (int i = 0; i < number; ++i) {
    if (pairs[i].index != index_type) continue;
    *pair_type = pairs[i].type;
    return MPI_SUCCESS;
  }
  if (number == MOST_PAIRS) return MPI_ERR_NO_MEM;
  const int status = make_pair(index_type, pair_type);
  if (status == MPI_SUCCESS) pairs[number++] = (struct pair){index_type, *pair_type};
  return status;
}
int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type);
int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type);
int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  return get_value_index(value_type, index_type, pair_type);
}
int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  return get_value_index(value_type, index_type, pair_type);
}

// Both names of each decoding call, for those who ask what a pair is.
#define ENVELOPE(name, librarys)                                                              \
  int name(MPI_Datatype type, int* integers, int* addresses, int* datatypes, int* combiner) { \
    if (find_pair(type)) {                                                                    \
      *integers = *addresses = 0;                                                             \
      *datatypes = 2;                                                                         \
      *combiner = VALUE_INDEX;                                                                \
      return MPI_SUCCESS;                                                                     \
    }                                                                                         \
    int (*next)(MPI_Datatype, int*, int*, int*, int*);                                        \
    LIBRARYS(next, librarys);                                                                 \
    return next(type, integers, addresses, datatypes, combiner);                              \
  }
ENVELOPE(MPI_Type_get_envelope, "MPI_Type_get_envelope")
ENVELOPE(PMPI_Type_get_envelope, "PMPI_Type_get_envelope")

#define CONTENTS(name, librarys)                                                                      \
  int name(MPI_Datatype type, int integers_max, int addresses_max, int datatypes_max, int integers[], \
           MPI_Aint addresses[], MPI_Datatype datatypes[]) {                                          \
    const struct pair* pair = find_pair(type);                                                        \
    if (pair) {                                                                                       \
      if (datatypes_max < 2) return MPI_ERR_ARG;                                                      \
      datatypes[0] = MPI_CHAR;                                                                        \
      datatypes[1] = pair->index;                                                                     \
      return MPI_SUCCESS;                                                                             \
    }                                                                                                 \
    int (*next)(MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*);                         \
    LIBRARYS(next, librarys);                                                                         \
    return next(type, integers_max, addresses_max, datatypes_max, integers, addresses, datatypes);    \
  }
CONTENTS(MPI_Type_get_contents, "MPI_Type_get_contents")
CONTENTS(PMPI_Type_get_contents, "PMPI_Type_get_contents")

// Where the library has large counts.
#define LARGE_ENVELOPE(name, librarys)                                                            \
  int name(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts, \
           MPI_Count* datatypes, int* combiner) {                                                 \
    if (find_pair(type)) {                                                                        \
      *integers = *addresses = *large_counts = 0;                                                 \
      *datatypes = 2;                                                                             \
      *combiner = VALUE_INDEX;                                                                    \
      return MPI_SUCCESS;                                                                         \
    }                                                                                             \
    int (*next)(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*);              \
    LIBRARYS(next, librarys);                                                                     \
    return next(type, integers, addresses, large_counts, datatypes, combiner);                    \
  }
#define LARGE_CONTENTS(name, librarys)                                                                                 \
  int name(MPI_Datatype type, MPI_Count integers_max, MPI_Count addresses_max, MPI_Count large_counts_max,             \
           MPI_Count datatypes_max, int integers[], MPI_Aint addresses[], MPI_Count large_counts[],                    \
           MPI_Datatype datatypes[]) {                                                                                 \
    const struct pair* pair = find_pair(type);                                                                         \
    if (pair) {                                                                                                        \
      if (datatypes_max < 2) return MPI_ERR_ARG;                                                                       \
      datatypes[0] = MPI_CHAR;                                                                                         \
      datatypes[1] = pair->index;                                                                                      \
      return MPI_SUCCESS;                                                                                              \
    }                                                                                                                  \
    int (*next)(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*, MPI_Aint*, MPI_Count*, MPI_Datatype*); \
    LIBRARYS(next, librarys);                                                                                          \
    return next(type, integers_max, addresses_max, large_counts_max, datatypes_max, integers, addresses, large_counts, \
                datatypes);                                                                                            \
  }
#ifdef HAS_LARGE_COUNTS
LARGE_ENVELOPE(MPI_Type_get_envelope_c, "MPI_Type_get_envelope_c")
LARGE_ENVELOPE(PMPI_Type_get_envelope_c, "PMPI_Type_get_envelope_c")
LARGE_CONTENTS(MPI_Type_get_contents_c, "MPI_Type_get_contents_c")
LARGE_CONTENTS(PMPI_Type_get_contents_c, "PMPI_Type_get_contents_c")
#endif
