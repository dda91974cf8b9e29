! Receives that are posted for more than comes, with statuses and without, through the modules mpi and mpi_f08:
! run_received.py knows how much each was told to have received.
subroutine receive_mpi_module
  use mpi
  implicit none
  integer :: request, ierror, status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 1), requests(1)
  integer, save :: from(10) = 1, to(10)
  call MPI_Irecv(to, 10, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request, ierror)
  call MPI_Send(from, 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierror)
  call MPI_Wait(request, status, ierror)
  call MPI_Irecv(to, 10, MPI_REAL, 0, 1, MPI_COMM_SELF, requests(1), ierror)
  call MPI_Send(from, 4, MPI_REAL, 0, 1, MPI_COMM_SELF, ierror)
  call MPI_Waitall(1, requests, statuses, ierror)
  call MPI_Irecv(to, 10, MPI_CHARACTER, 0, 1, MPI_COMM_SELF, request, ierror)
  call MPI_Send(from, 4, MPI_CHARACTER, 0, 1, MPI_COMM_SELF, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Sendrecv(from, 2, MPI_INTEGER, 0, 1, to, 10, MPI_INTEGER, 0, 1, MPI_COMM_SELF, status, ierror)
end subroutine

subroutine receive_mpi_f08_module
  use mpi_f08
  implicit none
  type(MPI_Request) :: request, requests(1)
  type(MPI_Status) :: status, statuses(1)
  integer, save, asynchronous :: from(10) = 1, to(10)
  call MPI_Irecv(to, 10, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request)
  call MPI_Send(from, 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
  call MPI_Wait(request, status)
  call MPI_Irecv(to, 10, MPI_REAL, 0, 1, MPI_COMM_SELF, requests(1))
  call MPI_Send(from, 4, MPI_REAL, 0, 1, MPI_COMM_SELF)
  call MPI_Waitall(1, requests, statuses)
  call MPI_Irecv(to, 10, MPI_CHARACTER, 0, 1, MPI_COMM_SELF, request)
  call MPI_Send(from, 4, MPI_CHARACTER, 0, 1, MPI_COMM_SELF)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Sendrecv(from, 2, MPI_INTEGER, 0, 1, to, 10, MPI_INTEGER, 0, 1, MPI_COMM_SELF, status)
end subroutine

program received_fortran
  use mpi
  implicit none
  integer :: ierror
  call MPI_Init(ierror)
  call receive_mpi_module
  call receive_mpi_f08_module
  call MPI_Finalize(ierror)
end program
