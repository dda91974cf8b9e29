! conflicts_fortran: two processes put to the same place between two fences, by the module mpi and by mpi_f08.
module puts
contains

subroutine put_by_mpi_wrong(memory)
  use mpi
  implicit none
  integer :: memory(64), origin(2), window, rank, error
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Win_create(memory, 256_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
  call MPI_Win_fence(0, window, error)
  if (rank < 2) call MPI_Put(origin, 1, MPI_INTEGER, 2, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Win_free(window, error)
end subroutine

subroutine put_by_f08_wrong(memory)
  use mpi_f08
  implicit none
  integer, asynchronous :: memory(64), origin(2)
  integer :: rank
  type(MPI_Win) :: window
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Win_create(memory, 256_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  if (rank < 2) call MPI_Put(origin, 1, MPI_INTEGER, 2, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
end subroutine

subroutine put_by_f08_right(memory)
  use mpi_f08
  implicit none
  integer, asynchronous :: memory(64), origin(2)
  integer :: rank
  type(MPI_Win) :: window
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Win_create(memory, 256_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  if (rank < 2) call MPI_Put(origin, 1, MPI_INTEGER, 2, int(rank, MPI_ADDRESS_KIND), 1, MPI_INTEGER, window)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
end subroutine

end module

program conflicts_fortran
  use mpi
  use puts
  implicit none
  integer :: error
  integer, target, save :: memory(64)
  call MPI_Init(error)
  call put_by_mpi_wrong(memory)
  call put_by_f08_wrong(memory)
  call put_by_f08_right(memory)
  call MPI_Finalize(error)
end program
