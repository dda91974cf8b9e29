! Messages in Fortran, by two of its bindings, each told in a file as the program knows it (messages.c says how).
module telling_of_messages
  implicit none
  integer :: me = -1, ranks = 0, unit_of_file = -1
contains
  subroutine tell(direction, peer, tag, called)
    character(len=*), intent(in) :: direction, called
    integer, intent(in) :: peer, tag
    write (unit_of_file, '(a, 1x, i0, 1x, i0, 1x, i0, 1x, a, 1x, i0, 1x, a)') direction, -1, peer, tag, 'MPI_INTEGER', 2, called
  end subroutine tell
end module telling_of_messages

subroutine by_module()
  use telling_of_messages
  use mpi
  implicit none
  integer :: right, left, i, j, ierror, requests(2), request, message, got(2, 4), sent(2)
  right = mod(me + 1, ranks)
  left = mod(me + ranks - 1, ranks)
  do i = 1, 6
    sent = [me, 30]
    call MPI_Irecv(got(:, 1), 2, MPI_INTEGER, MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(sent, 2, MPI_INTEGER, right, 30, MPI_COMM_WORLD, requests(2), ierror)
    call tell('send', right, 30, 'mpi_isend')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    call tell('receive', got(1, 1), got(2, 1), 'mpi_irecv')
  end do
  if (me /= 0) then
    do i = 1, 4
      sent = [me, 31]
      call MPI_Send(sent, 2, MPI_INTEGER, 0, 31, MPI_COMM_WORLD, ierror)
      call tell('send', 0, 31, 'mpi_send')
    end do
  else
    do i = 1, ranks - 1
      call MPI_Recv(got(:, 1), 2, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call tell('receive', got(1, 1), got(2, 1), 'mpi_recv')
      call MPI_Mprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE, ierror)
      call MPI_Mrecv(got(:, 1), 2, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierror)
      call tell('receive', got(1, 1), got(2, 1), 'mpi_mrecv')
      call MPI_Irecv(got(:, 1), 2, MPI_INTEGER, MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Irecv(got(:, 2), 2, MPI_INTEGER, MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, requests(2), ierror)
      call MPI_Waitany(1, requests(2:2), j, MPI_STATUS_IGNORE, ierror)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
      call tell('receive', got(1, 1), got(2, 1), 'mpi_irecv')
      call tell('receive', got(1, 2), got(2, 2), 'mpi_irecv')
    end do
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  sent = [me, 32]
  call MPI_Recv_init(got(:, 1), 2, MPI_INTEGER, MPI_ANY_SOURCE, 32, MPI_COMM_WORLD, request, ierror)
  do i = 1, 3
    call MPI_Start(request, ierror)
    call MPI_Send(sent, 2, MPI_INTEGER, right, 32, MPI_COMM_WORLD, ierror)
    call tell('send', right, 32, 'mpi_send')
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call tell('receive', got(1, 1), got(2, 1), 'mpi_start')
  end do
  call MPI_Request_free(request, ierror)
end subroutine by_module

subroutine by_f08()
  use telling_of_messages
  use mpi_f08
  implicit none
  integer :: right, i, got(2, 2), sent(2)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  right = mod(me + 1, ranks)
  do i = 1, 6
    sent = [me, 40]
    call MPI_Irecv(got(:, 1), 2, MPI_INTEGER, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(sent, 2, MPI_INTEGER, right, 40, MPI_COMM_WORLD, requests(2))
    call tell('send', right, 40, 'mpi_isend')
    if (mod(i, 2) == 0) then
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    else
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
      call MPI_Wait(requests(1), status)
    end if
    call tell('receive', got(1, 1), got(2, 1), 'mpi_irecv')
    call MPI_Sendrecv(sent, 2, MPI_INTEGER, right, 41, got, 2, MPI_INTEGER, MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call tell('send', right, 41, 'mpi_sendrecv')
    call tell('receive', got(1, 1), 41, 'mpi_sendrecv')
  end do
end subroutine by_f08

program messages_fortran
  use telling_of_messages
  use mpi
  implicit none
  integer :: ierror
  character(len=4096) :: stem, name
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, stem)
  write (name, '(a, a, i0)') trim(stem), '.', me
  open (newunit=unit_of_file, file=trim(name), status='replace')
  call by_module()
  call by_f08()
  close (unit_of_file)
  call MPI_Finalize(ierror)
end program messages_fortran
