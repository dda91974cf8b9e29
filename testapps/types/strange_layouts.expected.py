"""Negative strides, empty types and overlapping entries."""


def expect(e):
    def once(tree, name, bounds, entries, blocks, signature):
        return e.definition(tree, names=[name], bounds=bounds, entries=entries, blocks=blocks, signature=signature,
                            created=1, live=1, committed=0)

    once(e.vector(3, 2, -4, "MPI_INT"), "backwards", (24, -32, 40, -32, 40), 6, 3, [["MPI_INT", 6]])
    once(e.hindexed([1, 1, 1], [16, 0, -16], "MPI_DOUBLE"), "descending", (24, -16, 40, -16, 40), 3, 3,
         [["MPI_DOUBLE", 3]])
    once(e.contiguous(0, "MPI_INT"), "empty", (0, 0, 0, 0, 0), 0, 0, [])
    once(e.struct([], [], []), "empty struct", (0, 0, 0, 0, 0), 0, 0, [])
    once(e.indexed([0, 3], [100, 2], "MPI_INT"), "block of length 0", (12, 8, 12, 8, 12), 3, 1, [["MPI_INT", 3]])
    blocks = once(e.vector(3, 4, 2, "MPI_INT"), "overlapping blocks", (48, 0, 32, 0, 32), 12, 3, [["MPI_INT", 12]])
    e.finding(blocks, "entries-overlap")
    place = once(e.hvector(4, 1, 0, "MPI_DOUBLE"), "all in one place", (32, 0, 8, 0, 8), 4, 4, [["MPI_DOUBLE", 4]])
    e.finding(place, "entries-overlap")
    copies = once(e.vector(2, 1, 3, "MPI_INT"), "interleaving copies", (8, 0, 16, 0, 16), 2, 2, [["MPI_INT", 2]])
    once(e.resized(copies, 0, 4), "interleaved", (8, 0, 4, 0, 16), 2, 2, [["MPI_INT", 2]])
