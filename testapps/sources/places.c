// Passes buffers of all kinds to MPI, and says on the file that it is given where they are, in its own words: where
// variables are by their addresses, of which function by its canonical frame address, and who keeps a pointer.
//
// Each line is NAME KIND NUMBERS; the count of the call tells run_places.py which call it was.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "testapp.h"

static FILE* told;
static char fixed[128];
static char* kept;  // nothing but static memory leads to what it points to

struct owner {
  long other;
  char* data;
};

#define CFA ((char*)__builtin_dwarf_cfa())
#ifdef __clang__
#define HIDDEN __attribute__((noinline))
#else
#define HIDDEN __attribute__((noinline, noclone))
#endif

/// So many MPI_BYTEs from there: the count is the name of the call.
HIDDEN static void pass(void* buffer, int count) {
  CHECK(MPI_Bcast(buffer, count, MPI_BYTE, 0, MPI_COMM_SELF));
  __asm__ volatile("" ::: "memory");  // no tail call
}
/// As deep as one likes.
HIDDEN static void pass_deep(void* buffer, int count, int calls) {
  if (calls > 0)
    pass_deep(buffer, count, calls - 1);
  else
    pass(buffer, count);
  __asm__ volatile("" ::: "memory");
}

/// `frame` calls outwards from the call site's innermost frame, which is pass().
static void tell_stack(int count, int frame, const void* address, const char* cfa) {
  fprintf(told, "%d stack %d %ld\n", count, frame, (long)((const char*)address - cfa));
}
static void tell_block(int count, const void* address, const void* begin) {
  fprintf(told, "%d block %ld\n", count, (long)((const char*)address - (const char*)begin));
}

/// A variable of the function that calls.
HIDDEN static void own_array(void) {
  char array[100];
  tell_stack(1, 1, array, CFA);
  pass(array, 1);
}
/// One of a function further out, and the middle of it.
HIDDEN static void outer_array(void) {
  char array[200];
  tell_stack(2, 3, array + 50, CFA);
  pass_deep(array + 50, 2, 1);
}
/// A function that keeps its stack aligned, and one whose frame has no fixed size.
HIDDEN static void aligned_array(void) {
  _Alignas(64) char array[128];
  tell_stack(3, 1, array, CFA);
  pass(array, 3);
}
HIDDEN static void sized_array(int size) {
  char array[size];
  tell_stack(4, 1, array, CFA);
  pass(array, 4);
}
/// In a register that called functions leave alone, or in a slot of this frame: somewhere.
HIDDEN static void pointer_here(void) {
  char* const block = malloc(300);
  tell_block(5, block, block);
  pass(block, 5);
  free(block);
}
/// A slot of which the place is known.
HIDDEN static void pointer_in_slot(void) {
  char* volatile block = malloc(300);
  tell_block(6, block, block);
  fprintf(told, "6 slot 1 %ld\n", (long)((const char*)&block - CFA));
  pass(block, 6);
  free(block);
}
/// The middle of a block, to which nothing points but what points to its beginning.
HIDDEN static void middle_of_block(void) {
  char* volatile block = malloc(3000);
  tell_block(7, block + 1000, block);
  fprintf(told, "7 behind 1 %ld 1000\n", (long)((const char*)&block - CFA));
  pass(block + 1000, 7);
  free(block);
}
/// A pointer to a struct that has the pointer.
HIDDEN static void member_of_struct(void) {
  struct owner* volatile owner = malloc(sizeof *owner);
  owner->data = malloc(100);
  tell_block(8, owner->data, owner->data);
  fprintf(told, "8 through 1 %ld %ld\n", (long)((const char*)&owner - CFA), (long)offsetof(struct owner, data));
  pass(owner->data, 8);
  free(owner->data);
  free(owner);
}
/// A block with pages of its own.
HIDDEN static void large_block(void) {
  char* volatile block = malloc(1 << 22);
  tell_block(9, block + 4096, block);
  pass(block + 4096, 9);
  free(block);
}
/// In a register: whatever the compiler would like, it is in rbx, which this function's callee leaves alone.
HIDDEN static void pointer_in_register(void) {
#ifdef __x86_64__
  char* const block = malloc(64);
  tell_block(10, block, block);
  fprintf(told, "10 register 1 3\n");
  fflush(told);
  __asm__ volatile(
      "movq %0, %%rbx\n\t"
      "movq %0, %%rdi\n\t"
      "movl $10, %%esi\n\t"
      "call pass_from_assembler"
      :
      : "r"(block)
      : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
  free(block);
#endif
}
__attribute__((used, noinline)) void pass_from_assembler(void* buffer, int count) {
  CHECK(MPI_Bcast(buffer, count, MPI_BYTE, 0, MPI_COMM_SELF));
  __asm__ volatile("" ::: "memory");
}

HIDDEN static void static_memory(void) {
  fprintf(told, "11 static program %ld\n", (long)(fixed + 16 - (char*)&base_of_program));
  pass(fixed + 16, 11);
  fprintf(told, "12 static module %ld\n", (long)(memory_of_module() - base_of_module()));
  pass(memory_of_module(), 12);
}

/// On a stack of its own; and another thread's variable, which is no variable of any of its frames.
static void* in_thread(void* others) {
  char array[100];
  tell_stack(13, 1, array, CFA);
  pass(array, 13);
  char* volatile kept_by_thread = others;
  fprintf(told, "14 slot 1 %ld\n", (long)((const char*)&kept_by_thread - CFA));
  pass(kept_by_thread, 14);
  return NULL;
}
HIDDEN static void thread(void) {
  char array[100];
  pthread_t made;
  if (pthread_create(&made, NULL, in_thread, array) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  pthread_join(made, NULL);
}

/// Of one call site: each count once.
HIDDEN static void again_and_again(void) {
  char array[100];
  for (int i = 0; i < 1000; ++i) {
    MPI_Request request;
    CHECK(MPI_Irecv(array, 20 + i % 3, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request));
    CHECK(MPI_Send(fixed, 20 + i % 3, MPI_BYTE, 0, 0, MPI_COMM_SELF));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
}

/// The two buffers of one argument, blocks by their position, what is replaced, and what is nowhere.
HIDDEN static void collectives(void) {
  char in[30], out[30];
  fprintf(told, "30 both 0 %ld %ld\n", (long)(in - CFA), (long)(out - CFA));
  CHECK(MPI_Allreduce(in, out, 30, MPI_BYTE, MPI_BAND, MPI_COMM_SELF));
  char all[80];
  const int counts[1] = {31}, displacements[1] = {8};
  fprintf(told, "31 position 0 %ld\n", (long)(all + 8 - CFA));
  CHECK(MPI_Allgatherv(in, 31, MPI_BYTE, all, counts, displacements, MPI_BYTE, MPI_COMM_SELF));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, out, 29, MPI_BYTE, MPI_BAND, MPI_COMM_SELF));
  CHECK(MPI_Bcast(NULL, 0, MPI_BYTE, 0, MPI_COMM_SELF));
  MPI_Datatype absolute;
  MPI_Aint address;
  CHECK(MPI_Get_address(in, &address));
  CHECK(MPI_Type_create_hindexed_block(1, 28, &address, MPI_BYTE, &absolute));
  CHECK(MPI_Type_commit(&absolute));
  CHECK(MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_SELF));
  CHECK(MPI_Type_free(&absolute));
}

/// What is stopped is not seen.
HIDDEN static void not_seen(void) {
  char array[99];
  MPI_Pcontrol(0);
  pass(array, 99);
  MPI_Pcontrol(1);
  tell_stack(98, 1, array, CFA);
  pass(array, 98);
}

int main(int argc, char** argv) {
  int provided;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided));
  if (argc < 2 || (told = fopen(argv[1], "w")) == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  memset(fixed, 0, sizeof fixed);
  own_array();
  outer_array();
  aligned_array();
  sized_array(argc * 50);
  pointer_here();
  pointer_in_slot();
  middle_of_block();
  member_of_struct();
  large_block();
  pointer_in_register();
  static_memory();
  thread();
  again_and_again();
  collectives();
  not_seen();
  kept = malloc(400);
  pass(kept, 40);
  free(kept);
  fclose(told);
  CHECK(MPI_Finalize());
  return 0;
}
