! Both processes wait for a message that the other one would send behind that, after one that has been received.
program hangs_fortran
  use mpi
  implicit none
  integer :: rank, error, request, win
  double precision :: value, other, memory(8)
  character(len=4096) :: folder
  character(len=8) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  value = rank
  call MPI_Isend(value, 1, MPI_DOUBLE_PRECISION, 1 - rank, 5, MPI_COMM_WORLD, request, error)
  call MPI_Recv(other, 1, MPI_DOUBLE_PRECISION, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Irecv(other, 1, MPI_DOUBLE_PRECISION, 1 - rank, 7, MPI_COMM_WORLD, request, error)
  call MPI_Win_create(memory, 64_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_SELF, win, error)
  call MPI_Win_set_name(win, "of Fortran", error)
  call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win, error)
  call MPI_Put(value, 1, MPI_DOUBLE_PRECISION, 0, 3_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, win, error)
  call get_environment_variable("HANGS_FOLDER", folder)
  write (name, "(a, i0)") "/here-", rank
  open (unit=10, file=trim(folder) // trim(name), status="replace")
  close (10)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 1 - rank, 7, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program hangs_fortran
