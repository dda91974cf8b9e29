"""Killed: what was made up to then is in the trace, and counted."""


def expect(e):
    e.complete = False
    e.definition(e.vector(4, 2, 3, "MPI_INT"), bounds=(32, 0, 44, 0, 44), created=50, freed=50, committed=0, live=0)
    e.summary_contains = ["incomplete", "up to then 50 types made, 50 freed"]
