"""The removed spellings give the definitions of the current ones; the entry point stays visible."""


def expect(e):
    e.definition(e.hvector(3, 2, 20, "MPI_SHORT"), bounds=(12, 0, 44, 0, 44), created=2, freed=2, live=0, sites=2,
                 called={"MPI_Type_hvector", "MPI_Type_create_hvector"}, constructor="MPI_Type_create_hvector")
    e.definition(e.hindexed([1, 2], [4, 16], "MPI_FLOAT"), bounds=(12, 4, 20, 4, 20), created=1, freed=1,
                 called={"MPI_Type_hindexed"})
    e.definition(e.struct([1, 1], [0, 8], ["MPI_DOUBLE", "MPI_CHAR"]), bounds=(9, 0, 16, 0, 9), created=1, freed=1,
                 called={"MPI_Type_struct"})
