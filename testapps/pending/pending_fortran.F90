! Receives that are pending at once, through the modules mpi and mpi_f08: with the argument "right" they lie side by
! side, else they share an element. Done thrice, so that what is complete would be seen if it were kept.
subroutine receive_with_mpi(distance)
  use mpi
  implicit none
  integer, intent(in) :: distance
  integer :: requests(4), round, ierror
  real(kind(1d0)), save :: from(8), to(8)
  do round = 1, 3
    call MPI_Irecv(to(1), 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(1), ierror)
    call MPI_Irecv(to(1 + distance), 4, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, requests(2), ierror)
    call MPI_Isend(from, 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(3), ierror)
    call MPI_Isend(from, 4, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, requests(4), ierror)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
  end do
end subroutine

subroutine receive_with_mpi_f08(distance)
  use mpi_f08
  implicit none
  integer, intent(in) :: distance
  type(MPI_Request) :: requests(4)
  integer :: round, i
  real(kind(1d0)), save :: from(8), to(8)
  do round = 1, 3
    call MPI_Irecv(to(1:4), 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(1))
    call MPI_Irecv(to(1 + distance:4 + distance), 4, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, requests(2))
    call MPI_Isend(from, 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(3))
    call MPI_Isend(from, 4, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, requests(4))
    do i = 1, 4
      call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
    end do
  end do
end subroutine

program pending_fortran
  use mpi
  implicit none
  integer :: ierror, distance
  character(len=8) :: how
  call get_command_argument(1, how)
  distance = merge(4, 3, how == "right")
  call MPI_Init(ierror)
  call receive_with_mpi(distance)
  call receive_with_mpi_f08(distance)
  call MPI_Finalize(ierror)
end program
