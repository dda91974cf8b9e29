! Variables of Fortran's that are less usual: components that are allocatable, pointers to parts, character, complex,
! COMMON of several kinds, saved variables, arguments of several kinds, CLASS.
module kinds_of_data
  implicit none
  type halo
    integer :: count
    double precision, allocatable :: values(:)
    real, pointer :: aimed(:) => null()
  end type halo
  type, extends(halo) :: wide_halo
    double precision :: weights(5)
  end type wide_halo
  integer, allocatable, target :: indices(:)
  real, target :: plane(6, 7)
  double precision, save :: kept(4) = 1
  complex(kind(1d0)) :: waves(3)
  type(wide_halo) :: wide
end module kinds_of_data

program more_variables
  use iso_c_binding
  use kinds_of_data
  implicit none
  interface
    subroutine observe(buffer, type, elements, name) bind(c)
      import :: c_ptr, c_char, c_long
      type(c_ptr), value :: buffer
      character(kind=c_char), intent(in) :: type(*)
      integer(c_long), value :: elements
      character(kind=c_char), intent(in) :: name(*)
    end subroutine observe
    function malloc_observed(n) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: n
      type(c_ptr) :: malloc_observed
    end function malloc_observed
  end interface
  type(halo), target :: local
  logical :: flags(4)
  integer(8) :: long(3)
  character(len=24) :: text
  integer :: first(4)
  double precision :: second(3)
  common /mixed/ second, first
  real :: blank(5)
  common blank
  local%count = 3
  allocate (local%values(11), indices(9))
  local%aimed => plane(:, 2)
  flags = .true.
  long = 4
  text = 'text'
  first = 1
  second = 2
  blank = 3
  waves = 4
  indices = 5
  plane = 6
  wide%weights = 7
  call both(at(c_loc_of(indices)), 'MPI_INTEGER', 'MPI_REAL', 9, 'indices')
  call both(at(c_loc_of(plane)), 'MPI_REAL', 'MPI_INTEGER', 42, 'plane')
  call both(at(c_loc_of(kept)), 'MPI_DOUBLE_PRECISION', 'MPI_INTEGER', 4, 'kept')
  call both(at(c_loc_of(waves)), 'MPI_DOUBLE_COMPLEX', 'MPI_INTEGER', 3, 'waves')
  call both(at(c_loc_of(wide%weights)), 'MPI_DOUBLE_PRECISION', 'MPI_INTEGER', 5, 'wide')
  call both(at(c_loc_of(first)), 'MPI_INTEGER', 'MPI_REAL', 4, 'first')
  call both(at(c_loc_of(second)), 'MPI_DOUBLE_PRECISION', 'MPI_REAL', 3, 'second')
  call both(at(c_loc_of(blank)), 'MPI_REAL', 'MPI_INTEGER', 5, 'blank')
  call both(at(c_loc_of(flags)), 'MPI_LOGICAL', 'MPI_DOUBLE_PRECISION', 2, 'flags')
  call both(at(c_loc_of(long)), 'MPI_INTEGER8', 'MPI_DOUBLE_PRECISION', 3, 'long')
  call both(at(c_loc_of(local%count)), 'MPI_INTEGER', 'MPI_REAL', 1, 'local')
  call both(at(c_loc_of(local%values)), 'MPI_DOUBLE_PRECISION', 'MPI_INTEGER', 11, 'local%values')
  call observe(at(c_loc_of(local%aimed)), 'MPI_REAL' // c_null_char, 6_c_long, '+plane' // c_null_char)
  call observe(at(c_loc_of(text)), 'MPI_CHARACTER' // c_null_char, 24_c_long, '+text' // c_null_char)
  call of_assumed_size(kept, 4)
  call of_assumed_rank_two(plane)
  call of_automatic(7)
  call of_class(wide)
  call of_scalar(long(2))
  if (flags(1) .and. text(1:1) == 'x') print *, first, second, blank, long, local%values
contains
  function at(address) result(same)
    integer(c_intptr_t), value :: address
    type(c_ptr) :: same
    same = transfer(address, same)
  end function at
  function c_loc_of(x) result(address)
    type(*), target, intent(in) :: x(..)
    integer(c_intptr_t) :: address
    address = transfer(c_loc(x), address)
  end function c_loc_of
  subroutine both(buffer, right, wrong, elements, name)
    type(c_ptr), value :: buffer
    character(*), intent(in) :: right, wrong, name
    integer, intent(in) :: elements
    call observe(buffer, right // c_null_char, int(elements, c_long), '+' // name // c_null_char)
    call observe(buffer, wrong // c_null_char, int(elements, c_long), '-' // name // c_null_char)
  end subroutine both
  subroutine of_assumed_size(a, n)
    integer, intent(in) :: n
    double precision, target, intent(inout) :: a(*)
    call both(c_loc(a), 'MPI_DOUBLE_PRECISION', 'MPI_REAL', n, 'kept')
    a(1) = n
  end subroutine of_assumed_size
  subroutine of_assumed_rank_two(b)
    real, target, intent(inout) :: b(:, :)
    call both(c_loc(b), 'MPI_REAL', 'MPI_INTEGER', 42, 'plane')
    b(1, 1) = 1
  end subroutine of_assumed_rank_two
  subroutine of_automatic(n)
    integer, intent(in) :: n
    real, target :: automatic(n)
    automatic = n
    call both(c_loc(automatic), 'MPI_REAL', 'MPI_INTEGER', n, 'automatic')
    if (automatic(n) < 0) print *, automatic
  end subroutine of_automatic
  subroutine of_class(any)
    class(halo), target, intent(inout) :: any
    call observe(c_loc(any%count), 'MPI_INTEGER' // c_null_char, 1_c_long, '+any' // c_null_char)
    any%count = any%count + 1
  end subroutine of_class
  subroutine of_scalar(x)
    integer(8), target, intent(inout) :: x
    call both(c_loc(x), 'MPI_INTEGER8', 'MPI_DOUBLE_PRECISION', 1, 'long')
    x = x + 1
  end subroutine of_scalar
end program more_variables
