"""The demo's program: what it does wrong must be seen."""


def expect(e):
    n = e.ranks
    e.definition(e.vector(10, 1, 12, "MPI_DOUBLE"), created=50 * n, committed=50 * n, freed=50 * n, live=0, sites=1)
    e.definition(e.struct([5, 1, 1], [0, 8, 16], ["MPI_CHAR", "MPI_DOUBLE", "MPI_SHORT"]), created=n, committed=n,
                 freed=0, live=n, names=["probe"])
    e.definition(e.indexed([8 - r for r in range(8)], [9 * r for r in range(8)], "MPI_DOUBLE"), created=n, freed=n,
                 names=["upper triangle"])
    e.definition(e.subarray([10, 12], [8, 10], [1, 1], "C", "MPI_DOUBLE"), created=n, committed=0, freed=n, live=0,
                 names=["interior"])
