! Variables as Fortran has them: allocatable, pointer, automatic, assumed and explicit shape, module, COMMON, derived types.
module shared_data
  implicit none
  type particle
    integer :: id
    double precision :: x(3)
  end type particle
  real :: of_module(6)
  type(particle) :: particles(4)
end module shared_data

program variables
  use iso_c_binding
  use shared_data
  implicit none
  interface
    subroutine observe(buffer, type, elements, name) bind(c)
      import :: c_ptr, c_char, c_long
      type(c_ptr), value :: buffer
      character(kind=c_char), intent(in) :: type(*)
      integer(c_long), value :: elements
      character(kind=c_char), intent(in) :: name(*)
    end subroutine observe
  end interface
  integer :: counts(5)
  double precision :: matrix(8, 10)
  common /block/ first, second
  integer :: first(4)
  real :: second(4)
  double precision, allocatable, target :: heap(:)
  real, pointer :: aimed(:)
  counts = 0
  matrix = 0
  first = 0
  second = 0
  allocate (heap(20))
  allocate (aimed(12))
  heap = 0
  aimed = 0
  call both(c_loc_of_integer(counts), 'MPI_INTEGER', 'MPI_REAL', 5, 'counts')
  call both_matrix(matrix)
  call both(c_loc_of_integer(first), 'MPI_INTEGER', 'MPI_REAL', 4, 'first')
  call both(c_loc_of_real(of_module), 'MPI_REAL', 'MPI_INTEGER', 6, 'of_module')
  call both(c_loc_of_double(heap), 'MPI_DOUBLE_PRECISION', 'MPI_INTEGER', 20, 'heap')
  call both(c_loc_of_real(aimed), 'MPI_REAL', 'MPI_INTEGER', 12, 'aimed')
  call both(c_loc_of_double(particles(2)%x), 'MPI_DOUBLE_PRECISION', 'MPI_INTEGER', 3, 'particles')
  call explicit_shape(heap, 20)
  call assumed_shape(heap)
contains
  function c_loc_of_integer(x) result(address)
    integer, target, intent(in) :: x(*)
    type(c_ptr) :: address
    address = c_loc(x)
  end function c_loc_of_integer
  function c_loc_of_real(x) result(address)
    real, target, intent(in) :: x(*)
    type(c_ptr) :: address
    address = c_loc(x)
  end function c_loc_of_real
  function c_loc_of_double(x) result(address)
    double precision, target, intent(in) :: x(*)
    type(c_ptr) :: address
    address = c_loc(x)
  end function c_loc_of_double
  subroutine both(buffer, right, wrong, elements, name)
    type(c_ptr), value :: buffer
    character(*), intent(in) :: right, wrong, name
    integer, intent(in) :: elements
    call observe(buffer, right // c_null_char, int(elements, c_long), '+' // name // c_null_char)
    call observe(buffer, wrong // c_null_char, int(elements, c_long), '-' // name // c_null_char)
  end subroutine both
  subroutine both_matrix(m)
    double precision, intent(inout) :: m(8, 10)
    call both(c_loc_of_double(m), 'MPI_DOUBLE_PRECISION', 'MPI_REAL', 80, 'matrix')
  end subroutine both_matrix
  subroutine explicit_shape(a, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: a(n)
    call both(c_loc_of_double(a), 'MPI_DOUBLE_PRECISION', 'MPI_REAL', 20, 'a')
    a(1) = 1
  end subroutine explicit_shape
  subroutine assumed_shape(b)
    double precision, intent(inout) :: b(:)
    call both(c_loc_of_double(b), 'MPI_DOUBLE_PRECISION', 'MPI_REAL', 20, 'b')
    b(1) = 1
  end subroutine assumed_shape
end program variables
