"""Children of a traced process leave its trace alone."""


def expect(e):
    e.stdout_contains = ["child 0", "clone 0", "shell 4"]
    e.definition(e.contiguous(3, "MPI_INT"), created=1, freed=1, live=0)
    e.definition(e.contiguous(4, "MPI_INT"), created=1, freed=1, live=0)
    e.definition(e.contiguous(5, "MPI_INT"), created=1, freed=1, live=0)
