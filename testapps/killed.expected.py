"""Killed: what was made up to then is in the trace."""


def expect(e):
    e.complete = False
    e.definition(e.vector(4, 2, 3, "MPI_INT"), bounds=(32, 0, 44, 0, 44))
