"""2^60 entries out of 60 definitions."""

DOUBLINGS = 60


def expect(e):
    tree = "MPI_BYTE"
    for i in range(DOUBLINGS):
        tree = e.struct([1, 1], [0, 2**i], [tree, tree])
        e.definition(tree, entries=2 ** (i + 1), blocks=1, size=2 ** (i + 1), created=1, freed=1, live=0)
    e.definition(tree, names=["doubled"], bounds=(2**60, 0, 2**60, 0, 2**60), signature=[["MPI_BYTE", 2**60]])
