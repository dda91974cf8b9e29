"""Types of freed handles are counted, not recorded; types of live ones are as ever."""


def expect(e):
    e.definition(e.vector(3, 1, 2, "MPI_INT"), created=1, committed=1, freed=1, live=0)
    e.definition(e.contiguous(7, "MPI_CHAR"), created=1, committed=1, freed=1, live=0)
    inner = e.definition(e.vector(4, 1, 2, "MPI_INT"), created=2, committed=1, freed=2, live=0)
    e.definition(e.contiguous(5, inner), created=1, committed=0, freed=1, live=0)
    why = "its old type could not be decoded: it was freed"
    e.unrecorded = {("MPI_Type_contiguous", why): 2, ("MPI_Type_dup", why): 1}
    e.wrong_calls = True
    e.stdout_contains = ["done"]
