// Each function that uses datatypes once, by one of its names: F(X) makes it of MPI_X's, G(X) of those that have no
// large form. COUNT and DISPLACEMENT are the types of the elements of arrays, NAMING(X) names what is defined here.
// Included by every_use.c for each naming. `count` elements of MPI_INT are moved;
// what else a call needs is of MPI_PACKED.

static void NAMING(point_to_point)(void) {
  MPI_Message message;
  MPI_Request send, request;
  CHECK(F(Irecv)(to, count, MPI_INT, 0, 1, self, &request));
  CHECK(F(Send)(from, count, MPI_INT, 0, 1, self));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(F(Isend)(from, count, MPI_INT, 0, 1, self, &send));
  CHECK(F(Recv)(to, count, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  // Modes: a receive is there before each of them.
#define SENT(...)                                                    \
  CHECK(MPI_Irecv(to, sizeof to, MPI_PACKED, 0, 1, self, &request)); \
  CHECK(__VA_ARGS__);                                                \
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE))
#define STARTED(...) \
  SENT(__VA_ARGS__); \
  CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE))
#define PERSISTENT(...)      \
  CHECK(__VA_ARGS__);        \
  STARTED(MPI_Start(&send)); \
  CHECK(MPI_Request_free(&send))
  SENT(F(Bsend)(from, count, MPI_INT, 0, 1, self));
  SENT(F(Rsend)(from, count, MPI_INT, 0, 1, self));
  SENT(F(Ssend)(from, count, MPI_INT, 0, 1, self));
  STARTED(F(Ibsend)(from, count, MPI_INT, 0, 1, self, &send));
  STARTED(F(Irsend)(from, count, MPI_INT, 0, 1, self, &send));
  STARTED(F(Issend)(from, count, MPI_INT, 0, 1, self, &send));
  PERSISTENT(F(Send_init)(from, count, MPI_INT, 0, 1, self, &send));
  PERSISTENT(F(Bsend_init)(from, count, MPI_INT, 0, 1, self, &send));
  PERSISTENT(F(Rsend_init)(from, count, MPI_INT, 0, 1, self, &send));
  PERSISTENT(F(Ssend_init)(from, count, MPI_INT, 0, 1, self, &send));
  CHECK(F(Recv_init)(to, count, MPI_INT, 0, 1, self, &request));
  CHECK(MPI_Start(&request));
  CHECK(MPI_Send(from, sizeof(int[count]), MPI_PACKED, 0, 1, self));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Request_free(&request));
  CHECK(MPI_Isend(from, sizeof(int[count]), MPI_PACKED, 0, 1, self, &send));
  CHECK(MPI_Mprobe(0, 1, self, &message, MPI_STATUS_IGNORE));
  CHECK(F(Mrecv)(to, count, MPI_INT, &message, MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  CHECK(MPI_Isend(from, sizeof(int[count]), MPI_PACKED, 0, 1, self, &send));
  CHECK(MPI_Mprobe(0, 1, self, &message, MPI_STATUS_IGNORE));
  CHECK(F(Imrecv)(to, count, MPI_INT, &message, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  CHECK(F(Sendrecv)(from, count, MPI_INT, 0, 1, to, count, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE));
  CHECK(F(Sendrecv_replace)(from, count, MPI_INT, 0, 1, 0, 1, self, MPI_STATUS_IGNORE));
#if MPI_VERSION >= 4
  CHECK(F(Isendrecv)(from, count, MPI_INT, 0, 1, to, count, MPI_INT, 0, 1, self, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(F(Isendrecv_replace)(from, count, MPI_INT, 0, 1, 0, 1, self, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(G(Psend_init)(from, 3, count, MPI_INT, 0, 9, self, MPI_INFO_NULL, &send));
  CHECK(G(Precv_init)(to, 3, count, MPI_INT, 0, 9, self, MPI_INFO_NULL, &request));
  CHECK(MPI_Start(&request));
  CHECK(MPI_Start(&send));
  CHECK(MPI_Pready_range(0, 2, send));
  CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Request_free(&send));
  CHECK(MPI_Request_free(&request));
#endif
}

static void NAMING(one_sided)(void) {
  static int memory[64];
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_Win window;
  int compared = 0;
  CHECK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, self, &window));
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
  CHECK(F(Put)(from, count, MPI_INT, 0, 0, count, MPI_INT, window));
  CHECK(F(Get)(to, count, MPI_INT, 0, 8, count, MPI_INT, window));
  CHECK(F(Accumulate)(from, count, MPI_INT, 0, 16, count, MPI_INT, MPI_SUM, window));
  CHECK(F(Get_accumulate)(from, count, MPI_INT, to + 8, count, MPI_INT, 0, 24, count, MPI_INT, MPI_SUM, window));
  CHECK(G(Fetch_and_op)(from, to + 16, MPI_INT, 0, 32, MPI_SUM, window));
  CHECK(G(Compare_and_swap)(from, &compared, to + 17, MPI_INT, 0, 33, window));
  CHECK(F(Rput)(from, count, MPI_INT, 0, 40, count, MPI_INT, window, &requests[0]));
  CHECK(F(Rget)(to + 20, count, MPI_INT, 0, 44, count, MPI_INT, window, &requests[1]));
  CHECK(F(Raccumulate)(from, count, MPI_INT, 0, 48, count, MPI_INT, MPI_SUM, window, &requests[2]));
  CHECK(F(Rget_accumulate)(from, count, MPI_INT, to + 24, count, MPI_INT, 0, 52, count, MPI_INT, MPI_SUM, window,
                           &requests[3]));
  CHECK(MPI_Waitall(4, requests, statuses));
  CHECK(MPI_Win_unlock(0, window));
  CHECK(MPI_Win_free(&window));
}

static void NAMING(files)(void) {
  MPI_Request request;
  MPI_File file;
  CHECK(MPI_File_open(self, "every_use.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file));
#define FINISHED(...) \
  CHECK(__VA_ARGS__); \
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE))
  CHECK(G(File_set_view)(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK(F(File_write)(file, from, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_write_all)(file, from, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_write_at)(file, 0, from, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_write_at_all)(file, 0, from, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_write_shared)(file, from, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_write_ordered)(file, from, count, MPI_INT, MPI_STATUS_IGNORE));
  FINISHED(F(File_iwrite)(file, from, count, MPI_INT, &request));
  FINISHED(F(File_iwrite_all)(file, from, count, MPI_INT, &request));
  FINISHED(F(File_iwrite_at)(file, 0, from, count, MPI_INT, &request));
  FINISHED(F(File_iwrite_at_all)(file, 0, from, count, MPI_INT, &request));
  FINISHED(F(File_iwrite_shared)(file, from, count, MPI_INT, &request));
  CHECK(F(File_write_all_begin)(file, from, count, MPI_INT));
  CHECK(MPI_File_write_all_end(file, from, MPI_STATUS_IGNORE));
  CHECK(F(File_write_at_all_begin)(file, 0, from, count, MPI_INT));
  CHECK(MPI_File_write_at_all_end(file, from, MPI_STATUS_IGNORE));
  CHECK(F(File_write_ordered_begin)(file, from, count, MPI_INT));
  CHECK(MPI_File_write_ordered_end(file, from, MPI_STATUS_IGNORE));
  CHECK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CHECK(F(File_read)(file, to, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_read_all)(file, to, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_read_at)(file, 0, to, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_read_at_all)(file, 0, to, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_read_shared)(file, to, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(F(File_read_ordered)(file, to, count, MPI_INT, MPI_STATUS_IGNORE));
  FINISHED(F(File_iread)(file, to, count, MPI_INT, &request));
  FINISHED(F(File_iread_all)(file, to, count, MPI_INT, &request));
  FINISHED(F(File_iread_at)(file, 0, to, count, MPI_INT, &request));
  FINISHED(F(File_iread_at_all)(file, 0, to, count, MPI_INT, &request));
  FINISHED(F(File_iread_shared)(file, to, count, MPI_INT, &request));
  CHECK(F(File_read_all_begin)(file, to, count, MPI_INT));
  CHECK(MPI_File_read_all_end(file, to, MPI_STATUS_IGNORE));
  CHECK(F(File_read_at_all_begin)(file, 0, to, count, MPI_INT));
  CHECK(MPI_File_read_at_all_end(file, to, MPI_STATUS_IGNORE));
  CHECK(F(File_read_ordered_begin)(file, to, count, MPI_INT));
  CHECK(MPI_File_read_ordered_end(file, to, MPI_STATUS_IGNORE));
  CHECK(MPI_File_close(&file));
}

static void NAMING(packing)(void) {
  static char packed[256];
  POSITION position = 0;
  EXTERNAL_POSITION external = 0;
  CHECK(F(Pack)(from, count, MPI_INT, packed, sizeof packed, &position, self));
  position = 0;
  CHECK(F(Unpack)(packed, sizeof packed, &position, to, count, MPI_INT, self));
  CHECK(F(Pack_external)("external32", from, count, MPI_INT, packed, sizeof packed, &external));
  external = 0;
  CHECK(F(Unpack_external)("external32", packed, sizeof packed, &external, to, count, MPI_INT));
  CHECK(F(Reduce_local)(from, to, count, MPI_INT, MPI_SUM));
}

// Arguments of collectives alike: what the forms of one of them share.
#define INTO_ALL from, count, MPI_INT, to, count, MPI_INT
#define INTO_ALL_V from, count, MPI_INT, to, counts, places, MPI_INT
#define EACH_V from, counts, places, MPI_INT, to, counts, places, MPI_INT
#define EACH_W(places) from, counts, places, types, to, counts, places, types
#define REDUCED from, to, count, MPI_INT, MPI_SUM

#if MPI_VERSION >= 4
#define ALSO_PERSISTENT(X, ...)                             \
  CHECK(F(X##_init)(__VA_ARGS__, MPI_INFO_NULL, &request)); \
  CHECK(MPI_Start(&request));                               \
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));             \
  CHECK(MPI_Request_free(&request))
#else
#define ALSO_PERSISTENT(X, ...) (void)0
#endif
// At once, nonblocking, and persistent: behind an I the name has no capital.
#define EACH_FORM_OF(X, x, ...)             \
  CHECK(F(X)(__VA_ARGS__));                 \
  FINISHED(F(I##x)(__VA_ARGS__, &request)); \
  ALSO_PERSISTENT(X, __VA_ARGS__)

static void NAMING(collectives)(void) {
  MPI_Request request;
  const COUNT counts[] = {count};
  const DISPLACEMENT places[] = {0};
  const MPI_Datatype types[] = {MPI_INT};
  EACH_FORM_OF(Bcast, bcast, from, count, MPI_INT, 0, self);
  EACH_FORM_OF(Gather, gather, INTO_ALL, 0, self);
  EACH_FORM_OF(Gatherv, gatherv, INTO_ALL_V, 0, self);
  EACH_FORM_OF(Scatter, scatter, INTO_ALL, 0, self);
  EACH_FORM_OF(Scatterv, scatterv, from, counts, places, MPI_INT, to, count, MPI_INT, 0, self);
  EACH_FORM_OF(Allgather, allgather, INTO_ALL, self);
  EACH_FORM_OF(Allgatherv, allgatherv, INTO_ALL_V, self);
  EACH_FORM_OF(Alltoall, alltoall, INTO_ALL, self);
  EACH_FORM_OF(Alltoallv, alltoallv, EACH_V, self);
  EACH_FORM_OF(Alltoallw, alltoallw, EACH_W(places), self);
  EACH_FORM_OF(Reduce, reduce, REDUCED, 0, self);
  EACH_FORM_OF(Allreduce, allreduce, REDUCED, self);
  EACH_FORM_OF(Reduce_scatter_block, reduce_scatter_block, REDUCED, self);
  EACH_FORM_OF(Reduce_scatter, reduce_scatter, from, to, counts, MPI_INT, MPI_SUM, self);
  EACH_FORM_OF(Scan, scan, REDUCED, self);
  EACH_FORM_OF(Exscan, exscan, REDUCED, self);
}

static void NAMING(neighbourhoods)(void) {
  // A ring of one: it is its own neighbour on both sides.
  MPI_Comm ring;
  MPI_Request request;
  const COUNT counts[] = {count, count};
  const DISPLACEMENT places[] = {0, 8};
  const MPI_Aint addresses[] = {0, 32};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  CHECK(MPI_Cart_create(self, 1, (int[]){1}, (int[]){1}, 0, &ring));
  EACH_FORM_OF(Neighbor_allgather, neighbor_allgather, INTO_ALL, ring);
  EACH_FORM_OF(Neighbor_allgatherv, neighbor_allgatherv, INTO_ALL_V, ring);
  EACH_FORM_OF(Neighbor_alltoall, neighbor_alltoall, INTO_ALL, ring);
  EACH_FORM_OF(Neighbor_alltoallv, neighbor_alltoallv, EACH_V, ring);
  EACH_FORM_OF(Neighbor_alltoallw, neighbor_alltoallw, EACH_W(addresses), ring);
  CHECK(MPI_Comm_free(&ring));
}

static void NAMING(each)(void) {
  NAMING(point_to_point)();
  NAMING(one_sided)();
  NAMING(files)();
  NAMING(packing)();
  NAMING(collectives)();
  NAMING(neighbourhoods)();
}

#undef SENT
#undef STARTED
#undef PERSISTENT
#undef FINISHED
#undef INTO_ALL
#undef INTO_ALL_V
#undef EACH_V
#undef EACH_W
#undef REDUCED
#undef ALSO_PERSISTENT
#undef EACH_FORM_OF
#undef F
#undef G
#undef COUNT
#undef DISPLACEMENT
#undef POSITION
#undef EXTERNAL_POSITION
#undef NAMING
