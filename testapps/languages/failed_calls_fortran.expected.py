"""INTEGER handles that are no datatype's: the library's own error reaches the program, the plugin asks about none."""


def expect(e):
    e.definition(e.vector(3, 1, 2, "MPI_INTEGER"), created=1, committed=1, freed=1, live=0)
    # MPICH takes handles that were freed (freed_handles.c).
    looks_for_freed = e.library == "openmpi"
    e.failed_calls = {
        ("mpi_type_contiguous_", "MPI_ERR_TYPE", "refuse_mpi_"): 3,
        ("mpi_type_create_struct_", "MPI_ERR_TYPE", "refuse_mpi_"): 3,
        ("mpi_type_commit_", "MPI_ERR_TYPE", "refuse_mpi_"): 3,
        ("mpi_type_free_", "MPI_ERR_TYPE", "refuse_mpi_"): 3 + looks_for_freed,
        ("mpi_type_get_envelope_", "MPI_ERR_TYPE", "refuse_mpi_"): 3,
        ("mpi_type_vector_", "MPI_ERR_COUNT", "refuse_mpi_"): 1,
        ("mpi_type_contiguous_f08_", "MPI_ERR_TYPE", "refuse_f08_"): 1,
        ("mpi_type_vector_f08_", "MPI_ERR_COUNT", "refuse_f08_"): 1,
    }
    if looks_for_freed:
        e.failed_calls["mpi_type_dup_", "MPI_ERR_TYPE", "refuse_mpi_"] = 1
    e.stdout_contains = ["MPI_TYPE_CREATE_STRUCT MPI_ERR_TYPE", "f08 MPI_TYPE_VECTOR MPI_ERR_COUNT T"]
