! Calls that the library refuses under MPI_ERRORS_RETURN: INTEGER handles that are null, that are no datatype's and, where
! the library looks, that were freed; counts that are negative. One type is made in between.
subroutine refuse_mpi
  use mpi
  implicit none
  integer :: kind, made, type, freed, ierror, error_class, count
  integer, parameter :: no_type(3) = [MPI_DATATYPE_NULL, 123456789, -5]

  call MPI_Type_vector(3, 1, 2, MPI_INTEGER, made, ierror)
  call MPI_Type_commit(made, ierror)
  do kind = 1, size(no_type)
    call MPI_Type_contiguous(2, no_type(kind), type, ierror)
    call told('MPI_TYPE_CONTIGUOUS')
    call MPI_Type_create_struct(2, [1, 1], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], [MPI_INTEGER, no_type(kind)], type, ierror)
    call told('MPI_TYPE_CREATE_STRUCT')
    type = no_type(kind)
    call MPI_Type_commit(type, ierror)
    call told('MPI_TYPE_COMMIT')
    type = no_type(kind)
    call MPI_Type_free(type, ierror)
    call told('MPI_TYPE_FREE')
    call MPI_Type_get_envelope(no_type(kind), count, count, count, count, ierror)
    call told('MPI_TYPE_GET_ENVELOPE')
  end do
  call MPI_Type_vector(-3, 1, 2, MPI_INTEGER, type, ierror)
  call told('MPI_TYPE_VECTOR')
  freed = made
  call MPI_Type_free(made, ierror)
#ifdef LOOKS_FOR_FREED
  call MPI_Type_dup(freed, type, ierror)
  call told('MPI_TYPE_DUP')
  call MPI_Type_free(freed, ierror)
  call told('MPI_TYPE_FREE')
#endif

contains

  subroutine told(what)
    character(*), intent(in) :: what
    integer :: no_matter
    error_class = MPI_SUCCESS
    call MPI_Error_class(ierror, error_class, no_matter)
    print '(3a)', what, ' ', merge('MPI_ERR_TYPE ', merge('MPI_ERR_COUNT', 'another      ', error_class == MPI_ERR_COUNT), &
                                   error_class == MPI_ERR_TYPE)
  end subroutine
end subroutine

subroutine refuse_f08
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: type, no_type
  integer :: ierror, error_class

  no_type%mpi_val = 123456789
  call MPI_Type_contiguous(2, no_type, type, ierror)
  call MPI_Error_class(ierror, error_class)
  print '(a, l1)', 'f08 MPI_TYPE_CONTIGUOUS MPI_ERR_TYPE ', error_class == MPI_ERR_TYPE
  call MPI_Type_vector(-3, 1, 2, MPI_INTEGER, type, ierror)
  call MPI_Error_class(ierror, error_class)
  print '(a, l1)', 'f08 MPI_TYPE_VECTOR MPI_ERR_COUNT ', error_class == MPI_ERR_COUNT
end subroutine

program failed_calls_fortran
  use mpi
  implicit none
  integer :: ierror

  call MPI_Init(ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
  call refuse_mpi
  call refuse_f08
  call MPI_Finalize(ierror)
end program
