"""What MPI_Finalize's delete callbacks free is freed in the trace."""


def expect(e):
    e.stdout_contains = ["freed in the callback: 1"]
    e.definition(e.contiguous(6, "MPI_DOUBLE"), created=1, committed=1, freed=1, live=0)
