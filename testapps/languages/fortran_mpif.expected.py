"""mpif.h: each call is seen once, by the name that gfortran gives it."""

from namings import Naming, expect_f90, expect_one_of_each, expect_removed


def expect(e):
    types = ("MPI_INTEGER", "MPI_DOUBLE_PRECISION")
    naming = Naming(["mpi_%s_"], str.lower, "mpif.h")
    expect_f90(e, expect_one_of_each(e, naming, 3, *types, functions={"make_types_"}))
    expect_removed(e, naming, 3, *types, functions={"make_old_types_"})
    e.unpredictable = 1  # of an absolute address
    e.repeatable = False
