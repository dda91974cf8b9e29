"""A chain of 10,000 structs, one definition each."""

DEPTH = 10000


def expect(e):
    tree = "MPI_INT"
    for level in range(DEPTH):
        tree = e.struct([1], [4], [tree])
        e.definition(tree, entries=1, blocks=1, size=4, created=1, freed=1)
    e.definition(tree, names=["chain"], true_lb=4 * DEPTH, true_ub=4 * DEPTH + 4, signature=[["MPI_INT", 1]])
    e.verify = False  # the library's own decoding is quadratic in the depth
