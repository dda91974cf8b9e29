// The C++ bindings that MPI-3.0 removed and Open MPI 4.1 and MPICH 4.0 still have: one type of each constructor.
#include <mpi.h>

#include <cstdio>
#include <string>

namespace {

void finish(MPI::Datatype& type, int k) {
  type.Commit();
  type.Set_name(("naming " + std::to_string(k)).c_str());
  type.Free();
  std::printf("%d\n", type == MPI::DATATYPE_NULL);
}

void make_types(int k) {
  MPI::Datatype vector = MPI::INT.Create_vector(k, 1, 2);
  MPI::Datatype outer = vector.Create_contiguous(k);
  int integers[1];
  MPI::Aint addresses[1];
  MPI::Datatype children[1];
  outer.Get_contents(1, 0, 1, integers, addresses, children);
  std::printf("%d\n", integers[0]);
  finish(vector, k);
  finish(children[0], k);
  finish(outer, k);

  const int blocklengths[] = {1, k};
  const int displacements[] = {0, 4};
  const MPI::Aint bytes[] = {0, 16};
  MPI::Datatype type = MPI::INT.Create_hvector(k, 1, 16);
  finish(type, k);
  type = MPI::INT.Create_indexed(2, blocklengths, displacements);
  finish(type, k);
  type = MPI::INT.Create_hindexed(2, blocklengths, bytes);
  finish(type, k);
  const int far[] = {0, 100};
  type = MPI::INT.Create_indexed_block(2, k, far);
  finish(type, k);
  const MPI::Datatype members[] = {MPI::INT, MPI::DOUBLE};
  type = MPI::Datatype::Create_struct(2, blocklengths, bytes, members);
  finish(type, k);
  const int sizes[] = {k + 2, 3};
  const int subsizes[] = {k, 2};
  const int starts[] = {1, 1};
  type = MPI::INT.Create_subarray(2, sizes, subsizes, starts, MPI::ORDER_FORTRAN);
  finish(type, k);
  const int gsizes[] = {k + 4};
  const int distributions[] = {MPI::DISTRIBUTE_BLOCK};
  const int arguments[] = {MPI::DISTRIBUTE_DFLT_DARG};
  const int processes[] = {1};
  type = MPI::INT.Create_darray(1, 0, 1, gsizes, distributions, arguments, processes, MPI::ORDER_FORTRAN);
  finish(type, k);
  type = MPI::INT.Create_resized(0, 4 * k);
  MPI::Datatype copy = type.Dup();
  finish(type, k);
  finish(copy, k);
  MPI::Datatype::Create_f90_real(6, 30);
  MPI::Datatype::Create_f90_complex(6, 30);
  MPI::Datatype::Create_f90_integer(9);
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  make_types(3);
  MPI::Finalize();
  return 0;
}
