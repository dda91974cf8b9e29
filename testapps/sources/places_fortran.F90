! Passes buffers of Fortran's kinds to MPI, and says on the file that it is given where they are.
module held
  implicit none
  real(8) :: fixed(40)
  real(8), allocatable :: kept(:)
end module held

program places_fortran
  use mpi
  use held
  implicit none
  integer :: ierror, told
  character(len=1024) :: name
  call MPI_Init(ierror)
  call get_command_argument(1, name)
  open(newunit=told, file=trim(name), action="write")
  call pass_local()
  call pass_allocated()
  call pass_fixed()
  call pass_kept()
  close(told)
  call MPI_Finalize(ierror)
contains
  subroutine pass_local()
    real(8) :: local(10)
    local = 0
    write(told, '(a)') "1 frame 0"
    call MPI_Bcast(local, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierror)
    if (local(1) > 0) write(told, *) local
  end subroutine pass_local
  subroutine pass_allocated()
    real(8), allocatable :: allocated_here(:)
    allocate(allocated_here(100))
    allocated_here = 0
    write(told, '(a)') "2 block 0"
    call MPI_Bcast(allocated_here, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierror)
    write(told, '(a)') "3 block 160"
    call MPI_Bcast(allocated_here(21), 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierror)
    if (allocated_here(1) > 0) write(told, *) allocated_here
  end subroutine pass_allocated
  subroutine pass_fixed()
    write(told, '(a)') "4 module"
    call MPI_Bcast(fixed(11), 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierror)
  end subroutine pass_fixed
  subroutine pass_kept()
    allocate(kept(50))
    kept = 0
    write(told, '(a)') "5 held 0"
    call MPI_Bcast(kept, 5, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierror)
    deallocate(kept)
  end subroutine pass_kept
end program places_fortran
