"""mpi_f08: each call is seen once, and none of those that the library makes for array sections."""

from namings import namings, expect_f90, expect_one_of_each


def expect(e):
    types = ("MPI_INTEGER", "MPI_DOUBLE_PRECISION")
    by_pattern = {naming.patterns[0]: naming for naming in namings(e.program).values()}
    expect_f90(e, expect_one_of_each(e, by_pattern["mpi_%s_f08_"], 3, *types, functions={"make_types_"}))
    if large := by_pattern.get("mpi_%s_f08_large_"):
        large.lacks = {"Type_create_resized"}  # the program does not call it
        expect_one_of_each(e, large, 4, *types, functions={"make_large_types_"})
    e.unpredictable = 1  # of an absolute address
    e.repeatable = False
