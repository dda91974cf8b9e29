"""MPI:: calls are C calls, made by inline functions and by the library's C++ layer. They have no hindexed_block."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from namings import Naming, expect_f90, expect_one_of_each  # noqa: E402


def expect(e):
    naming = Naming(["MPI_%s"], str, "c")
    naming.lacks |= {"Type_create_hindexed_block"}
    expect_f90(e, expect_one_of_each(e, naming, 3))
