! Collective operations, by the module mpi and by mpi_f08. Each process tells what it calls, as the standard has it
! significant there, into the file of its rank.
module told
  implicit none
  integer :: unit, rank, size
contains
  subroutine tell(communicator, words)
    integer, intent(in) :: communicator
    character(len=*), intent(in) :: words
    write (unit, '(i0,1x,a)') communicator, words
  end subroutine tell
  subroutine tell_rooted(called, blocks)
    character(len=*), intent(in) :: called, blocks
    if (rank == 0) call tell(-1, called // ' 0 null ' // blocks // ' null')
    if (rank /= 0) call tell(-1, called // ' 0 null null ' // blocks)
  end subroutine tell_rooted
  function alike(elements, type) result(runs)
    integer, intent(in) :: elements
    character(len=*), intent(in) :: type
    character(len=:), allocatable :: runs
    character(len=64) :: text
    write (text, '("[[",i0,",""",a,""",",i0,"]]")') size, type, elements
    runs = trim(text)
  end function alike
end module told

module by_mpi
contains
  subroutine call_by_mpi()
    use mpi
    use told
    integer :: i, ierror, request, copy, numbers(64), others(64)
    numbers = rank
    do i = 1, 5
      call MPI_Bcast(numbers, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call tell_rooted('mpi_bcast', '[[1,"MPI_INTEGER",4]]')
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      call tell(-1, 'mpi_barrier null null null null')
    end do
    call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
    call tell(-1, 'mpi_ibarrier null null null null')
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call tell(-1, 'mpi_comm_dup null null null null')
    call MPI_Allreduce(MPI_IN_PLACE, others, 2, MPI_INTEGER, MPI_SUM, copy, ierror)
    call tell(0, 'mpi_allreduce null MPI_SUM [[1,"MPI_INTEGER",2]] null')
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, others, 1, MPI_INTEGER, copy, ierror)
    call tell(0, 'mpi_allgather null null "in place" ' // alike(1, 'MPI_INTEGER'))
  end subroutine call_by_mpi
end module by_mpi

module by_mpi_f08
contains
  subroutine call_by_mpi_f08()
    use mpi_f08
    use told
    integer :: counts(size), displacements(size), i, numbers(64), others(64)
    type(MPI_Request) :: request
    counts = 2
    displacements = [(2 * i, i = 0, size - 1)]
    numbers = rank
    call MPI_Barrier(MPI_COMM_WORLD)
    call tell(-1, 'mpi_barrier null null null null')
    call MPI_Ibarrier(MPI_COMM_WORLD, request)
    call tell(-1, 'mpi_ibarrier null null null null')
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Alltoallv(numbers, counts, displacements, MPI_INTEGER, others, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD)
    call tell(-1, 'mpi_alltoallv null null ' // alike(2, 'MPI_INTEGER') // ' ' // alike(2, 'MPI_INTEGER'))
    call MPI_Reduce_scatter_block(numbers, others, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call tell(-1, 'mpi_reduce_scatter_block null MPI_MAX ' // alike(2, 'MPI_INTEGER') // ' null')
    ! A section: the library describes it by a type of its own, the program by this one.
    call MPI_Bcast(numbers(1:20:2), 10, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call tell_rooted('mpi_bcast', '[[1,"MPI_INTEGER",10]]')
  end subroutine call_by_mpi_f08
end module by_mpi_f08

program collective_calls_fortran
  use mpi
  use told
  use by_mpi
  use by_mpi_f08
  implicit none
  integer :: ierror
  character(len=1024) :: file
  character(len=16) :: number
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call get_command_argument(2, file)
  write (number, '(i0)') rank
  open (newunit=unit, file=trim(file) // '.' // trim(number))
  call call_by_mpi()
  call call_by_mpi_f08()
  close (unit)
  call MPI_Finalize(ierror)
end program collective_calls_fortran
