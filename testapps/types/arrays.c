// Subarrays and distributed arrays that differ from rank to rank, beside a type that is the same in all.
#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int rank, ranks;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  char label[64];

  MPI_Datatype row;
  CHECK(MPI_Type_contiguous(12, MPI_DOUBLE, &row));
  CHECK(MPI_Type_commit(&row));

  MPI_Datatype part;
  CHECK(MPI_Type_create_subarray(2, (int[]){8, 12}, (int[]){8 / ranks, 12}, (int[]){rank * (8 / ranks), 0}, MPI_ORDER_C,
                                 MPI_DOUBLE, &part));
  CHECK(MPI_Type_commit(&part));
  snprintf(label, sizeof label, "rank %d: subarray", rank);
  print_bounds(label, part);

  MPI_Datatype block, cyclic;
  CHECK(MPI_Type_create_darray(ranks, rank, 2, (int[]){8, 12}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE},
                               (int[]){MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){ranks, 1},
                               MPI_ORDER_C, MPI_DOUBLE, &block));
  snprintf(label, sizeof label, "rank %d: darray, blocks", rank);
  print_bounds(label, block);
  CHECK(MPI_Type_create_darray(ranks, rank, 2, (int[]){8, 12}, (int[]){MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC},
                               (int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (int[]){1, ranks}, MPI_ORDER_FORTRAN, MPI_FLOAT,
                               &cyclic));
  snprintf(label, sizeof label, "rank %d: darray, cyclic", rank);
  print_bounds(label, cyclic);

  CHECK(MPI_Type_free(&cyclic));
  CHECK(MPI_Type_free(&block));
  CHECK(MPI_Type_free(&part));
  CHECK(MPI_Type_free(&row));
  CHECK(MPI_Finalize());
  return 0;
}
