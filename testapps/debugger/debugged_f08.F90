! Handles as Fortran 2008 has them.
program debugged_f08
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: column, block, types(1)
  double precision :: shared(3)
  integer :: shared_behind
  common /shared_block/ shared, shared_behind
  double precision :: tile(4, 3), other(12), large(100, 200)
  integer :: i, counts(1), places(1)
  call MPI_Init()
  tile = reshape([(dble(i), i = 1, 12)], [4, 3])
  call MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_set_name(column, "row of tile")
  call MPI_Type_commit(column)
  call MPI_Type_create_struct(2, [3, 1], [0_MPI_ADDRESS_KIND, 24_MPI_ADDRESS_KIND], [MPI_DOUBLE_PRECISION, MPI_INTEGER], block)
  call MPI_Type_commit(block)
  large = 0.5d0
  shared = 2
  shared_behind = 3
  call here(column, tile)
  call of_part(tile(1, 2))
  call MPI_Sendrecv(tile(1, 1), 1, column, 0, 0, tile(2, 1), 1, column, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  counts = 1
  places = 8
  types = column
  call MPI_Alltoallw(tile, counts, places, types, other, counts, places, types, MPI_COMM_SELF)
  call MPI_Bcast(large, 1, column, 0, MPI_COMM_SELF)
  call MPI_Type_free(column)
  call MPI_Type_free(block)
  call MPI_Finalize()
contains
  subroutine here(row, values)
    type(MPI_Datatype), intent(in) :: row
    double precision, intent(in) :: values(4, 3)
    print *, row%MPI_VAL, values(1, 1)
  end subroutine
  ! As arguments were declared of which the caller has more elements.
  subroutine of_part(old_style)
    double precision, intent(in) :: old_style(1)
    print *, old_style(1)
  end subroutine
end program
