"""Parallel HDF5: types for what is read and written, which lie in memory and in the file. New chunks are filled from one buffer,
by a type that repeats it, which is no more than a note."""
import subprocess

CHUNKS = 16
CHUNK_BYTES = 16 * 16 * 8
OF_EACH = CHUNKS // 2  # processes


def expect(e):
    version = subprocess.run([e.program, "-c", "import h5py._debian_h5py_mpi as h5py; print(*h5py.version.hdf5_version_tuple)"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    if tuple(map(int, version.split())) < (1, 14):
        again = e.hvector(OF_EACH, CHUNK_BYTES, 0, "MPI_BYTE")
    else:
        again = e.hindexed([CHUNK_BYTES] * OF_EACH, [0] * OF_EACH, "MPI_BYTE")
    e.others_allowed = True
    e.definition(again, created=2, committed=2, freed=2, live=0)
    e.output_files = ["slabs.h5"]
    e.stdout_contains = ["read what was written"]
