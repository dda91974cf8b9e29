"""A process with sessions only has no rank."""


def expect(e):
    e.rankless = True
    e.definition(e.vector(3, 1, 2, "MPI_DOUBLE"), bounds=(24, 0, 40, 0, 40), created=1, committed=1, freed=1, live=0)
