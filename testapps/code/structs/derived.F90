! The same as structs.c, for derived types.
module cells
  implicit none
  type :: point
    real :: x, y
  end type point
  type :: cell
    integer :: id
    character(len=5) :: name
    type(point) :: corner
    type(point) :: corners(0:3)
    real(kind(1d0)) :: field(2, 3)
    logical :: is_full
    complex :: wave
    real, pointer :: elsewhere(:)   ! is left out
    integer(8) :: far
  end type cell
  ! Whose components' names take more than a line, and an array of them whose first dimension has one element.
  type :: innermost
    integer :: a_component_of_a_derived_type_with_a_very_long_name
    integer :: and_another_one_with_a_name_that_is_nearly_as_long
  end type innermost
  type :: middle
    type(innermost) :: a_component_that_is_of_a_derived_type_itself(1, 3)
  end type middle
  type :: outermost_of_many_that_have_names_as_long_as_fortran_allows_for
    type(middle) :: and_so_is_this_one_with_again_a_long_name
  end type outermost_of_many_that_have_names_as_long_as_fortran_allows_for
  ! Called as variables of the functions.
  type :: sample
    integer :: id
    type(point) :: corners(2)
  end type sample
  type :: type
    integer :: id
    real(kind(1d0)) :: field
  end type type
end module cells

#ifdef GENERATED
#include "generated.h"
#endif

program derived
  use cells
#ifdef GENERATED
  use mpi_f08
  implicit none
  interface
    function make_cell() result(type)
      use mpi_f08
      type(MPI_Datatype) :: type
    end function make_cell
    function make_sample() result(type)
      use mpi_f08
      type(MPI_Datatype) :: type
    end function make_sample
    function make_type() result(type)
      use mpi_f08
      type(MPI_Datatype) :: type
    end function make_type
    function make_outermost_of_many_that_have_names_as_long_as_fortran_allow() result(type)
      use mpi_f08
      type(MPI_Datatype) :: type
    end function make_outermost_of_many_that_have_names_as_long_as_fortran_allow
  end interface
  type(MPI_Datatype) :: made
  type(outermost_of_many_that_have_names_as_long_as_fortran_allows_for), target :: many(4)
  type(sample), target :: samples(4)
  type(type), target :: types(4)
  type(cell), target :: from(2), to(2)
  integer :: i
  logical :: fine
  call MPI_Init()
  made = make_cell()
  do i = 1, 2
    from(i)%id = 10 * i
    from(i)%name = 'abcd' // achar(64 + i)
    from(i)%corner = point(1.5 * i, 2.5)
    from(i)%corners = point(3.5, 4.5 * i)
    from(i)%corners(3)%y = 7
    from(i)%field = 8.25d0 * i
    from(i)%field(2, 3) = 9
    from(i)%is_full = i == 2
    from(i)%wave = (1.0, 2.0)
    nullify(from(i)%elsewhere, to(i)%elsewhere)
    from(i)%far = 2_8**40 + i
  end do
  call MPI_Sendrecv(from(1)%id, 2, made, 0, 0, to(1)%id, 2, made, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  fine = .true.
  do i = 1, 2
    fine = fine .and. to(i)%id == from(i)%id .and. to(i)%name == from(i)%name .and. to(i)%corner%x == from(i)%corner%x &
        .and. to(i)%corner%y == from(i)%corner%y .and. all(to(i)%corners%x == from(i)%corners%x) &
        .and. all(to(i)%corners%y == from(i)%corners%y) .and. all(to(i)%field == from(i)%field) &
        .and. (to(i)%is_full .eqv. from(i)%is_full) .and. to(i)%wave == from(i)%wave .and. to(i)%far == from(i)%far &
        .and. .not. associated(to(i)%elsewhere)
  end do
  print '(a, a)', 'cell: ', merge('fine ', 'wrong', fine)
  call MPI_Type_free(made)
  made = make_sample()
  samples(1:2) = [sample(1, point(1.5, 2.5)), sample(2, point(3.5, 4.5))]
  call MPI_Sendrecv(samples(1)%id, 2, made, 0, 0, samples(3)%id, 2, made, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  fine = all(samples(3:4)%id == [1, 2]) .and. all(samples(3)%corners%x == 1.5) .and. all(samples(4)%corners%y == 4.5)
  print '(a, a)', 'sample: ', merge('fine ', 'wrong', fine)
  call MPI_Type_free(made)
  made = make_type()
  types(1:2) = [type(1, 1.5d0), type(2, 2.5d0)]
  call MPI_Sendrecv(types(1)%id, 2, made, 0, 0, types(3)%id, 2, made, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  fine = all(types(3:4)%id == [1, 2]) .and. all(types(3:4)%field == [1.5d0, 2.5d0])
  print '(a, a)', 'type: ', merge('fine ', 'wrong', fine)
  call MPI_Type_free(made)
  made = make_outermost_of_many_that_have_names_as_long_as_fortran_allow()
  do i = 1, 2
    associate (inside => many(i)%and_so_is_this_one_with_again_a_long_name%a_component_that_is_of_a_derived_type_itself)
      inside%a_component_of_a_derived_type_with_a_very_long_name = reshape([i, i + 10, i + 20], [1, 3])
      inside%and_another_one_with_a_name_that_is_nearly_as_long = reshape([-i, -i - 10, -i - 20], [1, 3])
    end associate
  end do
  call MPI_Sendrecv(many(1)%and_so_is_this_one_with_again_a_long_name, 2, made, 0, 0, &
      many(3)%and_so_is_this_one_with_again_a_long_name, 2, made, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  fine = .true.
  do i = 1, 2
    associate (inside => many(i + 2)%and_so_is_this_one_with_again_a_long_name%a_component_that_is_of_a_derived_type_itself)
      fine = fine .and. all(inside(1, :)%a_component_of_a_derived_type_with_a_very_long_name == [i, i + 10, i + 20]) &
          .and. all(inside(1, :)%and_another_one_with_a_name_that_is_nearly_as_long == [-i, -i - 10, -i - 20])
    end associate
  end do
  print '(a, a)', 'many: ', merge('fine ', 'wrong', fine)
  call MPI_Type_free(made)
  call MPI_Finalize()
#else
  implicit none
  type(cell) :: one
  type(sample) :: two
  type(type) :: three
  type(outermost_of_many_that_have_names_as_long_as_fortran_allows_for) :: four
  one%id = 1
  two%id = 2
  three%id = 3
  four%and_so_is_this_one_with_again_a_long_name%a_component_that_is_of_a_derived_type_itself = innermost(4, 5)
  print *, one%id, two%id, three%id, four
#endif
end program derived
