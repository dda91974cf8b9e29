"""A pair without a name is a predefined type of two entries, a definition of its own; one with a name is that type, and
where there is none nothing is recorded."""


def expect(e):
    pair = e.definition(e.value_index("MPI_CHAR", "MPI_LONG"), bounds=(9, 0, 16, 0, 16), created=2, committed=0, freed=0,
                        live=0, entries=2, blocks=2, names=[], signature=[["MPI_CHAR", 1], ["MPI_LONG", 1]],
                        made_by={("MPI_Type_get_value_index", "c"): 2})
    once = dict(created=1, freed=1, live=0, names=[])
    e.definition(e.contiguous(3, pair), bounds=(27, 0, 48, 0, 48), entries=6, committed=1, **once)
    e.definition(e.struct([1, 2], [0, 16], ["MPI_INT", pair]), bounds=(22, 0, 48, 0, 48), entries=5, committed=1,
                 signature=[["MPI_INT", 1], ["MPI_CHAR", 1], ["MPI_LONG", 1], ["MPI_CHAR", 1], ["MPI_LONG", 1]], **once)
    if e.library_has("MPI_Type_get_value_index"):
        e.definition(e.contiguous(2, "MPI_DOUBLE_INT"), entries=4, committed=0, **once)
    if e.library == "openmpi":
        # It hands out copies of what is not predefined, and to itself the pair that is played is not.
        e.allowed_differences.add("contents")
    e.stdout_contains = ["the same pair: 1, no pair: 1", "of a char and a long: 1", "c 3"]
