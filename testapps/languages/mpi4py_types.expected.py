"""mpi4py: an interpreter that loads MPI itself, with local scope."""
import glob
import os
import subprocess

from expect import exports_of
from namings import NO_LARGE_FORM, Naming, expect_f90, expect_one_of_each


class LargeWherePossible(Naming):
    """Since mpi4py 4, where the library has large counts."""

    def __init__(self):
        super().__init__(["MPI_%s_c"], str, "c", large=True)

    def name(self, function):
        return ("MPI_%s" if function in NO_LARGE_FORM else "MPI_%s_c") % function

    def has(self, function):
        return True


def naming_of(python):
    version, folder = subprocess.run([python, "-c", "import mpi4py as m; print(m.__version__); print(m.__path__[0])"],
                                     stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    module, = glob.glob(os.path.join(folder, "MPI.*.so"))
    is_large = int(version.split(".")[0]) >= 4 and "MPI_Type_vector_c" in exports_of(module)
    return LargeWherePossible() if is_large else Naming(["MPI_%s"], str, "c")


def expect(e):
    expect_f90(e, expect_one_of_each(e, naming_of(e.program), 3))
    e.stdout_contains = ["made 1"]
