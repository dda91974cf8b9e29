! The same in Fortran, by its three bindings: communicators, and what their processes find out about each. One line each,
! in the order in which this process made them, into a file of its own.
module telling
  implicit none
  integer :: world_rank = -1, given = 0, unit_of_file = -1
contains
  subroutine tell(comm)
    use mpi
    integer, intent(in) :: comm
    integer :: rank, size, own, number, i, ierror
    integer, allocatable :: members(:)
    if (comm == MPI_COMM_NULL) return
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, size, ierror)
    own = 0
    if (rank == 0) then
      given = given + 1
      own = 1000 * (world_rank + 1) + given
    end if
    call MPI_Allreduce(own, number, 1, MPI_INTEGER, MPI_MAX, comm, ierror)
    allocate (members(size))
    call MPI_Allgather(world_rank, 1, MPI_INTEGER, members, 1, MPI_INTEGER, comm, ierror)
    write (unit_of_file, '(i0, a, 100(1x, i0))') number, ' intra', (members(i), i=1, size)
  end subroutine tell
end module telling

subroutine by_include()
  use telling
  implicit none
  include 'mpif.h'
  integer :: copy, half, ierror
  call MPI_COMM_DUP(MPI_COMM_WORLD, copy, ierror)
  call tell(copy)
  call MPI_COMM_SPLIT(copy, mod(world_rank, 2), -world_rank, half, ierror)
  call tell(half)
  call MPI_COMM_FREE(half, ierror)
  call MPI_COMM_FREE(copy, ierror)
end subroutine by_include

subroutine by_module()
  use mpi
  use telling
  implicit none
  integer :: half, grid, size, dims(1), ierror
  logical :: periods(1)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(world_rank, 2), 0, half, ierror)
  call tell(half)
  if (mod(world_rank, 2) == 0) then
    call MPI_Comm_size(half, size, ierror)
    dims(1) = size
    periods(1) = .true.
    call MPI_Cart_create(half, 1, dims, periods, .false., grid, ierror)
    call tell(grid)
  end if
  call MPI_Comm_free(half, ierror)
end subroutine by_module

subroutine by_f08()
  use mpi_f08
  use telling
  implicit none
  type(MPI_Comm) :: copies(2), half
  type(MPI_Request) :: requests(2)
  integer :: i
  do i = 1, 2
    call MPI_Comm_idup(MPI_COMM_WORLD, copies(i), requests(i))
  end do
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  do i = 1, 2
    call tell(copies(i)%MPI_VAL)
  end do
  call MPI_Comm_split(copies(2), mod(world_rank, 2), world_rank, half)
  call tell(half%MPI_VAL)
  call MPI_Comm_free(half)
end subroutine by_f08

program communicators_fortran
  use mpi
  use telling
  implicit none
  character(len=4000) :: path
  character(len=16) :: rank_text
  integer :: ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, ierror)
  call get_command_argument(1, path)
  write (rank_text, '(i0)') world_rank
  open (newunit=unit_of_file, file=trim(path)//'.'//trim(rank_text), action='write')
  call by_include()
  call by_module()
  call by_f08()
  close (unit_of_file)
  call MPI_Finalize(ierror)
end program communicators_fortran
