// One type of each constructor that the library declares, named after it, none of them ever freed.
#include "testapp.h"

static void int_constructors(void) {
  MPI_Datatype vector, type;
  CHECK(MPI_Type_vector(3, 2, 4, MPI_INT, &vector));
  name_and_print(vector, "vector");
  CHECK(MPI_Type_dup(vector, &type));
  name_and_print(type, "dup");
  CHECK(MPI_Type_contiguous(5, MPI_DOUBLE, &type));
  name_and_print(type, "contiguous");
  CHECK(MPI_Type_create_hvector(3, 2, 20, MPI_SHORT, &type));
  name_and_print(type, "hvector");
  CHECK(MPI_Type_indexed(3, (int[]){2, 1, 3}, (int[]){0, 5, 8}, MPI_INT, &type));
  name_and_print(type, "indexed");
  CHECK(MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){4, 16}, MPI_FLOAT, &type));
  name_and_print(type, "hindexed");
  CHECK(MPI_Type_create_indexed_block(3, 2, (int[]){1, 4, 9}, MPI_INT, &type));
  name_and_print(type, "indexed_block");
  CHECK(MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){0, 32}, MPI_CHAR, &type));
  name_and_print(type, "hindexed_block");
  CHECK(MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 8, 24},
                               (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, vector}, &type));
  name_and_print(type, "struct");
  CHECK(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C, MPI_DOUBLE, &type));
  name_and_print(type, "subarray, C");
  CHECK(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type));
  name_and_print(type, "subarray, Fortran");
  CHECK(MPI_Type_create_darray(4, 1, 2, (int[]){8, 6}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                               (int[]){MPI_DISTRIBUTE_DFLT_DARG, 1}, (int[]){2, 2}, MPI_ORDER_C, MPI_INT, &type));
  name_and_print(type, "darray");
  CHECK(MPI_Type_create_resized(MPI_INT, -4, 16, &type));
  name_and_print(type, "resized");
  CHECK(MPI_Type_create_f90_real(15, 307, &type));
  print_bounds("f90_real", type);
  CHECK(MPI_Type_create_f90_complex(6, 37, &type));
  print_bounds("f90_complex", type);
  CHECK(MPI_Type_create_f90_integer(9, &type));
  print_bounds("f90_integer", type);
  CHECK(MPI_Type_contiguous(2, MPI_DOUBLE_INT, &type));
  name_and_print(type, "pairs");
  CHECK(MPI_Type_contiguous(2, MPI_LONG_LONG, &type));
  name_and_print(type, "synonym");
}

static void large_count_constructors(void) {
#ifdef HAS_LARGE_COUNTS
  MPI_Datatype vector, type;
  CHECK(MPI_Type_vector_c(3, 2, 4, MPI_INT, &vector));
  name_and_print(vector, "vector_c");
  CHECK(MPI_Type_contiguous_c(5, MPI_DOUBLE, &type));
  name_and_print(type, "contiguous_c");
  CHECK(MPI_Type_contiguous_c((MPI_Count)3 << 31, MPI_DOUBLE, &type));
  name_and_print(type, "contiguous_c beyond int");
  CHECK(MPI_Type_create_hvector_c(3, 2, 20, MPI_SHORT, &type));
  name_and_print(type, "hvector_c");
  CHECK(MPI_Type_indexed_c(3, (MPI_Count[]){2, 1, 3}, (MPI_Count[]){0, 5, 8}, MPI_INT, &type));
  name_and_print(type, "indexed_c");
  CHECK(MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){4, 16}, MPI_FLOAT, &type));
  name_and_print(type, "hindexed_c");
  CHECK(MPI_Type_create_indexed_block_c(3, 2, (MPI_Count[]){1, 4, 9}, MPI_INT, &type));
  name_and_print(type, "indexed_block_c");
  CHECK(MPI_Type_create_hindexed_block_c(2, 3, (MPI_Count[]){0, 32}, MPI_CHAR, &type));
  name_and_print(type, "hindexed_block_c");
  CHECK(MPI_Type_create_struct_c(3, (MPI_Count[]){1, 2, 1}, (MPI_Count[]){0, 8, 24},
                                 (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, vector}, &type));
  name_and_print(type, "struct_c");
  CHECK(MPI_Type_create_subarray_c(2, (MPI_Count[]){4, 6}, (MPI_Count[]){2, 3}, (MPI_Count[]){1, 2}, MPI_ORDER_C,
                                   MPI_DOUBLE, &type));
  name_and_print(type, "subarray_c");
  CHECK(MPI_Type_create_darray_c(4, 1, 2, (MPI_Count[]){8, 6}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                                 (int[]){MPI_DISTRIBUTE_DFLT_DARG, 1}, (int[]){2, 2}, MPI_ORDER_C, MPI_INT, &type));
  name_and_print(type, "darray_c");
  CHECK(MPI_Type_create_resized_c(MPI_INT, -4, 16, &type));
  name_and_print(type, "resized_c");
#endif
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int_constructors();
  large_count_constructors();
  CHECK(MPI_Finalize());
  return 0;
}
