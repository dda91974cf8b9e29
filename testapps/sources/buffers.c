/* Buffers that are not what their datatypes say, each in a variable of a name of its own, and buffers of the same kinds
   that are right. A broadcast among one process moves nothing, whatever it is given. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define USED(p) __asm__ volatile("" : : "g"(p) : "memory")

struct particle {
  long id;
  double x[2];
  unsigned flags;
};
struct message {
  int length;
  char payload[60];
};
struct grid {
  int rows;
  double* cells;
};
union word {
  double d;
  int i[2];
};

static double static_doubles[8];
static int table[8][10];
static int swapped_table[8][10];
static int ten[10];
static double wrong_tile[4][5];
static double* wrong_global;
static double* right_global;

static void NOINLINE pass(void* buffer, int count, MPI_Datatype type) {
  MPI_Bcast(buffer, count, type, 0, MPI_COMM_SELF);
}

static MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

static MPI_Datatype particle_type(MPI_Datatype id, const char* name) {
  int lengths[] = {1, 2, 1};
  MPI_Aint places[] = {offsetof(struct particle, id), offsetof(struct particle, x), offsetof(struct particle, flags)};
  MPI_Datatype types[] = {id, MPI_DOUBLE, MPI_UNSIGNED};
  MPI_Datatype members;
  MPI_Datatype resized;
  MPI_Type_create_struct(3, lengths, places, types, &members);
  MPI_Type_create_resized(members, 0, sizeof(struct particle), &resized);
  MPI_Type_free(&members);
  MPI_Type_set_name(resized, name);
  return committed(resized);
}

static MPI_Datatype subarray(int rows, int columns) {
  int sizes[] = {rows, columns};
  int subsizes[] = {3, 4};
  int starts[] = {1, 1};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
  return committed(type);
}

static MPI_Datatype column(int rows, int stride) {
  MPI_Datatype type;
  MPI_Type_vector(rows, 1, stride, MPI_INT, &type);
  return committed(type);
}

/* Sent, which reads one element too far, and received again, which writes it: there is its own value already. */
static void NOINLINE send_and_receive(void) {
  double room[24] = {0};
  MPI_Datatype every_sixth;
  MPI_Request request;
  MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &every_sixth);
  every_sixth = committed(every_sixth);
  MPI_Isend(&wrong_tile[0][2], 1, every_sixth, 0, 1, MPI_COMM_SELF, &request);
  MPI_Recv(room, 1, every_sixth, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(room, 1, every_sixth, 0, 2, MPI_COMM_SELF, &request);
  MPI_Recv(&wrong_tile[0][2], 1, every_sixth, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_sixth);
}

static void NOINLINE wrong(int n) {
  double wrong_doubles[8] = {n};
  struct particle wrong_particle = {n, {1, 2}, 3};
  int wrong_ten[10] = {n};
  int wrong_rows[6][9] = {{n}};
  double* wrong_pointer = calloc(10, sizeof *wrong_pointer);
  float* wrong_floats = calloc(10, sizeof *wrong_floats);
  long* wrong_short_block = calloc(100000, sizeof *wrong_short_block);
  struct grid* wrong_grid = malloc(sizeof *wrong_grid);
  unsigned wrong_sign[3] = {1, 2, 3};
  MPI_Datatype particle = particle_type(MPI_INT, "sent");
  MPI_Datatype other_shape = subarray(10, 8);
  MPI_Datatype other_column = column(6, 6);
  wrong_grid->cells = calloc(12, sizeof(double));
  wrong_global = calloc(7, sizeof *wrong_global);
  MPI_Bcast(static_doubles, 10, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(wrong_doubles, 10, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(&wrong_particle, 1, particle, 0, MPI_COMM_SELF);
  MPI_Bcast(wrong_ten, 11, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(&wrong_pointer, 10, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(wrong_floats, 5, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(wrong_short_block, 200000, MPI_LONG, 0, MPI_COMM_SELF);
  pass(wrong_grid->cells, 12, MPI_LONG);
  USED(&wrong_global);  // else it may be a register alone, and the address stand in what was right_global
  pass(wrong_global, 7, MPI_LONG);
  MPI_Bcast(wrong_sign, 3, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(swapped_table, 1, other_shape, 0, MPI_COMM_SELF);
  MPI_Bcast(wrong_rows, 1, other_column, 0, MPI_COMM_SELF);
  USED(wrong_doubles);
  USED(&wrong_particle);
  USED(wrong_ten);
  USED(wrong_rows);
  USED(&wrong_pointer);
  USED(wrong_sign);
  USED(wrong_floats);
  USED(wrong_short_block);
  free(wrong_pointer);
  free(wrong_floats);
  free(wrong_short_block);
  free(wrong_global);
  free(wrong_grid->cells);
  free(wrong_grid);
  MPI_Type_free(&particle);
  MPI_Type_free(&other_shape);
  MPI_Type_free(&other_column);
}

struct held {
  double* rows[2];
  int* numbers;
};
union any_numbers {
  double* doubles;
  int* integers;
};

static void NOINLINE right(int n) {
  double right_doubles[8] = {n};
  struct particle right_particles[3] = {{n, {1, 2}, 3}};
  struct message right_message = {60, "text"};
  union word right_word = {1.5};
  char right_text[128] = "text";
  double* right_pointer = calloc(10, sizeof *right_pointer);
  char* right_pool = calloc(1, 4096);
  double* right_in_pool = (double*)(void*)(right_pool + 1024);
  struct grid* right_grid = malloc(sizeof *right_grid);
  struct held* right_held = malloc(sizeof *right_held);
  union any_numbers right_numbers = {NULL};
  MPI_Datatype particle = particle_type(MPI_LONG, "right");
  MPI_Datatype shape = subarray(8, 10);
  MPI_Datatype of_column = column(8, 10);
  int position = 0;
  right_grid->cells = calloc(12, sizeof(double));
  right_global = calloc(7, sizeof *right_global);
  MPI_Bcast(static_doubles, 8, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(static_doubles, (int)sizeof static_doubles, MPI_BYTE, 0, MPI_COMM_SELF);
  MPI_Bcast(right_doubles, 4, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_doubles[3], 5, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(right_doubles, 8 * 8, MPI_CHAR, 0, MPI_COMM_SELF);
  MPI_Bcast(right_particles, 3, particle, 0, MPI_COMM_SELF);
  MPI_Bcast(right_particles, (int)sizeof right_particles, MPI_BYTE, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_particles[1].id, 1, MPI_LONG, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_message, 1, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(right_message.payload, 7, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_word, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_word, 2, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(right_text, 16, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Pack(right_doubles, 8, MPI_DOUBLE, right_text, (int)sizeof right_text, &position, MPI_COMM_SELF);
  MPI_Bcast(right_text, position, MPI_PACKED, 0, MPI_COMM_SELF);
  MPI_Bcast(right_pointer, 10, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(right_pointer + 4, 6, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_pointer, (int)sizeof right_pointer, MPI_BYTE, 0, MPI_COMM_SELF);
  MPI_Bcast(&right_pointer, 1, MPI_AINT, 0, MPI_COMM_SELF);
  MPI_Bcast(right_in_pool, 100, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(right_pool, 512, MPI_LONG, 0, MPI_COMM_SELF);
  pass(right_grid->cells, 12, MPI_DOUBLE);
  pass(right_doubles, 8, MPI_DOUBLE);
  USED(&right_global);
  pass(right_global, 7, MPI_DOUBLE);
  right_held->rows[0] = right_held->rows[1] = right_pointer;
  right_held->numbers = calloc(6, sizeof(int));
  right_numbers.integers = calloc(6, sizeof(int));
  MPI_Bcast(right_held->numbers, 6, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(right_numbers.integers, 6, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(table, 1, shape, 0, MPI_COMM_SELF);
  MPI_Bcast(&table[0][3], 1, of_column, 0, MPI_COMM_SELF);
  MPI_Bcast(table, 80, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(ten, 10, MPI_INT, 0, MPI_COMM_SELF);
  USED(right_doubles);
  USED(right_particles);
  USED(&right_message);
  USED(&right_word);
  USED(right_text);
  USED(&right_pointer);
  USED(right_in_pool);
  free(right_pointer);
  free(right_pool);
  free(right_global);
  right_global = NULL;  // another block may get its address
  USED(&right_global);
  USED(&right_numbers);
  free(right_numbers.integers);
  free(right_held->numbers);
  free(right_held);
  free(right_grid->cells);
  free(right_grid);
  MPI_Type_free(&particle);
  MPI_Type_free(&shape);
  MPI_Type_free(&of_column);
}

/* What lies in the frame, and where nothing says how far: it is not known, and must not be taken for something else. */
static void NOINLINE not_known(int n) {
  long before[4] = {n};
  double sized[n + 9];
  double* lent = __builtin_alloca((size_t)(n + 9) * sizeof *lent);
  memset(sized, 0, sizeof sized);
  memset(lent, 0, (size_t)(n + 9) * sizeof *lent);
  USED(before);
  MPI_Bcast(&sized[3], 2, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(&lent[4], 3, MPI_DOUBLE, 0, MPI_COMM_SELF);
  USED(before);
  USED(sized);
  USED(lent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  not_known(argc);
  right(argc);
  wrong(argc);
  send_and_receive();
  MPI_Finalize();
  return 0;
}
