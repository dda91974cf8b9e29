! Rank 1 ends the job by MPI_Abort, through mpi_f08 or, where it is asked for, through mpif.h's names.
subroutine stop_all(code)
  use mpi_f08
  implicit none
  integer, intent(in) :: code
  call MPI_Abort(MPI_COMM_WORLD, code)
end subroutine

subroutine stop_all_mpi(code)
  use mpi
  implicit none
  integer, intent(in) :: code
  integer :: ierror
  call MPI_Abort(MPI_COMM_WORLD, code, ierror)
end subroutine

program aborts
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: row
  integer :: rank, numbers(3)
  character(8) :: how

  call get_command_argument(1, how)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Type_contiguous(3, MPI_INTEGER, row)
  call MPI_Type_commit(row)
  if (rank == 1 .and. how == 'mpi') call stop_all_mpi(7)
  if (rank == 1) call stop_all(7)
  call MPI_Recv(numbers, 1, row, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Finalize()
end program
