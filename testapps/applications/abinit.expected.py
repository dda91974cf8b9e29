"""ABINIT, a Fortran program, writes each process's part of its wave functions into one file, by types of its own: structs of a
block for each value, with the markers that MPI-3.0 removed."""
import os

BANDS = 4
WAVES = 129  # plane waves of each process
VECTORS = 3 * WAVES * 4  # bytes
WAVE_BYTES = 16 * WAVES
RECORD = 4 + 2 * WAVE_BYTES + 4  # of a band: a marker of Fortran's at each end


def expect(e):
    def struct(basic, displacements, end):
        types = ["MPI_LB", *[basic] * len(displacements), "MPI_UB"]
        return e.struct([1] * len(types), [0, *displacements, end], types)

    def once_on(ranks, tree):
        n = len(ranks)
        e.definition(tree, created=n, committed=n, freed=n, live=0, ranks=ranks,
                     made_by={("mpi_type_create_struct_", "mpif.h"): n})

    for rank in range(2):
        once_on({rank}, struct("MPI_INTEGER", [rank * VECTORS + 4 * i for i in range(3 * WAVES)], 2 * VECTORS))
        once_on({rank}, struct("MPI_DOUBLE_PRECISION", [band * RECORD + 4 + rank * WAVE_BYTES + 8 * i
                                                        for band in range(BANDS) for i in range(2 * WAVES)],
                               BANDS * RECORD))
    once_on({0, 1}, struct("MPI_INTEGER4", [band * RECORD + end for band in range(BANDS) for end in (0, RECORD - 4)],
                           BANDS * RECORD))
    e.copies = [os.path.join(os.path.dirname(__file__), "abinit_hydrogen." + ending) for ending in ("abi", "pspgth")]
    e.output_files = ["abinit_hydrogen.abo", "abinit_hydrogeno_WFK"]
    e.unstable_lines = [r"(?i)time|\bcpu|wall|starting date|memory|\bat +\d\d[:h]\d\d|pid"]
    e.known_differences = []
