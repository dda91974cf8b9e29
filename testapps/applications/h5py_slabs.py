"""Parallel HDF5, as h5py has it: all processes make one file, write every second column or row of it together, and read
other ones."""
import h5py._debian_h5py_mpi as h5py  # beside which the one without MPI may be installed, or not
import numpy
from mpi4py import MPI

SIDE, CHUNK = 64, 16

world = MPI.COMM_WORLD
mine = slice(world.rank, None, world.size)
values = numpy.arange(SIDE * SIDE, dtype="f8").reshape(SIDE, SIDE)
with h5py.File("slabs.h5", "w", driver="mpio", comm=world) as file:
    whole = file.create_dataset("whole", (SIDE, SIDE), dtype="f8", track_times=False)
    chunked = file.create_dataset("chunked", (SIDE, SIDE), dtype="f8", chunks=(CHUNK, CHUNK), track_times=False)
    with whole.collective:
        whole[:, mine] = values[:, mine]
    with chunked.collective:
        chunked[mine, ::3] = values[mine, ::3]
    file.flush()
    with whole.collective:
        column = whole[:, 5]
    with chunked.collective:
        block = chunked[7:40, 9:50:3]
is_right = (column == values[:, 5]).all() and (block == values[7:40, 9:50:3]).all()
if world.allreduce(is_right, MPI.LAND) and world.rank == 0:
    print("read what was written")
