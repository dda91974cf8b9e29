"""MPI:: calls are C calls, made by inline functions and by the library's C++ layer. They have no hindexed_block."""

from namings import Naming, expect_f90, expect_one_of_each


def expect(e):
    naming = Naming(["MPI_%s"], str, "c")
    naming.lacks |= {"Type_create_hindexed_block"}
    expect_f90(e, expect_one_of_each(e, naming, 3))
