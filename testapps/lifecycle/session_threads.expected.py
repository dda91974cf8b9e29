"""Threads that begin MPI at once are in one trace."""


def expect(e):
    e.rankless = True
    if e.library == "openmpi" and e.has_large_counts:
        e.tries = 4  # Open MPI 6.0.0rc2 ends natively so in 1 of 15 runs: MPI_Info_free frees twice
    e.definition(e.vector(3, 1, 2, "MPI_DOUBLE"), bounds=(24, 0, 40, 0, 40), created=800, committed=800, freed=800, live=0)
