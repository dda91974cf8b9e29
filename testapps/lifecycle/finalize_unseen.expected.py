"""The counters are written in MPI_Finalize itself, so the trace is complete whoever called it and however the process left."""


def expect(e):
    e.definition(e.vector(4, 2, 3, "MPI_INT"), names=["whole"], bounds=(32, 0, 44, 0, 44), created=1, committed=1,
                 freed=1, live=0)
