"""The program of lifetimes.c behind a tool that passes each call on to its PMPI_ name: counted once, as the tool's."""


def expect(e):
    def passed_on(tree, **members):
        constructor = "PMPI_Type_" + {"VECTOR": "vector", "CONTIGUOUS": "contiguous", "DUP": "dup"}[
            e.table.nodes[tree][0].removeprefix("MPI_COMBINER_")]
        e.definition(tree, made_by={(constructor, "pmpi"): members["created"]}, **members)
        return tree

    passed_on(e.vector(4, 1, 3, "MPI_INT"), created=1000, committed=1000, freed=1000)
    for n in (1, 2):
        passed_on(e.contiguous(n, "MPI_SHORT"), created=500, committed=0, freed=500)
    original = passed_on(e.contiguous(7, "MPI_FLOAT"), created=1, committed=0, freed=1)
    passed_on(e.dup(original), created=1, committed=1, freed=1)
    passed_on(e.contiguous(9, "MPI_INT"), created=1, committed=1, freed=1)
    passed_on(e.contiguous(11, "MPI_INT"), created=1, committed=0, freed=1)
    passed_on(e.contiguous(13, "MPI_INT"), created=3, committed=3, freed=0, live=3)
    e.failed_calls = {("PMPI_Type_contiguous", "MPI_ERR_COUNT", "MPI_Type_contiguous"): 1,
                      ("PMPI_Type_contiguous", "MPI_ERR_TYPE", "MPI_Type_contiguous"): 1,
                      ("PMPI_Type_free", "MPI_ERR_TYPE", "MPI_Type_free"): 1}
