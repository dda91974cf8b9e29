! Uses a type in each function that uses types, through the modules mpi and mpi_f08, of the latter with large counts where
! the library has them: run_every_use.py knows how much of it each one uses. One process, which talks to itself.
! LARGE_COUNTS: the library has those, and what else came with MPI-4.0.
#define MODULE mpi
#define NAME use_each_of_mpi
#define HANDLE(X) integer
#define KIND_OF_COUNT kind(0)
#define KIND_OF_PLACES kind(0)
#define KIND_OF_EXTERNAL MPI_ADDRESS_KIND
#include "every_use_fortran.inc"

#undef MODULE
#undef NAME
#undef HANDLE
#define MODULE mpi_f08
#define NAME use_each_of_mpi_f08
#define HANDLE(X) type(X)
#include "every_use_fortran.inc"

#ifdef LARGE_COUNTS
#define WITHOUT_FILES  /* MPICH 4.0's module has no large ones */
#undef NAME
#undef KIND_OF_COUNT
#undef KIND_OF_PLACES
#undef KIND_OF_EXTERNAL
#define NAME use_each_of_mpi_f08_large
#define KIND_OF_COUNT MPI_COUNT_KIND
#define KIND_OF_PLACES MPI_ADDRESS_KIND
#define KIND_OF_EXTERNAL MPI_COUNT_KIND
#include "every_use_fortran.inc"
#endif

program every_use_fortran
  use mpi
  implicit none
  integer :: ierror, size
  character, save :: buffer(1024), detached(1024)
  call MPI_Init(ierror)
#ifdef LARGE_COUNTS
  print "(A)", "MPI-4"
#endif
  call MPI_Buffer_attach(buffer, 1024, ierror)
  call use_each_of_mpi()
  call use_each_of_mpi_f08()
#ifdef LARGE_COUNTS
  call use_each_of_mpi_f08_large()
#endif
  call MPI_Buffer_detach(detached, size, ierror)
  call MPI_Finalize(ierror)
end program
