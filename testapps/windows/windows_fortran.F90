! windows_fortran CASE: one-sided calls of Fortran, by the module mpi and by mpi_f08. What is reached beyond a window is
! memory of the program's own.
module memory_of_windows
  implicit none
  double precision, target, save :: memory(300), origin(100)
end module

subroutine put_by_mpi(displacement)
  use mpi
  use memory_of_windows
  implicit none
  integer, intent(in) :: displacement
  integer :: window, rank, ranks, error
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Win_create(memory, 800_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
  call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Put(origin, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), int(displacement, MPI_ADDRESS_KIND), 10, &
               MPI_DOUBLE_PRECISION, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Win_free(window, error)
end subroutine

subroutine put_by_f08(displacement)
  use mpi_f08
  use memory_of_windows
  implicit none
  integer, intent(in) :: displacement
  type(MPI_Win) :: window
  integer :: rank, ranks
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Win_create(memory, 800_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN)
  call MPI_Win_fence(0, window)
  call MPI_Put(origin, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), int(displacement, MPI_ADDRESS_KIND), 10, &
               MPI_DOUBLE_PRECISION, window)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
end subroutine

program windows_fortran
  use mpi
  implicit none
  character(len=32) :: name
  integer :: error
  call MPI_Init(error)
  call get_command_argument(1, name)
  select case (name)
  case ("put")
    call put_by_mpi(90)
  case ("put_beyond")
    call put_by_mpi(91)
  case ("f08")
    call put_by_f08(90)
  case ("f08_beyond")
    call put_by_f08(91)
  end select
  call MPI_Finalize(error)
end program
