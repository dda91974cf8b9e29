"""Parallel HDF5: types for what is read and written, which lie in memory and in the file. New chunks are filled from one buffer,
by a type that repeats it."""
CHUNKS = 16
CHUNK_BYTES = 16 * 16 * 8


def expect(e):
    e.others_allowed = True
    e.definition(e.hvector(CHUNKS // 2, CHUNK_BYTES, 0, "MPI_BYTE"), created=2, committed=2, freed=2, live=0)
    e.output_files = ["slabs.h5"]
    e.stdout_contains = ["read what was written"]
