// Looks up INTEGER handles as a debugger does, in the plugin's memory, of a program that calls Fortran's names: what it
// finds is the type. Without the plugin there is nothing to look at, and nothing is said of it.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "reporters/trace/format/debug_view.h"

extern "C" {
void mpi_type_vector_(const int* count, const int* blocklength, const int* stride, const MPI_Fint* oldtype,
                      MPI_Fint* newtype, MPI_Fint* ierror);
void mpi_type_free_(MPI_Fint* type, MPI_Fint* ierror);
}

namespace {

using namespace ddtscope::trace;

const DebugTable* table(const DebugView& view, DebugTableKind kind) {
  return reinterpret_cast<const DebugTable*>(view.tables[static_cast<std::size_t>(kind)]);
}

/// The bits of the live type that an INTEGER stands for; 0 where there is none.
std::uint64_t find(const DebugView& view, MPI_Fint integer) {
  const DebugTable* const integers = table(view, DebugTableKind::fortran);
  const DebugTable* const handles = table(view, DebugTableKind::handles);
  for (std::uint64_t i = 0; integers != nullptr && i < integers->capacity; ++i) {
    const DebugFortran& entry = reinterpret_cast<const DebugFortran*>(integers + 1)[i];
    if (entry.handle == 0 || entry.integer != integer) continue;
    for (std::uint64_t k = 0; k < handles->capacity; ++k) {
      const DebugHandle& slot = reinterpret_cast<const DebugHandle*>(handles + 1)[k];
      if (slot.handle == entry.handle && slot.state == DebugHandleState::live && slot.generation == entry.generation)
        return slot.handle;
    }
  }
  return 0;
}

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("not so: %s\n", what);
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto* view = static_cast<const DebugView*>(dlsym(RTLD_DEFAULT, "ddtscope_debug_view"));
  const int count = 3;
  const int blocklength = 1;
  const int stride = 2;
  const MPI_Fint integer = MPI_Type_c2f(MPI_INTEGER);
  MPI_Fint types[100];
  MPI_Fint ierror;
  for (MPI_Fint& type : types) mpi_type_vector_(&count, &blocklength, &stride, &integer, &type, &ierror);
  if (view != nullptr) {
    // The library itself is asked only now, when it has been found without it.
    const std::uint64_t found = find(*view, types[57]);
    expect(found == reinterpret_cast<std::uint64_t>(MPI_Type_f2c(types[57])), "the INTEGER leads to its type");
    expect(find(*view, integer) == reinterpret_cast<std::uint64_t>(MPI_INTEGER), "a predefined type's, too");
    expect(find(*view, MPI_Type_c2f(MPI_DOUBLE)) == reinterpret_cast<std::uint64_t>(MPI_DOUBLE), "one unused, too");
    expect(find(*view, 123456) == 0, "a number that stands for nothing leads nowhere");
  }
  MPI_Fint freed = types[57];
  mpi_type_free_(&types[57], &ierror);
  expect(view == nullptr || find(*view, freed) == 0, "the INTEGER of a freed type leads nowhere");
  MPI_Datatype only_in_c;
  MPI_Type_contiguous(5, MPI_INT, &only_in_c);  // mostly at the address that was freed
  expect(view == nullptr || find(*view, freed) == 0, "nor to a type that Fortran never saw");
  MPI_Type_free(&only_in_c);
  for (MPI_Fint& type : types) {
    if (&type != &types[57]) mpi_type_free_(&type, &ierror);
  }
  std::printf("done\n");
  MPI_Finalize();
  return 0;
}
