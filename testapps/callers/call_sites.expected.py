"""One definition, three places: two calls of one function and another function."""


def expect(e):
    e.definition(e.vector(5, 1, 2, "MPI_DOUBLE"), created=31, committed=30, freed=30, live=1, sites=3,
                 functions={"make", "make_and_keep"}, names=["kept"])
