! Receives that are pending at once, through the modules mpi and mpi_f08: with the argument "right" they lie side by
! side, else they share an element. Done thrice, so that what is complete would be seen if it were kept. And one that is
! pending while all gather in place: in what it receives, but for "right".
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

subroutine gather_with_mpi_f08(is_right)
  use mpi_f08
  implicit none
  logical, intent(in) :: is_right
  type(MPI_Request) :: requests(2)
  real(kind(1d0)), save :: from(4), to(4), other(4)
  call MPI_Irecv(to, 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(1))
  ! Neither the count nor the type of what is sent means anything here.
  if (is_right) then
    call MPI_Allgather(MPI_IN_PLACE, 1, MPI_INTEGER, other, 4, MPI_DOUBLE_PRECISION, MPI_COMM_SELF)
  else
    call MPI_Allgather(MPI_IN_PLACE, 1, MPI_INTEGER, to, 4, MPI_DOUBLE_PRECISION, MPI_COMM_SELF)
  end if
  call MPI_Isend(from, 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
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
  call gather_with_mpi_f08(how == "right")
  call MPI_Finalize(ierror)
end program
