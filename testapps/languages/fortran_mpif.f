C     A program of the old kind: fixed form, mpif.h, arguments that no
C     compiler checks. Makes one type of each constructor.
      program fortran_mpif
      implicit none
      include 'mpif.h'
      integer ierror
      call MPI_INIT(ierror)
      call make_types(3)
      call make_old_types(3)
      call pass_on()
      call MPI_FINALIZE(ierror)
      end

      subroutine finish(newtype, k)
      implicit none
      include 'mpif.h'
      integer newtype, k, ierror, length
      character*16 name
      character*(MPI_MAX_OBJECT_NAME) answer
      write(name, '(a, i1)') 'naming ', k
      call MPI_TYPE_COMMIT(newtype, ierror)
      call MPI_TYPE_SET_NAME(newtype, name, ierror)
      call MPI_TYPE_GET_NAME(newtype, answer, length, ierror)
      print *, answer(1:length), '.', length
      call MPI_TYPE_FREE(newtype, ierror)
      print *, newtype .eq. MPI_DATATYPE_NULL, ierror
      end

      subroutine make_types(k)
      implicit none
      include 'mpif.h'
      integer k, ierror, vector, outer, child, copy, newtype
      integer n(4), contents(1), datatypes(1)
      integer(kind=MPI_ADDRESS_KIND) addresses(2), zero, extent
      call MPI_TYPE_VECTOR(k, 1, 2, MPI_INTEGER, vector, ierror)
      call MPI_TYPE_CONTIGUOUS(k, vector, outer, ierror)
      call MPI_TYPE_GET_ENVELOPE(outer, n(1), n(2), n(3), n(4), ierror)
      print *, n(1), n(2), n(3), n(4) .eq. MPI_COMBINER_CONTIGUOUS
      call MPI_TYPE_GET_CONTENTS(outer, 1, 0, 1, contents, addresses,
     &     datatypes, ierror)
      print *, contents(1), ierror
      child = datatypes(1)
      call finish(vector, k)
      call finish(child, k)
      call finish(outer, k)
      addresses(1) = 0
      addresses(2) = 16
      call MPI_TYPE_CREATE_HVECTOR(k, 1, addresses(2), MPI_INTEGER,
     &     newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_INDEXED(2, (/1, k/), (/0, 4/), MPI_INTEGER, newtype,
     &     ierror)
      call finish(newtype, k)
      call MPI_TYPE_CREATE_HINDEXED(2, (/1, k/), addresses, MPI_INTEGER,
     &     newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_CREATE_STRUCT(2, (/1, k/), addresses,
     &     (/MPI_INTEGER, MPI_DOUBLE_PRECISION/), newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_CREATE_INDEXED_BLOCK(2, k, (/0, 100/), MPI_INTEGER,
     &     newtype, ierror)
      call finish(newtype, k)
      addresses(2) = 400
      call MPI_TYPE_CREATE_HINDEXED_BLOCK(2, k, addresses, MPI_INTEGER,
     &     newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_CREATE_SUBARRAY(2, (/k + 2, 3/), (/k, 2/), (/1, 1/),
     &     MPI_ORDER_FORTRAN, MPI_INTEGER, newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_CREATE_DARRAY(1, 0, 1, (/k + 4/),
     &     (/MPI_DISTRIBUTE_BLOCK/), (/MPI_DISTRIBUTE_DFLT_DARG/),
     &     (/1/), MPI_ORDER_FORTRAN, MPI_INTEGER, newtype, ierror)
      call finish(newtype, k)
      zero = 0
      extent = 4 * k
      call MPI_TYPE_CREATE_RESIZED(MPI_INTEGER, zero, extent, newtype,
     &     ierror)
      call MPI_TYPE_DUP(newtype, copy, ierror)
      call finish(newtype, k)
      call finish(copy, k)
      call MPI_TYPE_CREATE_F90_REAL(6, 30, newtype, ierror)
      call MPI_TYPE_CREATE_F90_COMPLEX(6, 30, newtype, ierror)
      call MPI_TYPE_CREATE_F90_INTEGER(9, newtype, ierror)
      end

C     What MPI-3.0 removed: addresses are INTEGER here.
      subroutine make_old_types(k)
      implicit none
      include 'mpif.h'
      integer k, ierror, newtype
      call MPI_TYPE_HVECTOR(k, 1, 20, MPI_INTEGER, newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_HINDEXED(2, (/1, k/), (/0, 20/), MPI_INTEGER,
     &     newtype, ierror)
      call finish(newtype, k)
      call MPI_TYPE_STRUCT(2, (/1, k/), (/0, 24/),
     &     (/MPI_INTEGER, MPI_DOUBLE_PRECISION/), newtype, ierror)
      call finish(newtype, k)
      end

C     Special addresses and logicals come through as they are.
      subroutine pass_on()
      implicit none
      include 'mpif.h'
      integer ierror, newtype, request, sent(4), received(2), sum
      integer status(MPI_STATUS_SIZE)
      logical flag
      integer(kind=MPI_ADDRESS_KIND) address(1)
      sent(1) = 11
      sent(2) = 22
      sent(3) = 33
      sent(4) = 44
      call MPI_GET_ADDRESS(sent, address(1), ierror)
      call MPI_TYPE_CREATE_HINDEXED(1, (/2/), address, MPI_INTEGER,
     &     newtype, ierror)
      call MPI_TYPE_COMMIT(newtype, ierror)
      call MPI_IRECV(received(1), 2, MPI_INTEGER, 0, 5, MPI_COMM_SELF,
     &     request, ierror)
      call MPI_SEND(MPI_BOTTOM, 1, newtype, 0, 5, MPI_COMM_SELF, ierror)
      flag = .false.
      do while (.not. flag)
        call MPI_TEST(request, flag, status, ierror)
      end do
      print *, received(1), received(2), status(MPI_TAG), flag
      call MPI_TYPE_FREE(newtype, ierror)
      sum = 5
      call MPI_ALLREDUCE(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierror)
      print *, sum
      call MPI_SEND(sent(1), 1, MPI_INTEGER, MPI_PROC_NULL, 5,
     &     MPI_COMM_SELF, ierror)
      call MPI_RECV(sent(1), 1, MPI_INTEGER, MPI_PROC_NULL, 5,
     &     MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
      end
