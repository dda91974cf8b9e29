"""INTEGER handles are found in the plugin's memory while their types live."""


def expect(e):
    e.definition(e.vector(3, 1, 2, "MPI_INTEGER"), created=100, freed=100, live=0)
    e.definition(e.contiguous(5, "MPI_INT"), created=1, freed=1, live=0)
    e.stdout_contains = ["done"]
