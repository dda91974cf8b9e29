"""MPI-IO: of the many types that the library makes for itself, none; of what MPI_File_get_view hands out, all."""


def expect(e):
    pair = e.definition(e.contiguous(2, "MPI_INT"), created=1, adopted=0, committed=1, freed=1)
    every_other = e.definition(e.vector(3, 1, 2, pair), created=1, adopted=0, committed=1, freed=1)
    e.definition(e.indexed([2, 4], [0, 5], "MPI_INT"), created=1, adopted=0, committed=1, freed=1)
    calls = {("MPI_File_get_view", "c"): 1}
    if e.abi != "mpi_abi":
        calls["mpi_file_get_view_", "mpif.h"] = 1
    # The view is made of copies, and what is handed out is a copy of those.
    copy = e.dup if e.views_are_dups and not e.environment else lambda old: e.contiguous(1, old)
    for old in (pair, every_other):
        kept = e.definition(copy(old), created=0, adopted=0)
        e.definition(copy(kept), created=0, adopted=len(calls), freed=len(calls), live=0, functions={"main"},
                     made_by=calls)
    e.stdout_contains = ["0 1 0 0 0 5 6 7 8 0"] + ["native"] * (len(calls) - 1)
