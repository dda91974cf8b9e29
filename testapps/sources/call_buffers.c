/* Buffers of each kind of call that has more of them than one, or others: v- and w-collectives, reductions, one-sided
   operations, files, pack and unpack. Each call is made with variables that are what their datatypes say (right_...),
   and with one that is not: wrong_..., whose name says which call and argument it is. */
#include <stdlib.h>

#include "testapp.h"

#define NOINLINE __attribute__((noinline))
#define USED(p) __asm__ volatile("" : : "g"(p) : "memory")

enum { n = 6 };
static MPI_Comm self;
static const int counts[1] = {n}, places[1] = {0}, bytes[1] = {0};
static MPI_Datatype doubles[1];

static void NOINLINE of_v(void) {
  int right_sent[n] = {1}, right_received[n] = {0};
  double wrong_alltoallv_send[n] = {1}, wrong_alltoallv_recv[n] = {0}, wrong_allgatherv_recv[n] = {0};
  double wrong_gatherv_recv[n] = {0}, wrong_scatterv_send[n] = {0}, wrong_allgatherv_send[n] = {0};
  double* wrong_ialltoallv_send = calloc(n, sizeof(double));
  MPI_Request request;
  CHECK(MPI_Alltoallv(right_sent, counts, places, MPI_INT, right_received, counts, places, MPI_INT, self));
  CHECK(MPI_Alltoallv(wrong_alltoallv_send, counts, places, MPI_INT, right_received, counts, places, MPI_INT, self));
  CHECK(MPI_Alltoallv(right_sent, counts, places, MPI_INT, wrong_alltoallv_recv, counts, places, MPI_INT, self));
  CHECK(MPI_Allgatherv(right_sent, n, MPI_INT, right_received, counts, places, MPI_INT, self));
  CHECK(MPI_Allgatherv(right_sent, n, MPI_INT, wrong_allgatherv_recv, counts, places, MPI_INT, self));
  CHECK(MPI_Allgatherv(wrong_allgatherv_send, n, MPI_INT, right_received, counts, places, MPI_INT, self));
  CHECK(MPI_Gatherv(right_sent, n, MPI_INT, right_received, counts, places, MPI_INT, 0, self));
  CHECK(MPI_Gatherv(right_sent, n, MPI_INT, wrong_gatherv_recv, counts, places, MPI_INT, 0, self));
  CHECK(MPI_Scatterv(right_sent, counts, places, MPI_INT, right_received, n, MPI_INT, 0, self));
  CHECK(MPI_Scatterv(wrong_scatterv_send, counts, places, MPI_INT, right_received, n, MPI_INT, 0, self));
  CHECK(MPI_Ialltoallv(wrong_ialltoallv_send, counts, places, MPI_INT, right_received, counts, places, MPI_INT, self,
                       &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  USED(right_sent);
  USED(right_received);
  USED(wrong_alltoallv_send);
  USED(wrong_alltoallv_recv);
  USED(wrong_allgatherv_recv);
  USED(wrong_allgatherv_send);
  USED(wrong_gatherv_recv);
  USED(wrong_scatterv_send);
  USED(wrong_ialltoallv_send);
  free(wrong_ialltoallv_send);
}

/* Displacements are 0: with one process Open MPI 4.1 counts those of Alltoallw in extents, not in bytes. */
struct halo {
  long steps;
  double values[n];
};

static void NOINLINE of_w(void) {
  struct halo right_halo = {1, {0}}, wrong_alltoallw_recv = {1, {0}};
  double right_doubles[n] = {1};
  float wrong_alltoallw_send[2 * n] = {1};
  CHECK(MPI_Alltoallw(right_doubles, counts, bytes, doubles, right_halo.values, counts, bytes, doubles, self));
  CHECK(MPI_Alltoallw(wrong_alltoallw_send, counts, bytes, doubles, right_halo.values, counts, bytes, doubles, self));
  CHECK(MPI_Alltoallw(right_doubles, counts, bytes, doubles, &wrong_alltoallw_recv, counts, bytes, doubles, self));
  USED(right_doubles);
  USED(&right_halo);
  USED(&wrong_alltoallw_recv);
  USED(wrong_alltoallw_send);
}

static void NOINLINE of_neighbours(void) {
  const int sides[1] = {1}, periods[1] = {1};
  const int two_counts[2] = {2, 2}, two_places[2] = {0, 2};
  const MPI_Aint two_bytes[2] = {0, 2 * sizeof(double)};
  const MPI_Datatype two_doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Comm ring;
  int right_in[4] = {1}, right_out[4] = {0};
  double right_in_doubles[4] = {1}, right_out_doubles[4] = {0};
  double wrong_neighbor_alltoallv_send[4] = {1};
  long wrong_neighbor_alltoallw_recv[4] = {1};
  CHECK(MPI_Cart_create(self, 1, sides, periods, 0, &ring));
  CHECK(MPI_Neighbor_alltoallv(right_in, two_counts, two_places, MPI_INT, right_out, two_counts, two_places, MPI_INT,
                               ring));
  CHECK(MPI_Neighbor_alltoallv(wrong_neighbor_alltoallv_send, two_counts, two_places, MPI_INT, right_out, two_counts,
                               two_places, MPI_INT, ring));
  CHECK(MPI_Neighbor_alltoallw(right_in_doubles, two_counts, two_bytes, two_doubles, right_out_doubles, two_counts,
                               two_bytes, two_doubles, ring));
  CHECK(MPI_Neighbor_alltoallw(right_in_doubles, two_counts, two_bytes, two_doubles, wrong_neighbor_alltoallw_recv,
                               two_counts, two_bytes, two_doubles, ring));
  CHECK(MPI_Comm_free(&ring));
  USED(right_in);
  USED(right_out);
  USED(right_in_doubles);
  USED(right_out_doubles);
  USED(wrong_neighbor_alltoallv_send);
  USED(wrong_neighbor_alltoallw_recv);
}

static void NOINLINE of_reductions(void) {
  double right_in[n] = {1}, right_out[n] = {0};
  float wrong_allreduce_send[2 * n] = {1}, wrong_reduce_local_in[2 * n] = {1};
  long wrong_allreduce_recv[n] = {1}, wrong_scan_recv[n] = {1};
  CHECK(MPI_Allreduce(right_in, right_out, n, MPI_DOUBLE, MPI_SUM, self));
  CHECK(MPI_Allreduce(wrong_allreduce_send, right_out, n, MPI_DOUBLE, MPI_SUM, self));
  CHECK(MPI_Allreduce(right_in, wrong_allreduce_recv, n, MPI_DOUBLE, MPI_SUM, self));
  CHECK(MPI_Scan(right_in, wrong_scan_recv, n, MPI_DOUBLE, MPI_SUM, self));
  CHECK(MPI_Reduce_local(right_in, right_out, n, MPI_DOUBLE, MPI_SUM));
  CHECK(MPI_Reduce_local(wrong_reduce_local_in, right_out, n, MPI_DOUBLE, MPI_SUM));
  USED(right_in);
  USED(right_out);
  USED(wrong_allreduce_send);
  USED(wrong_allreduce_recv);
  USED(wrong_scan_recv);
  USED(wrong_reduce_local_in);
}

static void NOINLINE of_windows(void) {
  static double memory[n];
  MPI_Win window;
  MPI_Request request;
  double right_origin[n] = {1}, right_result[n] = {1};
  long wrong_put_origin[n] = {1}, wrong_get_origin[n] = {1}, wrong_accumulate_origin[n] = {1};
  long wrong_get_accumulate_origin[n] = {1}, wrong_get_accumulate_result[n] = {1};
  float wrong_fetch_and_op_origin[4] = {1}, wrong_compare_and_swap_result[4] = {1};
  long right_number = 1, right_compared = 1;
  static long number;
  MPI_Win numbers;
  int* wrong_rput_origin = calloc(2 * n, sizeof(int));
  CHECK(MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &numbers));
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
  CHECK(MPI_Put(right_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Put(wrong_put_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Get(right_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Get(wrong_get_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Accumulate(right_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, MPI_SUM, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Accumulate(wrong_accumulate_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, MPI_SUM, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Get_accumulate(right_origin, n, MPI_DOUBLE, right_result, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, MPI_SUM,
                           window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Get_accumulate(wrong_get_accumulate_origin, n, MPI_DOUBLE, wrong_get_accumulate_result, n, MPI_DOUBLE, 0, 0,
                           n, MPI_DOUBLE, MPI_SUM, window));
  CHECK(MPI_Win_flush(0, window));
  CHECK(MPI_Rput(wrong_rput_origin, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Win_unlock(0, window));
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, numbers));
  CHECK(MPI_Fetch_and_op(&right_number, &right_compared, MPI_LONG, 0, 0, MPI_SUM, numbers));
  CHECK(MPI_Win_flush(0, numbers));
  CHECK(MPI_Fetch_and_op(wrong_fetch_and_op_origin, &right_compared, MPI_LONG, 0, 0, MPI_SUM, numbers));
  CHECK(MPI_Win_flush(0, numbers));
  CHECK(MPI_Compare_and_swap(&right_number, &right_compared, wrong_compare_and_swap_result, MPI_LONG, 0, 0, numbers));
  CHECK(MPI_Win_unlock(0, numbers));
  CHECK(MPI_Win_free(&window));
  CHECK(MPI_Win_free(&numbers));
  USED(right_origin);
  USED(right_result);
  USED(wrong_put_origin);
  USED(wrong_get_origin);
  USED(wrong_accumulate_origin);
  USED(wrong_get_accumulate_origin);
  USED(wrong_get_accumulate_result);
  USED(wrong_fetch_and_op_origin);
  USED(wrong_compare_and_swap_result);
  USED(&right_number);
  USED(&right_compared);
  USED(wrong_rput_origin);
  free(wrong_rput_origin);
}

static void NOINLINE of_files(const char* name) {
  MPI_File file;
  MPI_Request request;
  double right_written[n] = {1}, right_read[n] = {0};
  long wrong_write_at[n] = {1}, wrong_read_at[n] = {1}, wrong_write_all[n] = {1}, wrong_read[n] = {1};
  float* wrong_iwrite_at = calloc(2 * n, sizeof(float));
  CHECK(MPI_File_open(self, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  CHECK(MPI_File_write_at(file, 0, right_written, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_write_at(file, 0, wrong_write_at, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_at(file, 0, right_read, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_read_at(file, 0, wrong_read_at, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_write_all(file, right_written, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_write_all(file, wrong_write_all, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK(MPI_File_read(file, wrong_read, n, MPI_DOUBLE, MPI_STATUS_IGNORE));
  CHECK(MPI_File_iwrite_at(file, 0, wrong_iwrite_at, n, MPI_DOUBLE, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_File_close(&file));
  USED(right_written);
  USED(right_read);
  USED(wrong_write_at);
  USED(wrong_read_at);
  USED(wrong_write_all);
  USED(wrong_read);
  USED(wrong_iwrite_at);
  free(wrong_iwrite_at);
}

static void NOINLINE of_pack(void) {
  char right_packed[256] = {0};
  double right_inbuf[n] = {1}, right_outbuf[n] = {0};
  long wrong_pack_inbuf[n] = {1}, wrong_unpack_outbuf[n] = {1}, wrong_pack_external_inbuf[n] = {1};
  int position = 0;
  MPI_Aint external = 0;
  CHECK(MPI_Pack(right_inbuf, n, MPI_DOUBLE, right_packed, sizeof right_packed, &position, self));
  position = 0;
  CHECK(MPI_Pack(wrong_pack_inbuf, n, MPI_DOUBLE, right_packed, sizeof right_packed, &position, self));
  position = 0;
  CHECK(MPI_Unpack(right_packed, sizeof right_packed, &position, right_outbuf, n, MPI_DOUBLE, self));
  position = 0;
  CHECK(MPI_Unpack(right_packed, sizeof right_packed, &position, wrong_unpack_outbuf, n, MPI_DOUBLE, self));
  CHECK(MPI_Pack_external("external32", wrong_pack_external_inbuf, n, MPI_DOUBLE, right_packed, sizeof right_packed,
                          &external));
  USED(right_packed);
  USED(right_inbuf);
  USED(right_outbuf);
  USED(wrong_pack_inbuf);
  USED(wrong_unpack_outbuf);
  USED(wrong_pack_external_inbuf);
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  self = MPI_COMM_SELF;
  doubles[0] = MPI_DOUBLE;
  of_v();
  of_w();
  of_neighbours();
  of_reductions();
  of_windows();
  of_files(argv[1]);
  of_pack();
  CHECK(MPI_Finalize());
  return 0;
}
