! Integers are received as reals, forty times, and as integers; by use mpi_f08.
program mismatches_fortran
  use mpi_f08
  implicit none
  integer :: rank, i, numbers(4)
  real :: room(4)
  type(MPI_Datatype) :: received
  character(len=16) :: what
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_command_argument(1, what)
  received = MPI_INTEGER
  if (what == "differs") received = MPI_REAL
  numbers = 7
  do i = 1, 40
    if (rank == 0) call MPI_Send(numbers, 4, MPI_INTEGER, 1, 11, MPI_COMM_WORLD)
    if (rank == 1) call MPI_Recv(room, 4, received, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end do
  call MPI_Finalize()
end program mismatches_fortran
