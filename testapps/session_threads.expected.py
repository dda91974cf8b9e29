"""Threads that begin MPI at once are in one trace."""


def expect(e):
    e.rankless = True
    e.definition(e.vector(3, 1, 2, "MPI_DOUBLE"), bounds=(24, 0, 40, 0, 40), created=800, committed=800, freed=800, live=0)
