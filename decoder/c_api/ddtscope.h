/*
 * ddtscope.h: the public C API of libddtscope, which says what an MPI datatype is. No MPI library is needed: a
 * datatype is built from the arguments that a program gave to the MPI constructors, or from what the decoding calls
 * return, and then asked: for its bounds, by the standard or as a certain library computes them, its typemap,
 * signature, overlap, and so on. Answers are computed from the description, never by expanding the typemap. It is one
 * file, long as it is, because a program includes one.
 *
 *     #include <ddtscope.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       ddtscope_context *context = NULL;
 *       ddtscope_datatype real = DDTSCOPE_DATATYPE_NULL, column = DDTSCOPE_DATATYPE_NULL;
 *       ddtscope_bounds bounds;
 *       char text[200];
 *
 *       if (ddtscope_context_create(&context) != DDTSCOPE_SUCCESS) return 1;
 *       if (ddtscope_predefined(context, "MPI_DOUBLE", &real) != DDTSCOPE_SUCCESS ||
 *           ddtscope_type_vector(context, 8, 1, 10, real, &column) != DDTSCOPE_SUCCESS ||
 *           ddtscope_get_bounds(context, column, DDTSCOPE_RULE_STANDARD, &bounds) != DDTSCOPE_SUCCESS ||
 *           ddtscope_bnf_text(context, column, NULL, NULL, text, sizeof text, NULL) != DDTSCOPE_SUCCESS) {
 *         fprintf(stderr, "%s\n", ddtscope_error_message(context));
 *         ddtscope_context_free(&context);
 *         return 1;
 *       }
 *       printf("%s has extent %lld\n", text, (long long)ddtscope_to_count(bounds.extent));
 *       ddtscope_context_free(&context);
 *       return 0;
 *     }
 *
 * prints "U1(V:d:8:1:10) has extent 568". Compile with `cc $(pkg-config --cflags ddtscope) example.c
 * $(pkg-config --libs ddtscope)`, or with CMake's find_package(ddtscope) and the target ddtscope::ddtscope.
 *
 * What holds for all functions:
 *
 * - Words are the MPI standard's, sections are those of MPI-4.1. int64_t stands for MPI_Aint, MPI_Count and
 *   MPI_Offset. Sizes, displacements and bounds are bytes; displacements count from the buffer's address.
 * - Results: DDTSCOPE_SUCCESS, or one of the standard's error classes (enum below); ddtscope_error_message() then
 *   says what was wrong. What is written through pointers is written on success only. No call prints, aborts,
 *   throws, or changes what the program sees elsewhere.
 * - Bad input is refused: a context that is NULL or was freed (DDTSCOPE_ERR_ARG), a datatype that is
 *   DDTSCOPE_DATATYPE_NULL, of a freed context or of another one (DDTSCOPE_ERR_TYPE), a NULL pointer where something
 *   is to be read or written (DDTSCOPE_ERR_ARG), a negative number of elements (DDTSCOPE_ERR_COUNT for what the
 *   standard calls count, else DDTSCOPE_ERR_ARG). Pointers that are not NULL must point to as many elements as the
 *   arguments say; an array of no elements may be NULL. These errors, DDTSCOPE_ERR_NO_MEM and DDTSCOPE_ERR_INTERN
 *   (a mistake in ddtscope) are not repeated below.
 * - Ownership: a datatype lives as long as its context. There is no call to free one, and none is needed: two calls
 *   with equal arguments give the same handle. Arrays that are passed in are copied. Strings that a function returns
 *   as `const char *` belong to the library, and live as long as the function's comment says.
 * - Threads: different contexts may be used by different threads at the same time. One context, also for reading,
 *   belongs to one thread at a time; passing it on needs the synchronisation that passing on any memory needs.
 * - Text: `buffer` has room for `size` characters. What fits is written, and always ended by '\0' where size > 0;
 *   `*length`, unless `length` is NULL, is the length of the whole text without that '\0': the text was cut where
 *   it is not below `size`. `buffer` may be NULL where size is 0. The text is UTF-8, most of it ASCII.
 * - Versions: functions and enumerators are only added within one SOVERSION; structs do not change.
 */
#ifndef DDTSCOPE_H
#define DDTSCOPE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DDTSCOPE_API __attribute__((visibility("default")))
#else
#define DDTSCOPE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A store of datatypes, and what is known of them. Opaque. */
typedef struct ddtscope_context ddtscope_context;

/* A datatype of one context: opaque, but two handles of a context are the same type exactly when they are equal. */
typedef uint64_t ddtscope_datatype;
#define DDTSCOPE_DATATYPE_NULL ((ddtscope_datatype)0)

/* ---------------------------------------------------------------------------------------------------------------
 * Errors (9.4)
 */

/* The standard's error classes, by name; the numbers are ddtscope's own. */
enum {
  DDTSCOPE_SUCCESS = 0,
  DDTSCOPE_ERR_COUNT = 1,           /* MPI_ERR_COUNT: a negative count */
  DDTSCOPE_ERR_TYPE = 2,            /* MPI_ERR_TYPE: no datatype, or not one that the call takes */
  DDTSCOPE_ERR_RANK = 3,            /* MPI_ERR_RANK: a rank outside its group */
  DDTSCOPE_ERR_DIMS = 4,            /* MPI_ERR_DIMS: a number of dimensions that no array has */
  DDTSCOPE_ERR_ARG = 5,             /* MPI_ERR_ARG: any other argument */
  DDTSCOPE_ERR_VALUE_TOO_LARGE = 6, /* MPI_ERR_VALUE_TOO_LARGE: a result does not fit where it is to be stored */
  DDTSCOPE_ERR_NO_MEM = 7,          /* MPI_ERR_NO_MEM */
  DDTSCOPE_ERR_OTHER = 8,           /* MPI_ERR_OTHER: the call comes too late; the message says for what */
  DDTSCOPE_ERR_INTERN = 9           /* MPI_ERR_INTERN: a mistake in ddtscope */
};

/* "MPI_ERR_ARG" for DDTSCOPE_ERR_ARG, "MPI_SUCCESS" for DDTSCOPE_SUCCESS; "" for a number that is no error. Lives as
 * long as the program. */
DDTSCOPE_API const char* ddtscope_error_name(int error);

/* What was wrong with the last call on the context, in a sentence that begins with the function's name; "" after a
 * success. Lives until the next call on the context. For NULL, or a freed context: the same of this thread's last
 * call with such a one. Never NULL. */
DDTSCOPE_API const char* ddtscope_error_message(const ddtscope_context* context);

/* The library's version, "0.1.0". Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_version(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Integers that may be larger than 64 bits
 */

/* An exact integer: high * 2^64 + low, in two's complement. Where bits is 64, it fits int64_t; where it is 128, it
 * does not; where it is 0, not even 128 bits hold it, and high and low say nothing. */
typedef struct ddtscope_integer {
  uint64_t low;
  int64_t high;
  int bits;
} ddtscope_integer;

/* What the standard's calls give for a value that does not fit the argument that it should go to (5.1.5, 5.1.7), and
 * what stands for a precision or range that is not given (19.1.9). MPI_UNDEFINED of both libraries. */
#define DDTSCOPE_UNDEFINED (-32766)

/* The integer as a function's argument. */
DDTSCOPE_API ddtscope_integer ddtscope_integer_of(int64_t value);
/* The value where it fits, else DDTSCOPE_UNDEFINED: what the call with MPI_Count arguments gives. */
DDTSCOPE_API int64_t ddtscope_to_count(ddtscope_integer value);
/* The value where it fits an int, else DDTSCOPE_UNDEFINED: what calls with int arguments give, such as MPI_Type_size.
 */
DDTSCOPE_API int ddtscope_to_int(ddtscope_integer value);
/* Decimal digits, with a minus sign where it is negative; "does not fit" where bits is 0. Text as above.
 * DDTSCOPE_ERR_ARG where bits is none of 64, 128 and 0. */
DDTSCOPE_API int ddtscope_integer_text(ddtscope_integer value, char* buffer, size_t size, size_t* length);

/* ---------------------------------------------------------------------------------------------------------------
 * Contexts, and the machine that is described
 */

/* A new context, in which predefined datatypes have the sizes and alignments that they have in C, C++ and (by
 * gfortran's defaults) Fortran on the machine that this runs on. */
DDTSCOPE_API int ddtscope_context_create(ddtscope_context** context);

/* Frees a context and all that belongs to it; *context becomes NULL. Nothing happens where *context is NULL. */
DDTSCOPE_API int ddtscope_context_free(ddtscope_context** context);

/* The size and alignment of a basic type on another machine, before the type is first used: by ddtscope_predefined()
 * or as a part of a pair type. Its extent is its size. `name` is any of the standard's ("MPI_INT"), one of a
 * library's own that begins with "MPI", or an F90 type's, "F90_REAL(15,307)", with MPI_UNDEFINED for a value that is
 * not given. Pair types follow from their parts, as a C struct of the two has them (6.9.4).
 * DDTSCOPE_ERR_ARG: a size that is not in [1, 2^31), or an alignment that is no power of two in it, or another name.
 * DDTSCOPE_ERR_TYPE: a pair or a marker. DDTSCOPE_ERR_OTHER: the type is in use with other values. */
DDTSCOPE_API int ddtscope_set_predefined(ddtscope_context* context, const char* name, int64_t size, int64_t alignment);

/* The predefined datatype of a name: those of MPI-1.0 to MPI-4.1, MPI_LB and MPI_UB among them, and those that
 * ddtscope_set_predefined() has added, but for F90 types, which only calls make. Synonyms give the same handle.
 * DDTSCOPE_ERR_TYPE: no such name. */
DDTSCOPE_API int ddtscope_predefined(ddtscope_context* context, const char* name, ddtscope_datatype* datatype);

/* The names that ddtscope_predefined() knows without being told, in the order of the standard's Annex A; NULL where
 * `index` is not below their number. Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_predefined_name(size_t index);

/* ---------------------------------------------------------------------------------------------------------------
 * Constructors (5.1.2 to 5.1.4, 5.1.7, 5.1.10, 6.9.4, 19.1.9)
 *
 * Arguments, shapes and meaning are those of the MPI function of the same name, and the suffix _c marks the form with
 * large counts (a type made with it needs the large decoding calls). Arguments that are erroneous by the standard are
 * refused: DDTSCOPE_ERR_COUNT, _DIMS, _RANK, _TYPE for a wrong count, number of dimensions, rank or datatype,
 * DDTSCOPE_ERR_ARG for the others. Subarrays must lie within their array; a darray's grid must have `size`
 * processes, and block arguments must reach over the array.
 */

/* MPI_ORDER_C and so on. A program's own mpi.h has other values. */
enum { DDTSCOPE_ORDER_C = 56, DDTSCOPE_ORDER_FORTRAN = 57 };
enum { DDTSCOPE_DISTRIBUTE_BLOCK = 121, DDTSCOPE_DISTRIBUTE_CYCLIC = 122, DDTSCOPE_DISTRIBUTE_NONE = 123 };
#define DDTSCOPE_DISTRIBUTE_DFLT_DARG (-49767)

DDTSCOPE_API int ddtscope_type_dup(ddtscope_context* context, ddtscope_datatype oldtype, ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_contiguous(ddtscope_context* context, int count, ddtscope_datatype oldtype,
                                          ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_contiguous_c(ddtscope_context* context, int64_t count, ddtscope_datatype oldtype,
                                            ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_vector(ddtscope_context* context, int count, int blocklength, int stride,
                                      ddtscope_datatype oldtype, ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_vector_c(ddtscope_context* context, int64_t count, int64_t blocklength, int64_t stride,
                                        ddtscope_datatype oldtype, ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_create_hvector(ddtscope_context* context, int count, int blocklength, int64_t stride,
                                              ddtscope_datatype oldtype, ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_hvector_c(ddtscope_context* context, int64_t count, int64_t blocklength,
                                                int64_t stride, ddtscope_datatype oldtype, ddtscope_datatype* newtype);

/* Arrays of `count` elements each, here and in the next four. */
DDTSCOPE_API int ddtscope_type_indexed(ddtscope_context* context, int count, const int array_of_blocklengths[],
                                       const int array_of_displacements[], ddtscope_datatype oldtype,
                                       ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_indexed_c(ddtscope_context* context, int64_t count,
                                         const int64_t array_of_blocklengths[], const int64_t array_of_displacements[],
                                         ddtscope_datatype oldtype, ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_create_hindexed(ddtscope_context* context, int count, const int array_of_blocklengths[],
                                               const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                               ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_hindexed_c(ddtscope_context* context, int64_t count,
                                                 const int64_t array_of_blocklengths[],
                                                 const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                                 ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_create_indexed_block(ddtscope_context* context, int count, int blocklength,
                                                    const int array_of_displacements[], ddtscope_datatype oldtype,
                                                    ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_indexed_block_c(ddtscope_context* context, int64_t count, int64_t blocklength,
                                                      const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                                      ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_create_hindexed_block(ddtscope_context* context, int count, int blocklength,
                                                     const int64_t array_of_displacements[], ddtscope_datatype oldtype,
                                                     ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_hindexed_block_c(ddtscope_context* context, int64_t count, int64_t blocklength,
                                                       const int64_t array_of_displacements[],
                                                       ddtscope_datatype oldtype, ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_create_struct(ddtscope_context* context, int count, const int array_of_blocklengths[],
                                             const int64_t array_of_displacements[],
                                             const ddtscope_datatype array_of_types[], ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_struct_c(ddtscope_context* context, int64_t count,
                                               const int64_t array_of_blocklengths[],
                                               const int64_t array_of_displacements[],
                                               const ddtscope_datatype array_of_types[], ddtscope_datatype* newtype);

/* Arrays of `ndims` elements each, here and for darrays. `order`: DDTSCOPE_ORDER_C or DDTSCOPE_ORDER_FORTRAN. */
DDTSCOPE_API int ddtscope_type_create_subarray(ddtscope_context* context, int ndims, const int array_of_sizes[],
                                               const int array_of_subsizes[], const int array_of_starts[], int order,
                                               ddtscope_datatype oldtype, ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_subarray_c(ddtscope_context* context, int ndims, const int64_t array_of_sizes[],
                                                 const int64_t array_of_subsizes[], const int64_t array_of_starts[],
                                                 int order, ddtscope_datatype oldtype, ddtscope_datatype* newtype);

/* `array_of_distribs`: DDTSCOPE_DISTRIBUTE_BLOCK and so on; `array_of_dargs`: also DDTSCOPE_DISTRIBUTE_DFLT_DARG. */
DDTSCOPE_API int ddtscope_type_create_darray(ddtscope_context* context, int size, int rank, int ndims,
                                             const int array_of_gsizes[], const int array_of_distribs[],
                                             const int array_of_dargs[], const int array_of_psizes[], int order,
                                             ddtscope_datatype oldtype, ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_darray_c(ddtscope_context* context, int size, int rank, int ndims,
                                               const int64_t array_of_gsizes[], const int array_of_distribs[],
                                               const int array_of_dargs[], const int array_of_psizes[], int order,
                                               ddtscope_datatype oldtype, ddtscope_datatype* newtype);

DDTSCOPE_API int ddtscope_type_create_resized(ddtscope_context* context, ddtscope_datatype oldtype, int64_t lb,
                                              int64_t extent, ddtscope_datatype* newtype);
/* The form whose arguments the large decoding calls return as counts. */
DDTSCOPE_API int ddtscope_type_create_resized_c(ddtscope_context* context, ddtscope_datatype oldtype, int64_t lb,
                                                int64_t extent, ddtscope_datatype* newtype);

/* Unnamed predefined types; p or r may be DDTSCOPE_UNDEFINED, not both. Their sizes are those of the smallest of
 * gfortran's kinds on 64-bit machines, or what ddtscope_set_predefined() has said. DDTSCOPE_ERR_ARG: no kind has
 * them. */
DDTSCOPE_API int ddtscope_type_create_f90_real(ddtscope_context* context, int p, int r, ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_f90_complex(ddtscope_context* context, int p, int r, ddtscope_datatype* newtype);
DDTSCOPE_API int ddtscope_type_create_f90_integer(ddtscope_context* context, int r, ddtscope_datatype* newtype);

/* A value and its index, for MPI_MINLOC and MPI_MAXLOC (6.9.4): the named pair type where there is one, such as
 * MPI_DOUBLE_INT; an unnamed predefined one for other integer and floating point values with integer indices; else
 * `*pair_type` is DDTSCOPE_DATATYPE_NULL, which is no error. */
DDTSCOPE_API int ddtscope_type_get_value_index(ddtscope_context* context, ddtscope_datatype value_type,
                                               ddtscope_datatype index_type, ddtscope_datatype* pair_type);

/* ---------------------------------------------------------------------------------------------------------------
 * Decoding (5.1.13)
 */

enum {
  DDTSCOPE_COMBINER_NAMED = 1,
  DDTSCOPE_COMBINER_DUP = 2,
  DDTSCOPE_COMBINER_CONTIGUOUS = 3,
  DDTSCOPE_COMBINER_VECTOR = 4,
  DDTSCOPE_COMBINER_HVECTOR = 5,
  DDTSCOPE_COMBINER_INDEXED = 6,
  DDTSCOPE_COMBINER_HINDEXED = 7,
  DDTSCOPE_COMBINER_INDEXED_BLOCK = 8,
  DDTSCOPE_COMBINER_HINDEXED_BLOCK = 9,
  DDTSCOPE_COMBINER_STRUCT = 10,
  DDTSCOPE_COMBINER_SUBARRAY = 11,
  DDTSCOPE_COMBINER_DARRAY = 12,
  DDTSCOPE_COMBINER_F90_REAL = 13,
  DDTSCOPE_COMBINER_F90_COMPLEX = 14,
  DDTSCOPE_COMBINER_F90_INTEGER = 15,
  DDTSCOPE_COMBINER_RESIZED = 16,
  DDTSCOPE_COMBINER_VALUE_INDEX = 17,
  /* The Fortran constructors that MPI-3.0 removed, with the contents of those that took their place, and taken for
   * them: never returned. */
  DDTSCOPE_COMBINER_HVECTOR_INTEGER = 18,
  DDTSCOPE_COMBINER_HINDEXED_INTEGER = 19,
  DDTSCOPE_COMBINER_STRUCT_INTEGER = 20
};

/* "MPI_COMBINER_VECTOR"; "" for a number that is no combiner. Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_combiner_name(int combiner);

/* MPI_Type_get_envelope: how many arguments of each kind the constructor had, and which it was.
 * DDTSCOPE_ERR_TYPE: the type was made with large counts, and needs the large form. DDTSCOPE_ERR_VALUE_TOO_LARGE: a
 * number does not fit an int. */
DDTSCOPE_API int ddtscope_type_get_envelope(ddtscope_context* context, ddtscope_datatype datatype, int* num_integers,
                                            int* num_addresses, int* num_datatypes, int* combiner);
/* MPI_Type_get_envelope_c. */
DDTSCOPE_API int ddtscope_type_get_envelope_c(ddtscope_context* context, ddtscope_datatype datatype,
                                              int64_t* num_integers, int64_t* num_addresses, int64_t* num_large_counts,
                                              int64_t* num_datatypes, int* combiner);

/* MPI_Type_get_contents: the constructor's arguments, in arrays of max_ elements; those beyond the envelope's numbers
 * are left alone. The datatypes are handles of the context; nothing needs freeing.
 * DDTSCOPE_ERR_TYPE: the type is a named predefined one, or was made with large counts.
 * DDTSCOPE_ERR_ARG: a max_ argument is smaller than the envelope's number. */
DDTSCOPE_API int ddtscope_type_get_contents(ddtscope_context* context, ddtscope_datatype datatype, int max_integers,
                                            int max_addresses, int max_datatypes, int array_of_integers[],
                                            int64_t array_of_addresses[], ddtscope_datatype array_of_datatypes[]);
/* MPI_Type_get_contents_c: the same, for all types. */
DDTSCOPE_API int ddtscope_type_get_contents_c(ddtscope_context* context, ddtscope_datatype datatype,
                                              int64_t max_integers, int64_t max_addresses, int64_t max_large_counts,
                                              int64_t max_datatypes, int array_of_integers[],
                                              int64_t array_of_addresses[], int64_t array_of_large_counts[],
                                              ddtscope_datatype array_of_datatypes[]);

/* The inverse: the type whose envelope and contents these are, as a debugger has them from a library's decoding calls
 * (orders and distributions translated to DDTSCOPE_ORDER_C and so on). Large counts make it the large form. The
 * numbers are those of the envelope. Errors as for the constructors; DDTSCOPE_ERR_ARG also for numbers that do not
 * fit the combiner, DDTSCOPE_ERR_TYPE for such a number of datatypes and for DDTSCOPE_COMBINER_NAMED. */
DDTSCOPE_API int ddtscope_type_from_contents(ddtscope_context* context, int combiner, int64_t num_integers,
                                             int64_t num_addresses, int64_t num_large_counts, int64_t num_datatypes,
                                             const int array_of_integers[], const int64_t array_of_addresses[],
                                             const int64_t array_of_large_counts[],
                                             const ddtscope_datatype array_of_datatypes[], ddtscope_datatype* newtype);

/* ---------------------------------------------------------------------------------------------------------------
 * Names and text
 */

/* MPI_Type_set_name (7.8): the name by which texts call the type. NULL or "" takes it away. It should be UTF-8: it is
 * not looked at, and comes back as it was given, here and in all texts. */
DDTSCOPE_API int ddtscope_type_set_name(ddtscope_context* context, ddtscope_datatype datatype, const char* name);

/* The name that was set; else a predefined type's own; else "T" and a number, the type's for good. Text as above. */
DDTSCOPE_API int ddtscope_type_get_name(ddtscope_context* context, ddtscope_datatype datatype, char* buffer,
                                        size_t size, size_t* length);

/* The hash of the definition that ddtscope's traces know it by: equal for equal calls, in every process and library. */
DDTSCOPE_API int ddtscope_type_get_key(ddtscope_context* context, ddtscope_datatype datatype, uint64_t* key);

/* The constructor call in C: "MPI_Type_vector(3, 2, 5, MPI_DOUBLE)", derived oldtypes by their names, arrays in
 * braces, cut after `array_limit` values. For a predefined type its name. */
DDTSCOPE_API int ddtscope_constructor_text(ddtscope_context* context, ddtscope_datatype datatype, size_t array_limit,
                                           char* buffer, size_t size, size_t* length);

/* C code that makes the type: declarations of variables t0, t1, ... and a constructor call for each derived type that
 * it is made of, oldtypes first, one per line; the last variable is the type itself. For a predefined type its name. */
DDTSCOPE_API int ddtscope_c_code(ddtscope_context* context, ddtscope_datatype datatype, char* buffer, size_t size,
                                 size_t* length);

/* The number by which a type is named in the short notation. Must not use the context. */
typedef uint64_t (*ddtscope_number_function)(ddtscope_datatype datatype, void* data);

/* The type in the short notation, "U1(V:d:3:2:5)": one line, as long as the description; shared parts are spelt once.
 * decoder/notation/bnf.md in ddtscope's sources explains it. Types are numbered by `number_of(type, data)`, which must
 * differ for different types, or, where it is NULL, from 1 in the order of the text. */
DDTSCOPE_API int ddtscope_bnf_text(ddtscope_context* context, ddtscope_datatype datatype,
                                   ddtscope_number_function number_of, void* data, char* buffer, size_t size,
                                   size_t* length);

/* The inverse: the type that `length` characters of `text` describe. Where there is an error, `*position`, unless
 * `position` is NULL, is where in the text, the message says what was expected there, and the class is that of the
 * argument that is wrong: DDTSCOPE_ERR_ARG for the notation itself, DDTSCOPE_ERR_TYPE for a name that is no
 * datatype's. */
DDTSCOPE_API int ddtscope_bnf_parse(ddtscope_context* context, const char* text, size_t length,
                                    ddtscope_datatype* datatype, size_t* position);

/* ---------------------------------------------------------------------------------------------------------------
 * Bounds (5.1.5, 5.1.7, 5.1.8)
 */

/* Whose arithmetic. The extents of oldtypes say where a type's entries lie, so the rule decides over the typemap as
 * well: each rule is applied from the leaves up, with its own extents. A stride is taken as it was given: where Open
 * MPI takes a stride of -1 byte for the extent of a block, the rule follows it in the bounds only, not in the
 * entries; ddtscope_get_portability() says where. */
enum {
  DDTSCOPE_RULE_STANDARD = 0, /* MPI-4.1 by its text */
  DDTSCOPE_RULE_OPENMPI = 1,  /* what Open MPI computes, its mistakes included */
  DDTSCOPE_RULE_MPICH = 2,    /* what MPICH computes, the same */
  DDTSCOPE_RULE_OBSERVED = 3  /* what a library in a job has said, by ddtscope_observe_bounds(); else the standard */
};

/* "standard", "openmpi", "mpich", "observed"; "" for a number that is no rule. Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_rule_name(int rule);
/* What the rule models unless a context is told otherwise: "MPI-4.1", or the newest modelled release of the library,
 * "Open MPI 6.0.0rc2"; "" for DDTSCOPE_RULE_OBSERVED and for a number that is no rule. Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_rule_version(int rule);
/* The releases of a library that are modelled, newest first: "Open MPI 6.0.0rc2" at index 0; "" behind the last one.
 * Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_modelled_version(int rule, size_t index);

/* Which release of a library DDTSCOPE_RULE_OPENMPI or DDTSCOPE_RULE_MPICH stands for in this context from now on.
 * `library_version` is what MPI_Get_library_version gives, or a number alone: "5.0.7". Where that very release is not
 * modelled, the last modelled one before it is taken, before the first one the first, and for what is no release of the
 * library the newest: then ddtscope_get_library_version() has a remark. DDTSCOPE_ERR_ARG: no rule of a library. */
DDTSCOPE_API int ddtscope_set_library_version(ddtscope_context* context, int rule, const char* library_version);
/* The release that a rule stands for in this context, "Open MPI 5.0.7", and a sentence that says so where
 * ddtscope_set_library_version() named none that is modelled; else "". They live until the rule's version is set again,
 * at most as long as the context. Either may be NULL. DDTSCOPE_ERR_ARG: no such rule, or DDTSCOPE_RULE_OBSERVED. */
DDTSCOPE_API int ddtscope_get_library_version(ddtscope_context* context, int rule, const char** release,
                                              const char** remark);

/* Bytes. lb + extent = ub, true_lb + true_extent = true_ub. Under the rules of the two libraries a value that the
 * library's _x call would give as MPI_UNDEFINED has bits 0. Under the standard's rule values are exact: a size of 2^65
 * has bits 128, and ddtscope_to_count() gives DDTSCOPE_UNDEFINED for it as MPI_Type_size_x would; bits 0 means that
 * 128 bits do not hold the value. */
typedef struct ddtscope_bounds {
  ddtscope_integer size;
  ddtscope_integer lb, ub, extent;
  ddtscope_integer true_lb, true_ub, true_extent;
} ddtscope_bounds;

/* The bounds under a rule. What MPI_Type_size, MPI_Type_get_extent and MPI_Type_get_true_extent would give is
 * ddtscope_to_int() and ddtscope_to_count() of these. DDTSCOPE_ERR_ARG: no such rule. */
DDTSCOPE_API int ddtscope_get_bounds(ddtscope_context* context, ddtscope_datatype datatype, int rule,
                                     ddtscope_bounds* bounds);

/* Says what the library of a job reports of a derived type: types made of it are laid out with it under
 * DDTSCOPE_RULE_OBSERVED. Values with bits 0 are not known; ub and true_ub are not looked at. Must come before the
 * type, or one made of it, is asked for under that rule. DDTSCOPE_ERR_OTHER: it comes too late. DDTSCOPE_ERR_TYPE:
 * the type is a named predefined one. DDTSCOPE_ERR_ARG: a value has bits other than 64 and 0. */
DDTSCOPE_API int ddtscope_observe_bounds(ddtscope_context* context, ddtscope_datatype datatype,
                                         const ddtscope_bounds* bounds);

/* How much memory `count` copies need, as a temporary buffer must have it (5.1.8): bytes from `*first`, relative to
 * the buffer's address, to `*first + *length`. A program that allocates `*length` bytes passes their address less
 * `*first`. DDTSCOPE_ERR_COUNT: count is negative. DDTSCOPE_ERR_ARG: no such rule. */
DDTSCOPE_API int ddtscope_get_span(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                                   ddtscope_integer* first, ddtscope_integer* length);

/* ---------------------------------------------------------------------------------------------------------------
 * Typemaps and signatures (5.1), of `count` copies, which stand one extent apart, as a communication call has them
 *
 * Nothing is expanded: going to entry k of a type of 10^18 entries takes a microsecond or so, whatever k is. Reading
 * on takes time for what is read only; batches of some hundred elements cost least. In all of them DDTSCOPE_ERR_COUNT
 * is a negative count, DDTSCOPE_ERR_ARG a rule that is none.
 */

typedef struct ddtscope_typemap {
  ddtscope_integer entries; /* length of the typemap */
  /* Contiguous blocks: entry k + 1 joins entry k where it begins at the byte at which entry k ends. */
  ddtscope_integer blocks;
  ddtscope_integer signature_runs; /* of equal basic types */
  int64_t alignment;               /* the largest of the basic types', 1 where there is none */
} ddtscope_typemap;

DDTSCOPE_API int ddtscope_get_typemap(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                                      ddtscope_typemap* typemap);

/* One entry of a typemap. */
typedef struct ddtscope_entry {
  const char* basic_type; /* the first name in Annex A, "MPI_INT", or "F90_REAL(15,307)"; lives as the context does */
  int64_t displacement;
  int64_t size; /* of the basic type */
} ddtscope_entry;

/* Entries `first`, `first` + 1, ... in the standard's order, at most `max_entries`; `*number` becomes how many there
 * were, fewer than that only at the end. None where `first` is beyond the last.
 * DDTSCOPE_ERR_ARG: `first` is negative. DDTSCOPE_ERR_VALUE_TOO_LARGE: a displacement does not fit; `*number` are
 * before it, and written. */
DDTSCOPE_API int ddtscope_get_entries(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                                      ddtscope_integer first, size_t max_entries, ddtscope_entry entries[],
                                      size_t* number);

/* Contiguous bytes, as an iovec has them. */
typedef struct ddtscope_block {
  int64_t displacement;
  int64_t length;
} ddtscope_block;

/* The same with contiguous blocks. DDTSCOPE_ERR_VALUE_TOO_LARGE also where the number of blocks does not fit 128 bits
 * and `first` is not 0. */
DDTSCOPE_API int ddtscope_get_blocks(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                                     ddtscope_integer first, size_t max_blocks, ddtscope_block blocks[],
                                     size_t* number);

/* A run of equal basic types of the signature. */
typedef struct ddtscope_run {
  const char* basic_type; /* as in ddtscope_entry */
  ddtscope_integer repeat;
} ddtscope_run;

/* The same with the runs of the type signature, equal neighbours merged, which no rule changes. */
DDTSCOPE_API int ddtscope_get_signature(ddtscope_context* context, ddtscope_datatype datatype, int64_t count,
                                        ddtscope_integer first, size_t max_runs, ddtscope_run runs[], size_t* number);

/* Answers that may need more work than a function does. */
enum { DDTSCOPE_NO = 0, DDTSCOPE_YES = 1, DDTSCOPE_UNDECIDED = 2 };

/* The entry that covers a byte. */
typedef struct ddtscope_covering {
  int is_covered;            /* DDTSCOPE_YES; otherwise what follows is 0 and NULL */
  const char* basic_type;    /* as in ddtscope_entry */
  ddtscope_integer copy;     /* which of the `count` copies it belongs to */
  ddtscope_integer entry;    /* its number among the entries of that copy */
  ddtscope_integer in_entry; /* which of the entry's bytes it is, from 0 */
} ddtscope_covering;

/* Which entry covers the byte that lies `byte` bytes from the buffer's address; any one of them where entries overlap.
 * DDTSCOPE_UNDECIDED where many blocks that lie among each other would have to be tried. */
DDTSCOPE_API int ddtscope_find_byte(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                                    int64_t byte, ddtscope_covering* covering);

/* One constructor on the way from a type down to one of its entries: the entry belongs to copy `element` of the
 * oldtype in block `block`. Constructors without blocks (contiguous, subarray, darray, resized, dup) have block 0, and
 * `element` counts the oldtype's copies; for a struct `block` is the member. */
typedef struct ddtscope_step {
  ddtscope_datatype datatype;
  ddtscope_integer block;
  ddtscope_integer element;
} ddtscope_step;

/* The way to entry `entry` of one copy, outermost constructor first; the predefined type at its end is no step, but
 * a pair type is one, whose block is the part. At most `max_steps` are written; `*number` becomes how many there are.
 * DDTSCOPE_ERR_ARG: there is no such entry. */
DDTSCOPE_API int ddtscope_get_path(ddtscope_context* context, ddtscope_datatype datatype, ddtscope_integer entry,
                                   size_t max_steps, ddtscope_step steps[], size_t* number);

/* The same as text: "T9 block 2, element 0 > T3 member 1 > MPI_INT", by the types' names; for a predefined type just
 * its name. */
DDTSCOPE_API int ddtscope_path_text(ddtscope_context* context, ddtscope_datatype datatype, ddtscope_integer entry,
                                    char* buffer, size_t size, size_t* length);

/* ---------------------------------------------------------------------------------------------------------------
 * Equality and matching
 */

/* Equal for equal sequences, however they were built, on every machine; different sequences have different ones but
 * for a chance of about 2^-100. All zeros for the empty sequence. */
typedef struct ddtscope_fingerprint {
  uint64_t words[2];
} ddtscope_fingerprint;

/* Of the typemap: of the basic types and their displacements, in order. DDTSCOPE_ERR_VALUE_TOO_LARGE: a displacement
 * or the number of entries does not fit 128 bits. DDTSCOPE_ERR_ARG: no such rule. */
DDTSCOPE_API int ddtscope_layout_fingerprint(ddtscope_context* context, ddtscope_datatype datatype, int rule,
                                             ddtscope_fingerprint* fingerprint);
/* Of the type signature: of the basic types, in order. Errors as above. */
DDTSCOPE_API int ddtscope_signature_fingerprint(ddtscope_context* context, ddtscope_datatype datatype,
                                                ddtscope_fingerprint* fingerprint);

enum {
  DDTSCOPE_MATCH_EQUAL = 0,           /* the same signature */
  DDTSCOPE_MATCH_RECEIVE_LONGER = 1,  /* the receive goes on where the send ends: allowed (3.2.4) */
  DDTSCOPE_MATCH_PACKED = 2,          /* one side is nothing but MPI_PACKED, and there is room: allowed (5.2) */
  DDTSCOPE_MATCH_SEND_LONGER = 3,     /* the send goes on where the receive ends: MPI_ERR_TRUNCATE */
  DDTSCOPE_MATCH_DIFFERENT_TYPES = 4, /* the basic types part */
  DDTSCOPE_MATCH_BYTES_AND_TYPES = 5, /* they part where one side has MPI_BYTE, and the other a typed entry */
  DDTSCOPE_MATCH_UNDECIDED = 6        /* a length does not fit 128 bits, and they are not copies of one type */
};

/* Where two messages first part: at an entry of the whole message. */
typedef struct ddtscope_match {
  int result;         /* DDTSCOPE_MATCH_EQUAL and so on */
  int is_allowed;     /* 1 for the first three of them */
  int has_difference; /* 1 for SEND_LONGER, DIFFERENT_TYPES and BYTES_AND_TYPES; what follows is set only then */
  ddtscope_integer entry;
  /* The basic type of each side there, as in ddtscope_entry; NULL where that side has ended. */
  const char *send_type, *receive_type;
  ddtscope_integer send_displacement, receive_displacement;
} ddtscope_match;

/* Whether what is sent as `send_count` copies of one type may be received as `receive_count` copies of another
 * (3.3.1). Basic types are equal when they have the same name in Annex A, synonyms folded. Errors:
 * DDTSCOPE_ERR_COUNT, and DDTSCOPE_ERR_ARG for a rule that is none; the rule only decides over displacements. */
DDTSCOPE_API int ddtscope_get_match(ddtscope_context* context, ddtscope_datatype send_type, int64_t send_count,
                                    ddtscope_datatype receive_type, int64_t receive_count, int rule,
                                    ddtscope_match* match);

/* The same in sentences, with the paths in both types to where they part. */
DDTSCOPE_API int ddtscope_match_text(ddtscope_context* context, ddtscope_datatype send_type, int64_t send_count,
                                     ddtscope_datatype receive_type, int64_t receive_count, int rule, char* buffer,
                                     size_t size, size_t* length);

/* ---------------------------------------------------------------------------------------------------------------
 * Overlap
 */

/* Whether a byte is touched more than once, which makes a receive into it erroneous (5.1.11). Each answer is
 * exact, or DDTSCOPE_UNDECIDED where some 50 ms of work for it do not do. */
typedef struct ddtscope_overlap {
  int within;   /* by two entries of one copy */
  int copies;   /* by two different copies, when there are enough of them */
  int of_count; /* anywhere in the `count` copies asked for */
  /* The smallest distance of copies that overlap, where copies is yes and the distance was found; else bits is 0. */
  ddtscope_integer nearest_copies;
} ddtscope_overlap;

DDTSCOPE_API int ddtscope_get_overlap(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                                      ddtscope_overlap* overlap);

/* ---------------------------------------------------------------------------------------------------------------
 * Findings: what is remarkable about a type in itself
 *
 * What `ddtscope check` and `ddtscope show` tell, here of one type. The rule says whose bounds are in use:
 * DDTSCOPE_RULE_OBSERVED for a type of a job. How the other types of the context use this one matters as well: the
 * bounds of a type that is resized are a step on the way, and explicit bounds may change nothing but in a struct around
 * the type. So all types that the context has are laid out under the rule, which is too late for
 * ddtscope_observe_bounds() where it is DDTSCOPE_RULE_OBSERVED; types that are made later may change an answer. The
 * first answer takes time for each type of the context; the next ones for new types only. In all of them
 * DDTSCOPE_ERR_ARG is a rule that is none.
 */

enum {
  DDTSCOPE_SEVERITY_NOTE = 0,    /* worth knowing */
  DDTSCOPE_SEVERITY_WARNING = 1, /* wrong in the usual use */
  DDTSCOPE_SEVERITY_ERROR = 2    /* cannot be right */
};

/* "note", "warning", "error"; "" for a number that is no severity. Lives as long as the program. */
DDTSCOPE_API const char* ddtscope_severity_name(int severity);

/* A kind of finding; what it points to lives as long as the program. */
typedef struct ddtscope_finding_kind {
  const char* id;          /* "copies-overlap": stable for ever */
  int severity;            /* the highest that it is given */
  const char* title;       /* a few words */
  const char* explanation; /* what it is, why it hurts, when it is harmless, the standard's sections: paragraphs */
  const char* example;     /* C code that shows it, and the mended code */
} ddtscope_finding_kind;

/* All kinds, in the order in which findings of equal severity are told; NULL where `index` is not below their number.
 * Lives as long as the program. */
DDTSCOPE_API const ddtscope_finding_kind* ddtscope_finding_kind_at(size_t index);
/* The kind of an id; NULL for NULL, and where there is none. Lives as long as the program. */
DDTSCOPE_API const ddtscope_finding_kind* ddtscope_find_finding_kind(const char* id);

/* A finding about a type. */
typedef struct ddtscope_finding {
  const ddtscope_finding_kind* kind;
  int severity;        /* DDTSCOPE_SEVERITY_NOTE and so on; not above the kind's */
  const char* message; /* what, with this type's numbers; types by their names */
  const char* advice;  /* what to do */
} ddtscope_finding;

/* The findings about a type: errors first, then warnings, then notes. None about predefined types, nor where the type
 * has it only because its oldtype has. At most `max_findings` are written; `*number` becomes how many there are.
 * Messages and advice live until the next call of this function on the context. */
DDTSCOPE_API int ddtscope_get_findings(ddtscope_context* context, ddtscope_datatype datatype, int rule,
                                       size_t max_findings, ddtscope_finding findings[], size_t* number);

/* Whether a type means the same by the standard and in all releases of Open MPI and MPICH that
 * ddtscope_modelled_version() names. */
typedef struct ddtscope_portability {
  int is_portable;   /* 1 where bounds and typemap are the same in all of them, else 0 */
  int moves_data;    /* 1 where several copies, or a type made of it, touch other bytes */
  int moves_entries; /* 1 where one copy does */
} ddtscope_portability;

/* The answer, and a sentence for each difference: "The extent is 24 by MPI-4.1 and in Open MPI 4.1 to 6.0, 20
 * in MPICH 4.0 to 5.0." At most `max_reasons` are written; `*number` becomes how many there are: 0 where the type is
 * portable. They live until the next call of this function on the context. */
DDTSCOPE_API int ddtscope_get_portability(ddtscope_context* context, ddtscope_datatype datatype,
                                          ddtscope_portability* portability, size_t max_reasons, const char* reasons[],
                                          size_t* number);

/* A constructor call with fewer constructors or fewer arguments, for the same typemap in the same order and the same
 * bounds by the standard and in all modelled releases: "MPI_Type_contiguous(6, MPI_INT)", or the name of a predefined
 * type; "" where there is none. Oldtypes by their names. None is given where only an oldtype has a simpler form, and
 * where a type made of this one would not be the same if made of the simpler one. */
DDTSCOPE_API int ddtscope_simpler_text(ddtscope_context* context, ddtscope_datatype datatype, int rule, char* buffer,
                                       size_t size, size_t* length);

/* The type with all that it is made of as simple as can be: the same typemap in the same order, and the same bounds,
 * by the standard and in all modelled releases; the type itself where nothing is simpler. A struct around it may
 * differ, for explicit bounds that change nothing in the type are left out. Types that the context did not have are
 * added to it. */
DDTSCOPE_API int ddtscope_type_normal_form(ddtscope_context* context, ddtscope_datatype datatype, int rule,
                                           ddtscope_datatype* newtype);

/* ---------------------------------------------------------------------------------------------------------------
 * The accessors of 1995
 *
 * MPI_Type_count and MPI_Type_elements of a proposal to the MPI Forum (mpi-external archive, August 1995), for tools
 * that walk down a type with one loop: a type is `count` blocks of older types, each with a block length and a
 * displacement, and one asks again for those until nothing but basic types is left. Constructors that came later are
 * put in these terms; the older types may then be such that the context did not have before. Blocklengths are 64-bit,
 * so that large counts have room; the print of that proposal is ddtscope_bnf_text().
 */

enum {
  DDTSCOPE_BASIC = 0,    /* a predefined type: itself is the one element's type */
  DDTSCOPE_CONTIG = 1,   /* one element: the count as its blocklength. Also MPI_Type_dup, with a count of 1 */
  DDTSCOPE_VECTOR = 2,   /* as many elements as the count; only the first one's values are written: */
  DDTSCOPE_HVECTOR = 3,  /* the blocklength, the stride as displacement (in extents; in bytes for HVECTOR), oldtype */
  DDTSCOPE_INDEXED = 4,  /* blocklengths and displacements of all blocks, one oldtype; also with equal blocks */
  DDTSCOPE_HINDEXED = 5, /* the same, displacements in bytes */
  DDTSCOPE_STRUCT = 6,   /* blocklengths, displacements and types of all members */
  DDTSCOPE_RESIZED = 7   /* not of 1995: as a struct of MPI_LB, the oldtype and MPI_UB, whose markers replace those
                          * that the oldtype has. Also subarrays and darrays, which have bounds of their own */
};

/* The number of elements: the blocks of a vector or an indexed type, the members of a struct, 1 or 3 as above. */
DDTSCOPE_API int ddtscope_type_count(ddtscope_context* context, ddtscope_datatype datatype, int64_t* count);

/* The first `*count` elements at most; `*count` becomes their number. Arrays of `*count` elements each, which may be
 * NULL where that is 0. Elements that the combiner does not speak of are left alone.
 * DDTSCOPE_ERR_COUNT: `*count` is negative. DDTSCOPE_ERR_VALUE_TOO_LARGE: a displacement does not fit. */
DDTSCOPE_API int ddtscope_type_elements(ddtscope_context* context, ddtscope_datatype datatype, int64_t* count,
                                        int* combiner, int64_t array_of_blocklengths[],
                                        int64_t array_of_displacements[], ddtscope_datatype array_of_types[]);

#ifdef __cplusplus
}
#endif

#endif
