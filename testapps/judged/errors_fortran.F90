! Calls that are wrong by the standard, through the modules mpi and mpi_f08, or with the argument "right" their twins:
! run_errors_fortran.py knows what must be found.
subroutine judge_mpi_module(is_right)
  use mpi
  implicit none
  logical, intent(in) :: is_right
  integer :: column, kept, position, ierror
  real(kind(1d0)) :: from(128), packed(128)
  from = 1; position = 0
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column, ierror)
  if (is_right) call MPI_Type_commit(column, ierror)
  call MPI_Pack(from, 1, column, packed, 1024, position, MPI_COMM_SELF, ierror)
  kept = column
  call MPI_Type_free(column, ierror)
  call MPI_Send(from, merge(0, -1, is_right), MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_SELF, ierror)
  if (.not. is_right) call MPI_Ssend(from, 0, kept, MPI_PROC_NULL, 0, MPI_COMM_SELF, ierror)
end subroutine

subroutine judge_mpi_f08_module(is_right)
  use mpi_f08
  implicit none
  logical, intent(in) :: is_right
  type(MPI_Datatype) :: column, kept
  integer :: position
  real(kind(1d0)) :: from(128), packed(128)
  from = 1; position = 0
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column)
  if (is_right) call MPI_Type_commit(column)
  call MPI_Pack(from, 1, column, packed, 1024, position, MPI_COMM_SELF)
  kept = column
  call MPI_Type_free(column)
  call MPI_Send(from, merge(0, -1, is_right), MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_SELF)
  if (.not. is_right) call MPI_Ssend(from, 0, kept, MPI_PROC_NULL, 0, MPI_COMM_SELF)
end subroutine

program errors_fortran
  use mpi
  implicit none
  integer :: ierror
  character(len=8) :: how
  call get_command_argument(1, how)
  call MPI_Init(ierror)
  call judge_mpi_module(how == "right")
  call judge_mpi_f08_module(how == "right")
  call MPI_Finalize(ierror)
end program
