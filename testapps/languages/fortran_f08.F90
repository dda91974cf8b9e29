! The module mpi_f08: one type of each constructor, and of their large forms where the library has them. The error
! arguments are left out, as the module allows.
program fortran_f08
  use mpi_f08
  implicit none
  call MPI_INIT()
  call make_types(3)
#ifdef LARGE_COUNTS
  call make_large_types(4)
#endif
  call pass_on()
  call MPI_FINALIZE()
end program fortran_f08

subroutine finish(newtype, k)
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: newtype
  integer :: k, length
  character(len=16) :: name
  character(len=MPI_MAX_OBJECT_NAME) :: answer
  write(name, '(a, i1)') 'naming ', k
  call MPI_TYPE_COMMIT(newtype)
  call MPI_TYPE_SET_NAME(newtype, name)
  call MPI_TYPE_GET_NAME(newtype, answer, length)
  print *, answer(1:length), '.', length
  call MPI_TYPE_FREE(newtype)
  print *, newtype == MPI_DATATYPE_NULL
end subroutine finish

subroutine make_types(k)
  use mpi_f08
  implicit none
  integer :: k
  type(MPI_Datatype) :: vector, outer, child, copy, newtype, datatypes(1)
  integer :: n(4), contents(1)
  integer(kind=MPI_ADDRESS_KIND) :: addresses(2), zero, extent
  call MPI_TYPE_VECTOR(k, 1, 2, MPI_INTEGER, vector)
  call MPI_TYPE_CONTIGUOUS(k, vector, outer)
  call MPI_TYPE_GET_ENVELOPE(outer, n(1), n(2), n(3), n(4))
  print *, n(1), n(2), n(3), n(4) == MPI_COMBINER_CONTIGUOUS
  call MPI_TYPE_GET_CONTENTS(outer, 1, 0, 1, contents, addresses, datatypes)
  print *, contents(1)
  child = datatypes(1)
  call finish(vector, k)
  call finish(child, k)
  call finish(outer, k)
  addresses(1) = 0
  addresses(2) = 16
  call MPI_TYPE_CREATE_HVECTOR(k, 1, addresses(2), MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_INDEXED(2, [1, k], [0, 4], MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_HINDEXED(2, [1, k], addresses, MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_STRUCT(2, [1, k], addresses, [MPI_INTEGER, MPI_DOUBLE_PRECISION], newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_INDEXED_BLOCK(2, k, [0, 100], MPI_INTEGER, newtype)
  call finish(newtype, k)
  addresses(2) = 400
  call MPI_TYPE_CREATE_HINDEXED_BLOCK(2, k, addresses, MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_SUBARRAY(2, [k + 2, 3], [k, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_DARRAY(1, 0, 1, [k + 4], [MPI_DISTRIBUTE_BLOCK], [MPI_DISTRIBUTE_DFLT_DARG], [1], &
      MPI_ORDER_FORTRAN, MPI_INTEGER, newtype)
  call finish(newtype, k)
  zero = 0
  extent = 4 * k
  call MPI_TYPE_CREATE_RESIZED(MPI_INTEGER, zero, extent, newtype)
  call MPI_TYPE_DUP(newtype, copy)
  call finish(newtype, k)
  call finish(copy, k)
  call MPI_TYPE_CREATE_F90_REAL(6, 30, newtype)
  call MPI_TYPE_CREATE_F90_COMPLEX(6, 30, newtype)
  call MPI_TYPE_CREATE_F90_INTEGER(9, newtype)
end subroutine make_types

#ifdef LARGE_COUNTS
subroutine make_large_types(k)
  use mpi_f08
  implicit none
  integer :: k, contents(1), combiner
  type(MPI_Datatype) :: vector, outer, child, newtype, datatypes(1)
  integer(kind=MPI_ADDRESS_KIND) :: addresses(1)
  integer(kind=MPI_COUNT_KIND) :: n, one, two, c(2), counts(1), i, a, l, d
  n = k
  one = 1
  two = 2
  c = [one, n]
  call MPI_TYPE_VECTOR(n, one, two, MPI_INTEGER, vector)
  call MPI_TYPE_CONTIGUOUS(n, vector, outer)
  call MPI_TYPE_GET_ENVELOPE(outer, i, a, l, d, combiner)
  print *, i, a, l, d, combiner == MPI_COMBINER_CONTIGUOUS
  call MPI_TYPE_GET_CONTENTS(outer, i, a, l, d, contents, addresses, counts, datatypes)
  print *, counts(1)
  child = datatypes(1)
  call finish(vector, k)
  call finish(child, k)
  call finish(outer, k)
  call MPI_TYPE_CREATE_HVECTOR(n, one, 16 * one, MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_INDEXED(two, c, [0 * one, 4 * one], MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_HINDEXED(two, c, [0 * one, 16 * one], MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_STRUCT(two, c, [0 * one, 16 * one], [MPI_INTEGER, MPI_DOUBLE_PRECISION], newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_INDEXED_BLOCK(two, n, [0 * one, 100 * one], MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_HINDEXED_BLOCK(two, n, [0 * one, 400 * one], MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_SUBARRAY(2, [n + 2, 3 * one], [n, two], [one, one], MPI_ORDER_FORTRAN, MPI_INTEGER, newtype)
  call finish(newtype, k)
  call MPI_TYPE_CREATE_DARRAY(1, 0, 1, [n + 4], [MPI_DISTRIBUTE_BLOCK], [MPI_DISTRIBUTE_DFLT_DARG], [1], &
      MPI_ORDER_FORTRAN, MPI_INTEGER, newtype)
  call finish(newtype, k)
end subroutine make_large_types
#endif

! Special addresses and logicals come through as they are.
subroutine pass_on()
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: newtype
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer :: sent(4), received(2), sum, i, grid(6, 6)
  logical :: flag
  integer(kind=MPI_ADDRESS_KIND) :: address(1)
  sent(1) = 11
  sent(2) = 22
  sent(3) = 33
  sent(4) = 44
  call MPI_GET_ADDRESS(sent, address(1))
  call MPI_TYPE_CREATE_HINDEXED(1, [2], address, MPI_INTEGER, newtype)
  call MPI_TYPE_COMMIT(newtype)
  call MPI_IRECV(received, 2, MPI_INTEGER, 0, 5, MPI_COMM_SELF, request)
  call MPI_SEND(MPI_BOTTOM, 1, newtype, 0, 5, MPI_COMM_SELF)
  flag = .false.
  do while (.not. flag)
    call MPI_TEST(request, flag, status)
  end do
  print *, received(1), received(2), status%MPI_TAG, flag
  call MPI_TYPE_FREE(newtype)
  sum = 5
  call MPI_ALLREDUCE(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  print *, sum
  call MPI_SEND(sent, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_SELF)
  ! A section of an array: the library may make a type for itself, which is not the program's.
  grid = reshape([(i, i = 1, 36)], [6, 6])
  call MPI_SENDRECV(grid(2, 1:6:2), 3, MPI_INTEGER, 0, 6, grid(1:3, 6), 3, MPI_INTEGER, 0, 6, MPI_COMM_SELF, status)
  print *, grid(1:3, 6)
  call MPI_RECV(sent, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE)
end subroutine pass_on
