"""100,000 blocks: complete in the answer, however the trace writes them down."""

BLOCKS = 100000


def expect(e):
    count = range(BLOCKS)
    e.definition(e.indexed([2] * BLOCKS, [5 * i for i in count], "MPI_INT"), names=["constant step"],
                 bounds=(800000, 0, 1999988, 0, 1999988), entries=200000, blocks=BLOCKS, created=1, committed=1, freed=1)
    e.definition(e.indexed([1 + i % 3 for i in count], [5 * i + (i * 2654435761 % 2**32 >> 31) for i in count],
                           "MPI_INT"),
                 names=["irregular"], size=799996, entries=199999, blocks=BLOCKS, created=1, freed=1)
