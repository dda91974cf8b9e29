"""mpi4py: an interpreter that loads MPI itself, with local scope."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from namings import Naming, expect_f90, expect_one_of_each  # noqa: E402


def expect(e):
    expect_f90(e, expect_one_of_each(e, Naming(["MPI_%s"], str, "c"), 3))
    e.stdout_contains = ["made 1"]
