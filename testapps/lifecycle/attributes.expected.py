"""What callbacks of attributes make and free is counted as if the program had called it anywhere else."""


def expect(e):
    e.definition(e.contiguous(5, "MPI_DOUBLE"), created=1, committed=0, freed=1, live=0)
    type = e.definition(e.contiguous(3, "MPI_INT"), created=1, committed=0, freed=1, live=0)
    e.definition(e.dup(type), created=1, committed=0, freed=1, live=0)
    e.definition(e.contiguous(21, "MPI_CHAR"), created=2, committed=2, freed=2, live=0, functions={"deleted"})
    e.definition(e.contiguous(22, type), created=1, committed=0, freed=1, live=0, functions={"copied"})
    e.definition(e.vector(2, 1, 3, "MPI_INT"), created=1, committed=1, freed=1, live=0, functions={"deleted"})
    e.definition(e.contiguous(23, "MPI_INT"), created=1, committed=0, freed=0, live=1, functions={"make_at_the_end"})
    # Both libraries free a type whose callback refused.
    e.definition(e.contiguous(4, "MPI_INT"), created=1, committed=0, freed=1, live=0)
    e.stdout_contains = ["free refused: 0"]
