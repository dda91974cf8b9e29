// Calls every function of ddtscope's table by every name that the library exports for it: MPI_ and PMPI_, and the
// Fortran procedures as compilers of any habit would call them. Each naming makes types of its own, told apart by a
// number. Linked with unnamed_pairs, which has what MPI_Type_get_value_index gives recorded.
#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "testapp.h"

enum letters { AS_IN_C, LOWER, UPPER };
enum form { SMALL, LARGE };
enum binding { C, MPIF, F08 };

enum { MOST_PATTERNS = 4 };

/// One way to call all functions. The versions of a library differ in how they spell it: the first pattern that a
/// function's name has in this one is its.
struct naming {
  const char* patterns[MOST_PATTERNS];
  enum letters letters;
  enum form form;
  enum binding binding;
};

// namings.py has the same list.
static const struct naming namings[] = {
    {{"MPI_%s"}, AS_IN_C, SMALL, C},
    {{"PMPI_%s"}, AS_IN_C, SMALL, C},
    {{"MPI_%s_c"}, AS_IN_C, LARGE, C},
    {{"PMPI_%s_c"}, AS_IN_C, LARGE, C},
    {{"mpi_%s"}, LOWER, SMALL, MPIF},
    {{"mpi_%s_"}, LOWER, SMALL, MPIF},
    {{"mpi_%s__"}, LOWER, SMALL, MPIF},
    {{"MPI_%s"}, UPPER, SMALL, MPIF},
    {{"pmpi_%s"}, LOWER, SMALL, MPIF},
    {{"pmpi_%s_"}, LOWER, SMALL, MPIF},
    {{"pmpi_%s__"}, LOWER, SMALL, MPIF},
    {{"PMPI_%s"}, UPPER, SMALL, MPIF},
    {{"mpi_%s_f08_"}, LOWER, SMALL, F08},
    {{"pmpi_%s_f08_", "pmpir_%s_f08_"}, LOWER, SMALL, F08},
    {{"mpi_%s_f08_large_", "mpi_%s_c_f08_", "mpi_%s_f08_c_"}, LOWER, LARGE, F08},
    {{"pmpir_%s_f08_large_", "pmpir_%s_c_f08_", "pmpi_%s_c_f08_", "pmpi_%s_f08_c_"}, LOWER, LARGE, F08},
};
enum { NAMINGS = sizeof namings / sizeof *namings };

/// The naming of the functions that have no large form.
static const struct naming* plain(const struct naming* naming) {
  if (naming->form == SMALL) return naming;
  const int is_profiling = naming->patterns[0][0] == 'P' || naming->patterns[0][0] == 'p';
  for (int i = 0; i < NAMINGS; ++i) {
    const char* pattern = namings[i].patterns[0];
    if (namings[i].binding == naming->binding && namings[i].form == SMALL &&
        (pattern[0] == 'P' || pattern[0] == 'p') == is_profiling) {
      return &namings[i];
    }
  }
  return NULL;
}

static void* library_has(const char* name) {
#ifndef HAS_FORTRAN
  static const char* const parts[] = {"libmpi_abi.so.1"};
#elif defined(OPEN_MPI)
  static const char* const parts[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
  static const char* const parts[] = {"libmpich.so.12", "libmpichfort.so.12"};
#endif
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    void* library = dlopen(parts[i], RTLD_LAZY | RTLD_NOLOAD);
    void* found = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    if (found) return found;
  }
  return NULL;
}

/// What the program calls by that name, which is a preloaded tool's where there is one; NULL where the library itself
/// has no such name.
static void* find(const struct naming* naming, const char* name) {
  char written[64];
  char full[128];
  size_t length = strlen(name);
  for (size_t i = 0; i <= length; ++i) {
    int letter = (unsigned char)name[i];
    written[i] = (char)(naming->letters == LOWER   ? tolower(letter)
                        : naming->letters == UPPER ? toupper(letter)
                                                   : letter);
  }
  for (int i = 0; i < MOST_PATTERNS && naming->patterns[i]; ++i) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(full, sizeof full, naming->patterns[i], written);
#pragma GCC diagnostic pop
    if (library_has(full)) return dlsym(RTLD_DEFAULT, full);
  }
  return NULL;
}

static void* symbol(const struct naming* naming, const char* name) {
  void* found = find(naming, name);
  if (!found) {
    fprintf(stderr, "the library has no %s as %s\n", name, naming->patterns[0]);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return found;
}

/// Types that no wrapper sees being made: by the library's own function, past everything that is preloaded. Made before
/// any type is freed: a handle that was freed is not taken up again.
static MPI_Datatype unseen[NAMINGS + 2];

static void make_unseen(void) {
  int (*make)(int, MPI_Datatype, MPI_Datatype*) = NULL;
  void* address = library_has("MPI_Type_contiguous");
  memcpy(&make, &address, sizeof make);
  for (int k = 2; k < NAMINGS + 2; ++k) CHECK(make ? make(1000 + k, MPI_INT, &unseen[k]) : MPI_ERR_OTHER);
}

/// A file with a view of another type for each number: MPI_File_get_view hands out a copy of it.
static MPI_File file;

static void set_view(int k) {
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(2000 + k, MPI_INT, &type));
  CHECK(MPI_Type_commit(&type));
  CHECK(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  CHECK(MPI_Type_free(&type));
}

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type);

// A call of a name by C's rules: the function's type is that of the function named `like`.
#define CALL_C(naming, name, like, ...)              \
  do {                                               \
    void* address_ = symbol(naming, name);           \
    __typeof__(&like) function_;                     \
    memcpy(&function_, &address_, sizeof function_); \
    CHECK(function_(__VA_ARGS__));                   \
  } while (0)

static void commit_name_free(const struct naming* naming, MPI_Datatype type, int number) {
  char name[32];
  snprintf(name, sizeof name, "naming %d", number);
  CALL_C(plain(naming), "Type_commit", MPI_Type_commit, &type);
  CALL_C(plain(naming), "Type_set_name", MPI_Type_set_name, type, name);
  CALL_C(plain(naming), "Type_free", MPI_Type_free, &type);
}

static void exercise_c(const struct naming* naming, int k) {
  MPI_Datatype vector, outer, child, type;
  MPI_Aint addresses[1];
  int integers[1], sizes[4];
  CALL_C(naming, "Type_vector", MPI_Type_vector, k, 1, 2, MPI_INT, &vector);
  CALL_C(naming, "Type_contiguous", MPI_Type_contiguous, k, vector, &outer);
  CALL_C(naming, "Type_get_contents", MPI_Type_get_contents, outer, 1, 0, 1, integers, addresses, &child);
  commit_name_free(naming, vector, k);
  commit_name_free(naming, child, k);
  commit_name_free(naming, outer, k);
  CALL_C(naming, "Type_create_hvector", MPI_Type_create_hvector, k, 1, 16, MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_indexed", MPI_Type_indexed, 2, ((int[]){1, k}), ((int[]){0, 4}), MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_hindexed", MPI_Type_create_hindexed, 2, ((int[]){1, k}), ((MPI_Aint[]){0, 16}), MPI_INT,
         &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_indexed_block", MPI_Type_create_indexed_block, 2, k, ((int[]){0, 100}), MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_hindexed_block", MPI_Type_create_hindexed_block, 2, k, ((MPI_Aint[]){0, 400}), MPI_INT,
         &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_struct", MPI_Type_create_struct, 2, ((int[]){1, k}), ((MPI_Aint[]){0, 16}),
         ((MPI_Datatype[]){MPI_INT, MPI_DOUBLE}), &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_subarray", MPI_Type_create_subarray, 2, ((int[]){k + 2, 3}), ((int[]){k, 2}),
         ((int[]){1, 1}), MPI_ORDER_FORTRAN, MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_darray", MPI_Type_create_darray, 1, 0, 1, ((int[]){k + 4}),
         ((int[]){MPI_DISTRIBUTE_BLOCK}), ((int[]){MPI_DISTRIBUTE_DFLT_DARG}), ((int[]){1}), MPI_ORDER_FORTRAN, MPI_INT,
         &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_resized", MPI_Type_create_resized, MPI_INT, 0, 4 * k, &type);
  CALL_C(naming, "Type_dup", MPI_Type_dup, type, &child);
  commit_name_free(naming, type, k);
  commit_name_free(naming, child, k);
  CALL_C(naming, "Type_create_f90_real", MPI_Type_create_f90_real, 6, 30, &type);
  CALL_C(naming, "Type_create_f90_complex", MPI_Type_create_f90_complex, 6, 30, &type);
  CALL_C(naming, "Type_create_f90_integer", MPI_Type_create_f90_integer, 9, &type);
  if (find(naming, "Type_get_value_index")) {
    CALL_C(naming, "Type_get_value_index", PMPI_Type_get_value_index, MPI_CHAR, MPI_CHAR, &type);
  }
  if (!find(naming, "Type_hvector")) goto decoded;  // removed in MPI-3.0, and no part of the standard ABI
  CALL_C(naming, "Type_hvector", MPI_Type_create_hvector, k, 1, 20, MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_hindexed", MPI_Type_create_hindexed, 2, ((int[]){1, k}), ((MPI_Aint[]){0, 20}), MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_struct", MPI_Type_create_struct, 2, ((int[]){1, k}), ((MPI_Aint[]){0, 24}),
         ((MPI_Datatype[]){MPI_INT, MPI_DOUBLE}), &type);
  commit_name_free(naming, type, k);
decoded:
  type = unseen[k];
  CALL_C(naming, "Type_get_envelope", MPI_Type_get_envelope, type, &sizes[0], &sizes[1], &sizes[2], &sizes[3]);
  commit_name_free(naming, type, k);
  MPI_Offset displacement;
  char representation[MPI_MAX_DATAREP_STRING];
  set_view(k);
  CALL_C(naming, "File_get_view", MPI_File_get_view, file, &displacement, &child, &type, representation);
  commit_name_free(naming, type, k);
}

#ifdef HAS_LARGE_COUNTS
static void exercise_large_c(const struct naming* naming, int k) {
  MPI_Datatype vector, outer, child, type;
  MPI_Aint addresses[1];
  MPI_Count counts[1], sizes[4];
  int integers[1], combiner;
  CALL_C(naming, "Type_vector", MPI_Type_vector_c, k, 1, 2, MPI_INT, &vector);
  CALL_C(naming, "Type_contiguous", MPI_Type_contiguous_c, k, vector, &outer);
  CALL_C(naming, "Type_get_contents", MPI_Type_get_contents_c, outer, 0, 0, 1, 1, integers, addresses, counts, &child);
  commit_name_free(naming, vector, k);
  commit_name_free(naming, child, k);
  commit_name_free(naming, outer, k);
  CALL_C(naming, "Type_create_hvector", MPI_Type_create_hvector_c, k, 1, 16, MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_indexed", MPI_Type_indexed_c, 2, ((MPI_Count[]){1, k}), ((MPI_Count[]){0, 4}), MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_hindexed", MPI_Type_create_hindexed_c, 2, ((MPI_Count[]){1, k}), ((MPI_Count[]){0, 16}),
         MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_indexed_block", MPI_Type_create_indexed_block_c, 2, k, ((MPI_Count[]){0, 100}), MPI_INT,
         &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_hindexed_block", MPI_Type_create_hindexed_block_c, 2, k, ((MPI_Count[]){0, 400}), MPI_INT,
         &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_struct", MPI_Type_create_struct_c, 2, ((MPI_Count[]){1, k}), ((MPI_Count[]){0, 16}),
         ((MPI_Datatype[]){MPI_INT, MPI_DOUBLE}), &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_subarray", MPI_Type_create_subarray_c, 2, ((MPI_Count[]){k + 2, 3}),
         ((MPI_Count[]){k, 2}), ((MPI_Count[]){1, 1}), MPI_ORDER_FORTRAN, MPI_INT, &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_darray", MPI_Type_create_darray_c, 1, 0, 1, ((MPI_Count[]){k + 4}),
         ((int[]){MPI_DISTRIBUTE_BLOCK}), ((int[]){MPI_DISTRIBUTE_DFLT_DARG}), ((int[]){1}), MPI_ORDER_FORTRAN, MPI_INT,
         &type);
  commit_name_free(naming, type, k);
  CALL_C(naming, "Type_create_resized", MPI_Type_create_resized_c, MPI_INT, 0, 4 * k, &type);
  commit_name_free(naming, type, k);
  type = unseen[k];
  CALL_C(naming, "Type_get_envelope", MPI_Type_get_envelope_c, type, &sizes[0], &sizes[1], &sizes[2], &sizes[3],
         &combiner);
  commit_name_free(naming, type, k);
}
#endif

#ifdef HAS_FORTRAN
// By Fortran's rules every argument is an address; the last one before the hidden length of a string is the error.
static void check_error(const struct naming* naming, const char* name, MPI_Fint error) {
  if (error == MPI_SUCCESS) return;
  fprintf(stderr, "Fortran %s, as %s, failed\n", name, naming->patterns[0]);
  MPI_Abort(MPI_COMM_WORLD, 5);
}
#define CALL_FORTRAN(naming, name, types, ...)         \
  do {                                                 \
    void* address_ = symbol(naming, name);             \
    void(*procedure_) types;                           \
    MPI_Fint ierror = MPI_SUCCESS;                     \
    memcpy(&procedure_, &address_, sizeof procedure_); \
    procedure_(__VA_ARGS__);                           \
    check_error(naming, name, ierror);                 \
  } while (0)
#define T2 (void*, void*)
#define T3 (void*, void*, void*)
#define T4 (void*, void*, void*, void*)
#define T5 (void*, void*, void*, void*, void*)
#define T6 (void*, void*, void*, void*, void*, void*)
#define T7 (void*, void*, void*, void*, void*, void*, void*)
#define T8 (void*, void*, void*, void*, void*, void*, void*, void*)
#define T10 (void*, void*, void*, void*, void*, void*, void*, void*, void*, void*)
#define T11 (void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*)
#define INTEGER(value) ((MPI_Fint[]){value})
#define INTEGERS(...) ((MPI_Fint[]){__VA_ARGS__})
#define ADDRESSES(...) ((MPI_Aint[]){__VA_ARGS__})

static void commit_name_free_fortran(const struct naming* naming, MPI_Fint type, int number) {
  char name[24];
  memset(name, ' ', sizeof name);  // Fortran pads with blanks
  char digits[12];
  snprintf(digits, sizeof digits, "%d", number);
  memcpy(name, "naming ", 7);
  memcpy(name + 7, digits, strlen(digits));
  CALL_FORTRAN(plain(naming), "Type_commit", T2, &type, &ierror);
  CALL_FORTRAN(plain(naming), "Type_set_name", (void*, void*, void*, size_t), &type, name, &ierror, sizeof name);
  CALL_FORTRAN(plain(naming), "Type_free", T2, &type, &ierror);
}

static void exercise_fortran(const struct naming* naming, int k) {
  MPI_Fint integer = MPI_Type_c2f(MPI_INT);
  MPI_Fint real = MPI_Type_c2f(MPI_DOUBLE);
  MPI_Fint vector, outer, child, type, sizes[4], integers[1];
  MPI_Aint addresses[1];
  MPI_Fint order = MPI_ORDER_FORTRAN, block = MPI_DISTRIBUTE_BLOCK, default_argument = MPI_DISTRIBUTE_DFLT_DARG;
  CALL_FORTRAN(naming, "Type_vector", T6, INTEGER(k), INTEGER(1), INTEGER(2), &integer, &vector, &ierror);
  CALL_FORTRAN(naming, "Type_contiguous", T4, INTEGER(k), &vector, &outer, &ierror);
  CALL_FORTRAN(naming, "Type_get_contents", T8, &outer, INTEGER(1), INTEGER(0), INTEGER(1), integers, addresses, &child,
               &ierror);
  commit_name_free_fortran(naming, vector, k);
  commit_name_free_fortran(naming, child, k);
  commit_name_free_fortran(naming, outer, k);
  CALL_FORTRAN(naming, "Type_create_hvector", T6, INTEGER(k), INTEGER(1), ADDRESSES(16), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_indexed", T6, INTEGER(2), INTEGERS(1, k), INTEGERS(0, 4), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_hindexed", T6, INTEGER(2), INTEGERS(1, k), ADDRESSES(0, 16), &integer, &type,
               &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_indexed_block", T6, INTEGER(2), INTEGER(k), INTEGERS(0, 100), &integer, &type,
               &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_hindexed_block", T6, INTEGER(2), INTEGER(k), ADDRESSES(0, 400), &integer, &type,
               &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_struct", T6, INTEGER(2), INTEGERS(1, k), ADDRESSES(0, 16), INTEGERS(integer, real),
               &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_subarray", T8, INTEGER(2), INTEGERS(k + 2, 3), INTEGERS(k, 2), INTEGERS(1, 1),
               &order, &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_darray", T11, INTEGER(1), INTEGER(0), INTEGER(1), INTEGERS(k + 4), &block,
               &default_argument, INTEGER(1), &order, &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_resized", T5, &integer, ADDRESSES(0), ADDRESSES(4 * k), &type, &ierror);
  CALL_FORTRAN(naming, "Type_dup", T3, &type, &child, &ierror);
  commit_name_free_fortran(naming, type, k);
  commit_name_free_fortran(naming, child, k);
  CALL_FORTRAN(naming, "Type_create_f90_real", T4, INTEGER(6), INTEGER(30), &type, &ierror);
  CALL_FORTRAN(naming, "Type_create_f90_complex", T4, INTEGER(6), INTEGER(30), &type, &ierror);
  CALL_FORTRAN(naming, "Type_create_f90_integer", T3, INTEGER(9), &type, &ierror);
  if (find(naming, "Type_get_value_index")) {
    MPI_Fint character = MPI_Type_c2f(MPI_CHAR);
    CALL_FORTRAN(naming, "Type_get_value_index", T4, &character, &character, &type, &ierror);
  }
  type = MPI_Type_c2f(unseen[k]);
  CALL_FORTRAN(naming, "Type_get_envelope", T6, &type, &sizes[0], &sizes[1], &sizes[2], &sizes[3], &ierror);
  commit_name_free_fortran(naming, type, k);
  MPI_Fint fortran_file = MPI_File_c2f(file);
  MPI_Offset displacement;
  char representation[MPI_MAX_DATAREP_STRING];
  set_view(k);
  CALL_FORTRAN(naming, "File_get_view", (void*, void*, void*, void*, void*, void*, size_t), &fortran_file,
               &displacement, &child, &type, representation, &ierror, sizeof representation);
  commit_name_free_fortran(naming, type, k);
  if (naming->binding != MPIF) return;
  CALL_FORTRAN(naming, "Type_hvector", T6, INTEGER(k), INTEGER(1), INTEGER(20), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_hindexed", T6, INTEGER(2), INTEGERS(1, k), INTEGERS(0, 20), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_struct", T6, INTEGER(2), INTEGERS(1, k), INTEGERS(0, 24), INTEGERS(integer, real), &type,
               &ierror);
  commit_name_free_fortran(naming, type, k);
}

#ifdef HAS_LARGE_COUNTS
#define COUNT(value) ((MPI_Count[]){value})
#define COUNTS(...) ((MPI_Count[]){__VA_ARGS__})

static void exercise_large_fortran(const struct naming* naming, int k) {
  MPI_Fint integer = MPI_Type_c2f(MPI_INT);
  MPI_Fint real = MPI_Type_c2f(MPI_DOUBLE);
  MPI_Fint vector, outer, child, type, integers[1], combiner;
  MPI_Aint addresses[1];
  MPI_Count counts[1], sizes[4];
  MPI_Fint order = MPI_ORDER_FORTRAN, block = MPI_DISTRIBUTE_BLOCK, default_argument = MPI_DISTRIBUTE_DFLT_DARG;
  CALL_FORTRAN(naming, "Type_vector", T6, COUNT(k), COUNT(1), COUNT(2), &integer, &vector, &ierror);
  CALL_FORTRAN(naming, "Type_contiguous", T4, COUNT(k), &vector, &outer, &ierror);
  CALL_FORTRAN(naming, "Type_get_contents", T10, &outer, COUNT(0), COUNT(0), COUNT(1), COUNT(1), integers, addresses,
               counts, &child, &ierror);
  commit_name_free_fortran(naming, vector, k);
  commit_name_free_fortran(naming, child, k);
  commit_name_free_fortran(naming, outer, k);
  CALL_FORTRAN(naming, "Type_create_hvector", T6, COUNT(k), COUNT(1), COUNT(16), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_indexed", T6, COUNT(2), COUNTS(1, k), COUNTS(0, 4), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_hindexed", T6, COUNT(2), COUNTS(1, k), COUNTS(0, 16), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_indexed_block", T6, COUNT(2), COUNT(k), COUNTS(0, 100), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_hindexed_block", T6, COUNT(2), COUNT(k), COUNTS(0, 400), &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_struct", T6, COUNT(2), COUNTS(1, k), COUNTS(0, 16), INTEGERS(integer, real), &type,
               &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_subarray", T8, INTEGER(2), COUNTS(k + 2, 3), COUNTS(k, 2), COUNTS(1, 1), &order,
               &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  CALL_FORTRAN(naming, "Type_create_darray", T11, INTEGER(1), INTEGER(0), INTEGER(1), COUNTS(k + 4), &block,
               &default_argument, INTEGER(1), &order, &integer, &type, &ierror);
  commit_name_free_fortran(naming, type, k);
  if (find(naming, "Type_create_resized")) {
    CALL_FORTRAN(naming, "Type_create_resized", T5, &integer, COUNT(0), COUNT(4 * k), &type, &ierror);
    commit_name_free_fortran(naming, type, k);
  }
  type = MPI_Type_c2f(unseen[k]);
  CALL_FORTRAN(naming, "Type_get_envelope", T7, &type, &sizes[0], &sizes[1], &sizes[2], &sizes[3], &combiner, &ierror);
  commit_name_free_fortran(naming, type, k);
}
#endif
#endif

static void exercise(const struct naming* naming, int k) {
#ifdef HAS_FORTRAN
  if (naming->binding != C) {
#ifdef HAS_LARGE_COUNTS
    if (naming->form == LARGE) exercise_large_fortran(naming, k);
#endif
    if (naming->form == SMALL) exercise_fortran(naming, k);
    return;
  }
#endif
#ifdef HAS_LARGE_COUNTS
  if (naming->form == LARGE) exercise_large_c(naming, k);
#endif
  if (naming->form == SMALL) exercise_c(naming, k);
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  make_unseen();
  CHECK(MPI_File_open(MPI_COMM_SELF, "every_name.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file));
  int exercised = 0;
  for (int i = 0; i < NAMINGS; ++i) {
    const struct naming* naming = &namings[i];
    if (!find(naming, "Type_vector")) continue;
    exercise(naming, i + 2);
    ++exercised;
  }
  printf("%d namings\n", exercised);
  CHECK(MPI_File_close(&file));
  CHECK(MPI_Finalize());
  return 0;
}
