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

! Types in arrays of them: a freed one and one that was not committed, a call for each number; right are those that are not
! looked at. A process has one neighbour, itself: Open MPI's layer translates no more types than there are processes.
subroutine judge_arrays(which)
  use mpi
  implicit none
  integer, intent(in) :: which
  integer :: column, kept, raw, cart, wall, request, ierror
  integer :: types(2), counts(2), zeros(2)
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  real(kind(1d0)) :: from(128), to(128)
  from = 1; to = 0; counts = 1; zeros = 0; places = [0, 512]
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, [0], MPI_UNWEIGHTED, 1, [0], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., cart, &
                                      ierror)
  call MPI_Cart_create(MPI_COMM_SELF, 1, [1], [.false.], .false., wall, ierror)
  call MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN, ierror)
  call MPI_Comm_set_errhandler(wall, MPI_ERRORS_RETURN, ierror)
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_vector(2, 1, 3, MPI_DOUBLE_PRECISION, raw, ierror)
  call MPI_Type_commit(column, ierror)
  types = column
  call MPI_Neighbor_alltoallw(from, counts, places, types, to, counts, places, types, cart, ierror)
  kept = column
  call MPI_Type_free(column, ierror)
  types = raw  ! at neighbours that are not there
  call MPI_Alltoallw(from, zeros, zeros, [kept], to, zeros, zeros, [kept], MPI_COMM_SELF, ierror)
  call MPI_Alltoallw(MPI_IN_PLACE, zeros, zeros, [kept], to, counts, zeros, [MPI_DOUBLE_PRECISION], MPI_COMM_SELF, ierror)
  call MPI_Neighbor_alltoallw(from, counts, places, types, to, counts, places, types, wall, ierror)
  if (which == 1) then
    call MPI_Alltoallw(from, counts, zeros, [kept], to, counts, zeros, [MPI_DOUBLE_PRECISION], MPI_COMM_SELF, ierror)
  else if (which == 2) then
    call MPI_Neighbor_alltoallw(from, counts, places, [kept], to, counts, places, [MPI_DOUBLE_PRECISION], cart, ierror)
  else if (which == 3) then
    call MPI_Ineighbor_alltoallw(from, counts, places, [MPI_DOUBLE_PRECISION], to, counts, places, [raw], cart, request, ierror)
    if (ierror == MPI_SUCCESS) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  end if
end subroutine

subroutine judge_arrays_f08(which)
  use mpi_f08
  implicit none
  integer, intent(in) :: which
  type(MPI_Datatype) :: column, kept(1), types(2)
  type(MPI_Comm) :: cart
  integer :: counts(2), zeros(2), ierror
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  real(kind(1d0)) :: from(128), to(128)
  from = 1; to = 0; counts = 1; zeros = 0; places = [0, 512]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, [0], MPI_UNWEIGHTED, 1, [0], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., cart)
  call MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN)
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)
  types = MPI_DOUBLE_PRECISION
  call MPI_Neighbor_alltoallw(from, counts, places, types, to, counts, places, types, cart)
  kept = column
  call MPI_Type_free(column)
  call MPI_Alltoallw(from, zeros, zeros, kept, to, zeros, zeros, kept, MPI_COMM_SELF, ierror)
  if (which == 4) then
    call MPI_Alltoallw(from, counts, zeros, kept, to, counts, zeros, types, MPI_COMM_SELF, ierror)
  else if (which == 5) then
    call MPI_Neighbor_alltoallw(from, counts, places, kept, to, counts, places, types, cart, ierror)
  end if
end subroutine

! More neighbours than processes: types in arrays that are as long as the standard says. Open MPI's layer passes on fewer,
! and reads memory behind them; what the program gives is right.
subroutine judge_ring()
  use mpi
  implicit none
  integer :: ring, types(2), counts(2), ierror, i
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  real(kind(1d0)) :: from(16), to(16)
  from = 1; to = 0; counts = 1; places = [0, 64]; types = MPI_DOUBLE_PRECISION
  call MPI_Cart_create(MPI_COMM_SELF, 1, [1], [.true.], .false., ring, ierror)
  call MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN, ierror)
  do i = 1, 3
    call MPI_Neighbor_alltoallw(from, counts, places, types, to, counts, places, types, ring, ierror)
  end do
end subroutine

! What is no handle at all. A library may end the process for it.
subroutine judge_garbage()
  use mpi
  implicit none
  integer :: ierror
  real(kind(1d0)) :: from(8), to(8)
  from = 1; to = 0
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
  call MPI_Alltoallw(from, [0], [0], [123456789], to, [0], [0], [-5], MPI_COMM_SELF, ierror)
  call MPI_Alltoallw(from, [1], [0], [123456789], to, [1], [0], [MPI_DOUBLE_PRECISION], MPI_COMM_SELF, ierror)
end subroutine

program errors_fortran
  use mpi
  implicit none
  integer :: ierror, which
  character(len=8) :: how
  call get_command_argument(1, how)
  call MPI_Init(ierror)
  if (how == "right" .or. how == "wrong") then
    call judge_mpi_module(how == "right")
    call judge_mpi_f08_module(how == "right")
  else if (how == "garbage") then
    call judge_garbage()
  else if (how == "ring") then
    call judge_ring()
  else
    read (how, *) which
    call judge_arrays(which)
    call judge_arrays_f08(which)
  end if
  call MPI_Finalize(ierror)
end program
