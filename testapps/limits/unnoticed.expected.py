def expect(e):
    e.stdout_contains = ["done"]
    e.definition(e.vector(3, 2, 5, "MPI_INT"), created=1, committed=1, freed=1, live=0)
