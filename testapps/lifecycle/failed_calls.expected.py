"""Calls that return an error are counted by class and call site, and make nothing; what was made beside them is there."""


def expect(e):
    e.definition(e.vector(3, 1, 2, "MPI_INT"), created=1, committed=1, freed=1, live=0)
    # Each library by its own lights.
    blocklength = "MPI_ERR_ARG" if e.library == "openmpi" else "MPI_ERR_COUNT"
    e.failed_calls = {
        ("MPI_Type_contiguous", "MPI_ERR_COUNT", "negative_counts"): 1000,
        ("MPI_Type_vector", "MPI_ERR_COUNT", "negative_counts"): 1,
        ("MPI_Type_create_struct", blocklength, "negative_counts"): 1,
        **{(name, "MPI_ERR_TYPE", "null_handles"): 1
           for name in ["MPI_Type_contiguous", "PMPI_Type_vector", "MPI_Type_create_struct", "MPI_Type_dup",
                        "MPI_Type_commit", "MPI_Type_set_name", "MPI_Type_get_envelope", "MPI_Type_get_contents"]},
        ("MPI_Type_free", "MPI_ERR_TYPE", "null_handles"): 2,
    }
