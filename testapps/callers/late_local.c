// A program without MPI, as an interpreter is one: MPI comes in late, with a module that is opened with local scope.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void* address = module ? dlsym(module, "run_mpi") : NULL;
  if (!address) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int (*run_mpi)(void) = NULL;
  memcpy(&run_mpi, &address, sizeof run_mpi);
  printf("MPI in the program's own scope: %d\n", dlsym(RTLD_DEFAULT, "MPI_Get_processor_name") != NULL);
  return run_mpi();
}
