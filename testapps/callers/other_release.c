// A library of another release, as far as it tells: preloaded behind the plugin. All else is the library's own.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int PMPI_Get_library_version(char* version, int* length) {
  const char* text = getenv("OTHER_RELEASE");
  if (text == NULL || strlen(text) >= MPI_MAX_LIBRARY_VERSION_STRING) abort();
  strcpy(version, text);
  *length = (int)strlen(text);
  return MPI_SUCCESS;
}
