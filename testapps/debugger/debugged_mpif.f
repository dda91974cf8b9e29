C     Handles as INTEGER.
      program debugged_mpif
      implicit none
      include 'mpif.h'
      integer column, error, steps
      double precision tile(4, 3)
      call MPI_INIT(error)
      tile = 2.5d0
      call MPI_TYPE_VECTOR(3, 1, 4, MPI_DOUBLE_PRECISION, column, error)
      call MPI_TYPE_COMMIT(column, error)
      call here(column, tile)
      steps = 100
      call MPI_BCAST(steps, 1,
C     don't stop here
     1 MPI_INTEGER, 0, MPI_COMM_WORLD, error)
      call MPI_TYPE_FREE(column, error)
      call MPI_FINALIZE(error)
      end

      subroutine here(row, values)
      integer row
      double precision values(4, 3)
      print *, row, values(1, 1)
      end
