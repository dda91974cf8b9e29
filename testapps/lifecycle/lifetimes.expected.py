"""Counts over handles that are reused, copies, and types never committed or never freed."""


def expect(e):
    e.definition(e.vector(4, 1, 3, "MPI_INT"), created=1000, committed=1000, freed=1000, live=0, sites=1,
                 functions={"reuse_handles"})
    for n in (1, 2):
        e.definition(e.contiguous(n, "MPI_SHORT"), created=500, committed=0, freed=500, live=0, sites=1)
    original = e.definition(e.contiguous(7, "MPI_FLOAT"), created=1, committed=0, freed=1, live=0)
    e.definition(e.dup(original), bounds=(28, 0, 28, 0, 28), created=1, committed=1, freed=1, live=0)
    e.definition(e.contiguous(9, "MPI_INT"), created=1, committed=1, freed=1, live=0, functions={"commit_twice"})
    e.definition(e.contiguous(11, "MPI_INT"), created=1, committed=0, freed=1, live=0, functions={"never_committed"})
    e.definition(e.contiguous(13, "MPI_INT"), created=3, committed=3, freed=0, live=3, functions={"never_freed"},
                 names=["leaked", "leaked, last"])
    e.failed_calls = {("MPI_Type_contiguous", "MPI_ERR_COUNT", "failing_calls"): 1,
                      ("MPI_Type_contiguous", "MPI_ERR_TYPE", "failing_calls"): 1,
                      ("MPI_Type_free", "MPI_ERR_TYPE", "failing_calls"): 1}
