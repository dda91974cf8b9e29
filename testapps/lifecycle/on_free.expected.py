"""Listeners of frees are told what was freed; the trace counts the same frees, those of a listener's own included."""


def expect(e):
    e.stdout_contains = ["done"]
    e.definition(e.vector(3, 1, 2, "MPI_INT"), created=2, committed=0, freed=2, live=0)
    e.definition(e.contiguous(3, "MPI_INT"), created=3, committed=0, freed=3, live=0)
    e.definition(e.contiguous(99, "MPI_CHAR"), created=1, committed=0, freed=1, live=0)
    e.definition(e.contiguous(7, "MPI_DOUBLE"), created=1, committed=0, freed=1, live=0)
    e.definition(e.dup(e.contiguous(3, "MPI_INT")), created=1, committed=0, freed=1, live=0)
    e.failed_calls = {("MPI_Type_free", "MPI_ERR_TYPE", "main"): 1}
