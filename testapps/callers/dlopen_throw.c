// A C program that opens C++ code at run time: its throws must be unwound by libgcc_s, whatever was preloaded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "testapp.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous(3, MPI_INT, &type));
  CHECK(MPI_Type_free(&type));

  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  int (*throw_and_catch)(int) = (int (*)(int))(size_t)dlsym(library, "throw_and_catch");
  printf("caught %d\n", throw_and_catch(100));

  // The global scope is searched before the library's own, so this is what its throws were bound to. A plain C
  // program has none in it: then the library's own dependency, libgcc_s, answers.
  void* raise = dlsym(RTLD_DEFAULT, "_Unwind_RaiseException");
  if (!raise) raise = dlsym(library, "_Unwind_RaiseException");
  Dl_info info;
  if (!raise || !dladdr(raise, &info)) info.dli_fname = "nowhere";
  printf("unwound by libgcc_s: %d\n", strstr(info.dli_fname, "libgcc_s") != NULL);

  CHECK(MPI_Type_contiguous(4, MPI_INT, &type));
  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Finalize());
  return 0;
}
