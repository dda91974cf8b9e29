! files_fortran CASE: the same in Fortran, by both modules: what is written to a file of the process, and with the
! argument "wrong" what is written to one that may only be read.
subroutine by_mpi_module(is_right)
  use mpi
  implicit none
  logical, intent(in) :: is_right
  integer :: file, ierror
  integer(kind=MPI_OFFSET_KIND), parameter :: behind_header = 16
  real(kind(1d0)) :: from(8)
  from = 1
  call MPI_File_open(MPI_COMM_SELF, "fortran.data", MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierror)
  call MPI_File_set_view(file, behind_header, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, "native", MPI_INFO_NULL, ierror)
  call MPI_File_write(file, from, 8, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierror)
  call MPI_File_close(file, ierror)
  call MPI_File_open(MPI_COMM_SELF, "fortran.data", merge(MPI_MODE_RDWR, MPI_MODE_RDONLY, is_right), MPI_INFO_NULL, file, ierror)
  call MPI_File_write(file, from, 2, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierror)
  call MPI_File_close(file, ierror)
end subroutine

subroutine by_mpi_f08_module(is_right)
  use mpi_f08
  implicit none
  logical, intent(in) :: is_right
  type(MPI_File) :: file
  integer(kind=MPI_OFFSET_KIND), parameter :: behind_header = 16
  real(kind(1d0)) :: from(8)
  integer :: ierror
  from = 1
  call MPI_File_open(MPI_COMM_SELF, "f08.data", MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file)
  call MPI_File_set_view(file, behind_header, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, "native", MPI_INFO_NULL)
  call MPI_File_write(file, from, 8, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
  call MPI_File_close(file)
  call MPI_File_open(MPI_COMM_SELF, "f08.data", merge(MPI_MODE_RDWR, MPI_MODE_RDONLY, is_right), MPI_INFO_NULL, file)
  call MPI_File_write(file, from, 2, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierror)
  call MPI_File_close(file)
end subroutine

program files_fortran
  use mpi
  implicit none
  integer :: ierror
  character(len=8) :: how
  call get_command_argument(1, how)
  call MPI_Init(ierror)
  call by_mpi_module(how == "right")
  call by_mpi_f08_module(how == "right")
  call MPI_Finalize(ierror)
end program
