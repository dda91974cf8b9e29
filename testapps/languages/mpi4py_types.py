"""Datatypes from Python. MPI comes in with an extension module that the interpreter opens with local scope, and begins
when the program says so."""
import sys

import mpi4py

if "late" in sys.argv:
    mpi4py.rc.initialize = False
    mpi4py.rc.finalize = False
from mpi4py import MPI  # noqa: E402

if "late" in sys.argv:
    assert not MPI.Is_initialized()
    MPI.Init()

K = 3


def finish(newtype):
    newtype.Commit()
    newtype.Set_name(f"naming {K}")
    newtype.Free()
    assert newtype == MPI.DATATYPE_NULL


def make_types():
    vector = MPI.INT.Create_vector(K, 1, 2)
    outer = vector.Create_contiguous(K)
    integers, addresses, *counts, children = outer.Get_contents()  # counts since mpi4py 4
    assert [*integers, *addresses, *sum(counts, [])] == [K]
    finish(vector)
    finish(children[0])
    finish(outer)
    finish(MPI.INT.Create_hvector(K, 1, 16))
    finish(MPI.INT.Create_indexed([1, K], [0, 4]))
    finish(MPI.INT.Create_hindexed([1, K], [0, 16]))
    finish(MPI.INT.Create_indexed_block(K, [0, 100]))
    finish(MPI.INT.Create_hindexed_block(K, [0, 400]))
    finish(MPI.Datatype.Create_struct([1, K], [0, 16], [MPI.INT, MPI.DOUBLE]))
    finish(MPI.INT.Create_subarray([K + 2, 3], [K, 2], [1, 1], MPI.ORDER_FORTRAN))
    finish(MPI.INT.Create_darray(1, 0, [K + 4], [MPI.DISTRIBUTE_BLOCK], [MPI.DISTRIBUTE_DFLT_DARG], [1],
                                 MPI.ORDER_FORTRAN))
    resized = MPI.INT.Create_resized(0, 4 * K)
    copy = resized.Dup()
    finish(resized)
    finish(copy)
    MPI.Datatype.Create_f90_real(6, 30)
    MPI.Datatype.Create_f90_complex(6, 30)
    MPI.Datatype.Create_f90_integer(9)


make_types()
print("made", MPI.COMM_WORLD.Get_size())
if "late" in sys.argv:
    MPI.Finalize()
