"""Boost.MPI: the type of a structure, made once and freed when MPI ends; the content of a list, by its addresses."""


def expect(e):
    e.definition(e.struct([1, 1], [0, 8], ["MPI_INT", "MPI_DOUBLE"]), bounds=(12, 0, 16, 0, 16), created=1, committed=1,
                 freed=1, live=0, made_by={("MPI_Type_create_struct", "c"): 1})
    e.unpredictable = 1
    e.repeatable = False
    e.stdout_contains = ["7 0.5"]
