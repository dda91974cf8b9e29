! MPI_PCONTROL by mpif.h's names and by those of mpi_f08.
subroutine by_mpi
  use mpi
  implicit none
  integer :: buffer(4), ierror
  buffer = 0
  call MPI_PCONTROL(0)
  call MPI_BCAST(buffer, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_PCONTROL(1)
  call MPI_BCAST(buffer, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
end subroutine by_mpi

subroutine by_f08
  use mpi_f08
  implicit none
  integer :: buffer(4)
  buffer = 0
  call MPI_Pcontrol(0)
  call MPI_Bcast(buffer, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Pcontrol(1)
  call MPI_Bcast(buffer, 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
end subroutine by_f08

program controlled_fortran
  use mpi
  implicit none
  integer :: ierror
  call MPI_INIT(ierror)
  call by_mpi
  call by_f08
  print *, 'done'
  call MPI_FINALIZE(ierror)
end program controlled_fortran
