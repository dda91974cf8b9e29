! Buffers of Fortran's kinds through the module mpi_f08, which MPICH gives descriptors to the library for: what is wrong
! with a variable called wrong_... run_buffers_f08.py knows, and nothing is with the others.
module held_f08
  use mpi_f08
  implicit none
  type particle
    integer :: id
    real(8) :: x(3)
  end type particle
  type field
    integer :: cells
    real(8), allocatable :: right_values(:), wrong_values(:)
    real, pointer :: right_aimed(:) => null(), wrong_aimed(:) => null()
  end type field
  type node
    integer :: number
    real(8) :: x(4)
    type(node), pointer :: next => null()
  end type node
  type holder
    type(node), pointer :: first => null()
  end type holder
  type domain
    type(holder), pointer :: holders(:) => null()
  end type domain
  real(8) :: right_of_module(12), wrong_of_module(12)
  real(8), allocatable :: right_kept(:), wrong_kept(:)
  type(particle), target :: right_particles(4), wrong_particles(4)
contains
  subroutine doubles(buffer, count)
    type(*), dimension(..) :: buffer
    integer, intent(in) :: count
    call MPI_Bcast(buffer, count, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
  end subroutine doubles
end module held_f08

program buffers_f08
  use held_f08
  implicit none
  real(8), allocatable :: given(:), wrong_given_size(:), wrong_given_explicit(:), wrong_given_shape(:)
  real(8) :: plane(6, 8), wrong_plane(6, 8)
  call MPI_Init()
  call of_static()
  call of_local()
  call of_allocated(40)
  call of_pointers(30)
  call of_sections(24)
  call of_components(20)
  call of_first_components()
  allocate (given(50), wrong_given_size(50), wrong_given_explicit(50), wrong_given_shape(50))
  given = 0
  wrong_given_size = 0
  wrong_given_explicit = 0
  wrong_given_shape = 0
  plane = 0
  wrong_plane = 0
  call of_assumed_size(given, wrong_given_size, 50)
  call of_explicit_shape(given, wrong_given_explicit, 50)
  call of_assumed_shape(given, wrong_given_shape)
  call of_parts_of_shape(plane(2, :), wrong_plane(3, :), plane(:, 4), wrong_plane(:, 5))
  call of_scalars()
  call MPI_Finalize()
  if (given(1) > 0 .or. plane(1, 1) > 0 .or. wrong_given_size(1) > 0 .or. wrong_given_explicit(1) > 0) print *, given, plane
  if (wrong_given_shape(1) > 0 .or. wrong_plane(1, 1) > 0) print *, wrong_given_shape, wrong_plane
contains
  subroutine of_static()
    right_of_module = 0
    wrong_of_module = 0
    call MPI_Bcast(right_of_module, 12, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_of_module, 12, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_of_module(4:9), 6, MPI_REAL8, 0, MPI_COMM_SELF)
    right_particles%id = 1
    wrong_particles%id = 1
    call MPI_Bcast(right_particles(2)%x, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_particles(2)%x, 3, MPI_REAL, 0, MPI_COMM_SELF)
    allocate (right_kept(15), wrong_kept(15))
    right_kept = 0
    wrong_kept = 0
    call MPI_Bcast(right_kept, 15, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_kept, 15, MPI_INTEGER, 0, MPI_COMM_SELF)
    deallocate (right_kept, wrong_kept)
  end subroutine of_static

  subroutine of_local()
    real(8) :: right_local(10), wrong_local(10)
    integer :: wrong_short(10)
    complex(8) :: right_waves(3)
    logical :: right_flags(4)
    character(len=24) :: right_text
    right_local = 0
    wrong_local = 0
    wrong_short = 0
    right_waves = 0
    right_flags = .true.
    right_text = 'text'
    call MPI_Bcast(right_local, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_local, 10, MPI_REAL, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_short, 11, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_waves, 3, MPI_DOUBLE_COMPLEX, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_flags, 4, MPI_LOGICAL, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_text, 24, MPI_CHARACTER, 0, MPI_COMM_SELF)
    if (right_local(1) > 0 .or. wrong_local(1) > 0 .or. wrong_short(1) > 0 .or. .not. right_flags(1)) then
      print *, right_local, wrong_local, wrong_short, right_waves, right_flags, right_text
    end if
  end subroutine of_local

  subroutine of_allocated(n)
    integer, intent(in) :: n
    real(8), allocatable :: right_allocated(:), wrong_allocated(:), right_grid(:, :), wrong_grid(:, :), wrong_large(:)
    real(8) :: right_automatic(n), wrong_automatic(n)
    type(particle), allocatable :: right_list(:), wrong_list(:)
    allocate (right_allocated(n), wrong_allocated(n), right_grid(n, n), wrong_grid(n, n), wrong_large(0:99999))
    allocate (right_list(n), wrong_list(n))
    right_allocated = 0
    wrong_allocated = 0
    right_grid = 0
    wrong_grid = 0
    wrong_large = 0
    right_automatic = 0
    wrong_automatic = 0
    right_list%id = 1
    wrong_list%id = 1
    call MPI_Bcast(right_allocated, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_allocated, n, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_grid, n * n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_grid, n * n, MPI_REAL, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_large, 200000, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_automatic, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_automatic, n, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_list(3)%x, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_list(3)%x, 3, MPI_REAL, 0, MPI_COMM_SELF)
    call doubles(right_allocated, n)
    if (right_allocated(1) > 0 .or. wrong_allocated(1) > 0 .or. right_grid(1, 1) > 0 .or. wrong_grid(1, 1) > 0) print *, n
    if (right_automatic(1) > 0 .or. wrong_automatic(1) > 0 .or. wrong_large(0) > 0) print *, right_list(1), wrong_list(1)
  end subroutine of_allocated

  subroutine of_pointers(n)
    integer, intent(in) :: n
    real, pointer :: right_pointer(:), wrong_pointer(:)
    real, pointer :: right_part(:)
    real, target :: right_aimed_at(6, 7)
    allocate (right_pointer(n), wrong_pointer(n))
    right_pointer = 0
    wrong_pointer = 0
    right_aimed_at = 0
    right_part => right_aimed_at(:, 3)
    call MPI_Bcast(right_pointer, n, MPI_REAL, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_pointer, n, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_part, 6, MPI_REAL, 0, MPI_COMM_SELF)
    if (right_pointer(1) > 0 .or. wrong_pointer(1) > 0 .or. right_part(1) > 0) print *, right_aimed_at
    deallocate (right_pointer, wrong_pointer)
  end subroutine of_pointers

  ! Those with a stride the library gets a copy of, or describes by types of its own; MPICH from 4.2 on ends the program
  ! where the datatype has not the elements' size.
  subroutine of_sections(n)
    integer, intent(in) :: n
    real(8), allocatable :: right_whole(:), wrong_whole(:), right_strided(:), wrong_strided(:), right_rows(:, :), wrong_rows(:, :)
    real(8) :: right_fixed(20), wrong_fixed(20)
    allocate (right_whole(n), wrong_whole(n), right_strided(n), wrong_strided(n), right_rows(n, n), wrong_rows(n, n))
    right_whole = 0
    wrong_whole = 0
    right_strided = 0
    wrong_strided = 0
    right_rows = 0
    wrong_rows = 0
    right_fixed = 0
    wrong_fixed = 0
    call MPI_Bcast(right_whole(5:16), 12, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_whole(5:16), 12, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_strided(1:n:2), 12, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_strided(1:n:2), 12, MPI_INTEGER8, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_rows(3, :), n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_rows(3, :), n, MPI_INTEGER8, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_fixed(2:20:3), 7, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_fixed(2:20:3), 7, MPI_INTEGER8, 0, MPI_COMM_SELF)
    if (right_whole(1) > 0 .or. wrong_whole(1) > 0 .or. right_strided(1) > 0 .or. wrong_strided(1) > 0) print *, right_rows
    if (right_fixed(1) > 0 .or. wrong_fixed(1) > 0) print *, wrong_rows
  end subroutine of_sections

  subroutine of_components(n)
    integer, intent(in) :: n
    type(field), target :: one
    allocate (one%right_values(n), one%wrong_values(n), one%right_aimed(n), one%wrong_aimed(n))
    one%cells = n
    one%right_values = 0
    one%wrong_values = 0
    one%right_aimed = 0
    one%wrong_aimed = 0
    call MPI_Bcast(one%right_values, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(one%wrong_values, n, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(one%right_aimed, n, MPI_REAL, 0, MPI_COMM_SELF)
    call MPI_Bcast(one%wrong_aimed, n, MPI_INTEGER, 0, MPI_COMM_SELF)
    if (one%right_values(1) > 0 .or. one%right_aimed(1) > 0) print *, one%cells, one%wrong_values, one%wrong_aimed
  end subroutine of_components

  ! Structures that are sent by their first component, far behind what has an address on the stack: of MPICH's calls the
  ! descriptor of that component is all that is known.
  subroutine of_first_components()
    type(domain), pointer :: right
    type(MPI_Datatype) :: whole
    integer(MPI_ADDRESS_KIND) :: places(2)
    integer :: i
    allocate (right)
    allocate (right%holders(3))
    do i = 1, 3
      allocate (right%holders(i)%first)
      allocate (right%holders(i)%first%next)
      allocate (right%holders(i)%first%next%next)
      right%holders(i)%first%next%next%number = i
      right%holders(i)%first%next%next%x = i
    end do
    call MPI_Get_address(right%holders(1)%first%number, places(1))
    call MPI_Get_address(right%holders(1)%first%x, places(2))
    places = places - places(1)
    call MPI_Type_create_struct(2, [1, 4], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], whole)
    call MPI_Type_commit(whole)
    do i = 1, 3
      call MPI_Bcast(right%holders(i)%first%next%next%number, 1, whole, 0, MPI_COMM_SELF)
    end do
    call MPI_Type_free(whole)
    if (right%holders(2)%first%next%next%x(1) < 0) print *, places
  end subroutine of_first_components

  subroutine of_assumed_size(right_assumed, wrong_assumed, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: right_assumed(*), wrong_assumed(*)
    call MPI_Bcast(right_assumed, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_assumed, n, MPI_INTEGER, 0, MPI_COMM_SELF)
    right_assumed(1) = 0
    wrong_assumed(2) = 0
  end subroutine of_assumed_size

  subroutine of_explicit_shape(right_explicit, wrong_explicit, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: right_explicit(n), wrong_explicit(n)
    call MPI_Bcast(right_explicit, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_explicit, n, MPI_REAL, 0, MPI_COMM_SELF)
    right_explicit(1) = 0
    wrong_explicit(2) = 0
  end subroutine of_explicit_shape

  subroutine of_assumed_shape(right_shape, wrong_shape)
    real(8), intent(inout) :: right_shape(:), wrong_shape(:)
    call MPI_Bcast(right_shape, size(right_shape), MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_shape, size(wrong_shape), MPI_INTEGER, 0, MPI_COMM_SELF)
    right_shape(1) = 0
    wrong_shape(2) = 0
  end subroutine of_assumed_shape

  subroutine of_parts_of_shape(right_row, wrong_row, right_column, wrong_column)
    real(8), intent(inout) :: right_row(:), wrong_row(:), right_column(:), wrong_column(:)
    call MPI_Bcast(right_row, 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_row, 8, MPI_INTEGER8, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_column, 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_column, 6, MPI_REAL, 0, MPI_COMM_SELF)
    right_row(1) = 0
    wrong_row(1) = 0
    right_column(1) = 0
    wrong_column(1) = 0
  end subroutine of_parts_of_shape

  subroutine of_scalars()
    integer :: right_number, wrong_number
    real(8), allocatable :: right_scalar, wrong_scalar
    type(particle) :: right_one, wrong_one
    allocate (right_scalar, wrong_scalar)
    right_number = 1
    wrong_number = 1
    right_scalar = 0
    wrong_scalar = 0
    right_one%x = 0
    wrong_one%x = 0
    call MPI_Bcast(right_number, 1, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_number, 1, MPI_REAL, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_scalar, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_scalar, 1, MPI_INTEGER8, 0, MPI_COMM_SELF)
    call MPI_Bcast(right_one%id, 1, MPI_INTEGER, 0, MPI_COMM_SELF)
    call MPI_Bcast(wrong_one%x(2), 2, MPI_INTEGER8, 0, MPI_COMM_SELF)
    if (right_number > 1 .or. wrong_number > 1 .or. right_scalar > 0 .or. wrong_scalar > 0) print *, right_one, wrong_one
  end subroutine of_scalars
end program buffers_f08
