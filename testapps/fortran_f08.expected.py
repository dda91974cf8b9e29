"""mpi_f08: each call is seen once, and none of those that the library makes for array sections."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from namings import Naming, expect_f90, expect_one_of_each  # noqa: E402


def expect(e):
    types = ("MPI_INTEGER", "MPI_DOUBLE_PRECISION")
    naming = Naming("mpi_%s_f08_", str.lower, "mpi_f08")
    expect_f90(e, expect_one_of_each(e, naming, 3, *types, functions={"make_types_"}))
    if e.library == "mpich":
        expect_one_of_each(e, Naming("mpi_%s_f08_large_", str.lower, "mpi_f08", large=True), 4, *types,
                           functions={"make_large_types_"})
    e.unpredictable = 1  # of an absolute address
    e.repeatable = False
