! epochs_fortran CASE: calls about windows within epochs and outside of any, and what is got used too early or in time,
! by the module mpi and by mpi_f08. Each subroutine is one case.
module memory_of_epochs
  implicit none
  double precision, target, save :: origin(8), result(8), other(8)
end module

subroutine mpi_outside(window)
  use mpi
  use memory_of_epochs
  implicit none
  integer, intent(in) :: window
  integer :: error
  call MPI_Put(origin, 4, MPI_DOUBLE_PRECISION, 0, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window, error)
  call MPI_Win_unlock(0, window, error)
end subroutine

subroutine mpi_within(window)
  use mpi
  use memory_of_epochs
  implicit none
  integer, intent(in) :: window
  integer :: error
  call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window, error)
  call MPI_Put(origin, 4, MPI_DOUBLE_PRECISION, 0, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window, error)
  call MPI_Win_flush_local(0, window, error)
  call MPI_Win_unlock(0, window, error)
end subroutine

subroutine mpi_use(window, is_too_early)
  use mpi
  use memory_of_epochs
  implicit none
  integer, intent(in) :: window
  logical, intent(in) :: is_too_early
  integer :: error
  call MPI_Win_lock_all(0, window, error)
  call MPI_Get(result, 4, MPI_DOUBLE_PRECISION, 0, 8_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window, error)
  if (.not. is_too_early) call MPI_Win_flush_local_all(window, error)
  call MPI_Sendrecv(result, 1, MPI_DOUBLE_PRECISION, 0, 0, other, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, &
                    MPI_STATUS_IGNORE, error)
  call MPI_Win_unlock_all(window, error)
end subroutine

subroutine f08_outside(handle)
  use mpi_f08
  use memory_of_epochs
  implicit none
  integer, intent(in) :: handle
  type(MPI_Win) :: window
  window%MPI_VAL = handle
  call MPI_Get(result, 4, MPI_DOUBLE_PRECISION, 0, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window)
  call MPI_Win_flush(0, window)
end subroutine

subroutine f08_within(handle)
  use mpi_f08
  use memory_of_epochs
  implicit none
  integer, intent(in) :: handle
  type(MPI_Win) :: window
  type(MPI_Group) :: group
  window%MPI_VAL = handle
  call MPI_Comm_group(MPI_COMM_SELF, group)
  call MPI_Win_post(group, 0, window)
  call MPI_Win_start(group, 0, window)
  call MPI_Get(result, 4, MPI_DOUBLE_PRECISION, 0, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window)
  call MPI_Win_complete(window)
  call MPI_Win_wait(window)
  call MPI_Group_free(group)
end subroutine

subroutine f08_use(handle, is_too_early)
  use mpi_f08
  use memory_of_epochs
  implicit none
  integer, intent(in) :: handle
  type(MPI_Win) :: window
  logical, intent(in) :: is_too_early
  type(MPI_Request) :: request
  window%MPI_VAL = handle
  call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)
  call MPI_Rget(result, 4, MPI_DOUBLE_PRECISION, 0, 8_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window, request)
  if (.not. is_too_early) call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Sendrecv(result, 1, MPI_DOUBLE_PRECISION, 0, 0, other, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, &
                    MPI_STATUS_IGNORE)
  if (is_too_early) call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Win_unlock(0, window)
end subroutine

program epochs_fortran
  use mpi
  implicit none
  character(len=32) :: name
  integer(MPI_ADDRESS_KIND) :: base
  integer :: window, error
  call MPI_Init(error)
  call get_command_argument(1, name)
  call MPI_Win_allocate(512_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, window, error)
  call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN, error)
  if (name == "wrong") then
    call mpi_outside(window)
    call f08_outside(window)
  else
    call mpi_within(window)
    call f08_within(window)
  end if
  call mpi_use(window, name == "wrong")
  call f08_use(window, name == "wrong")
  call MPI_Win_free(window, error)
  call MPI_Finalize(error)
end program
