"""Call stacks are recorded, yet the program's exceptions never meet another unwinder."""


def expect(e):
    e.stdout_contains = ["caught 100", "unwound by libgcc_s: 1"]
    e.definition(e.contiguous(3, "MPI_INT"), created=1, freed=1, functions={"main"})
    e.definition(e.contiguous(4, "MPI_INT"), created=1, freed=1, functions={"main"})
