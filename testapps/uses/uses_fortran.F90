! Uses types through the modules mpi and mpi_f08, in a plan that run_uses_fortran.py knows: what stands for MPI_IN_PLACE in
! Fortran, statuses that are ignored, persistent requests, and sections of arrays.
subroutine use_mpi_module()
  use mpi
  implicit none
  integer :: column, request, ierror, numbers(16)
  real(kind(1d0)) :: from(128), to(128)
  from = 1; numbers = 1
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_commit(column, ierror)
  call MPI_Isend(from, 2, column, 0, 1, MPI_COMM_SELF, request, ierror)
  call MPI_Recv(to, 2, column, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Send(from, 3, column, MPI_PROC_NULL, 1, MPI_COMM_SELF, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 6, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Send_init(from, 4, column, 0, 2, MPI_COMM_SELF, request, ierror)
  call MPI_Start(request, ierror)
  call MPI_Recv(to, 4, column, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Request_free(request, ierror)
  call MPI_Type_free(column, ierror)
end subroutine

subroutine use_mpi_f08_module()
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: column
  type(MPI_Request) :: request
  integer :: numbers(16), i
  real(kind(1d0)) :: from(128), to(128)
  from = 1; numbers = 1
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)
  call MPI_Isend(from, 2, column, 0, 1, MPI_COMM_SELF, request)
  call MPI_Recv(to, 2, column, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Send(from, 3, column, MPI_PROC_NULL, 1, MPI_COMM_SELF)
  ! Sections that are not contiguous: a library may describe them by types of its own, which it frees unseen.
  do i = 2, 4
    call MPI_Sendrecv(from(1:8 * i:i), 8, MPI_DOUBLE_PRECISION, 0, 1, to(1:80:10), 8, MPI_DOUBLE_PRECISION, 0, 1, &
      MPI_COMM_SELF, MPI_STATUS_IGNORE)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 6, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Send_init(from, 4, column, 0, 2, MPI_COMM_SELF, request)
  call MPI_Start(request)
  call MPI_Recv(to, 4, column, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Request_free(request)
  call MPI_Type_free(column)
end subroutine

program uses_fortran
  use mpi
  implicit none
  integer :: ierror
  call MPI_Init(ierror)
  call use_mpi_module()
  call use_mpi_f08_module()
  call MPI_Finalize(ierror)
end program
