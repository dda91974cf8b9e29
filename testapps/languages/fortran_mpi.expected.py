"""The module mpi shares the procedures of mpif.h."""

from namings import Naming, expect_f90, expect_one_of_each


def expect(e):
    types = ("MPI_INTEGER", "MPI_DOUBLE_PRECISION")
    naming = Naming(["mpi_%s_"], str.lower, "mpif.h")
    expect_f90(e, expect_one_of_each(e, naming, 3, *types, functions={"make_types_"}))
    e.unpredictable = 1  # of an absolute address
    e.repeatable = False
