"""A module that brings MPI with it, out of the program's sight."""


def expect(e):
    e.stdout_contains = ["MPI in the program's own scope: 0"]
    vector = e.definition(e.vector(3, 1, 2, "MPI_INT"), created=1, committed=0, freed=1, functions={"run_mpi"},
                          made_by={("MPI_Type_vector", "c"): 1})
    e.definition(e.contiguous(2, vector), created=1, committed=1, freed=1, functions={"run_mpi"},
                 made_by={("PMPI_Type_contiguous", "pmpi"): 1})
