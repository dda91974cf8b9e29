"""The upper triangle of an 8 x 8 matrix."""


def expect(e):
    rows = range(8)
    e.definition(e.indexed([8 - r for r in rows], [9 * r for r in rows], "MPI_DOUBLE"), names=["upper triangle"],
                 bounds=(288, 0, 512, 0, 512), entries=36, blocks=8, signature=[["MPI_DOUBLE", 36]], created=1,
                 committed=1, freed=1, live=0)
