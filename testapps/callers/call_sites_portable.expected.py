"""Nothing is assumed of the processor: libunwind alone finds the same places."""


def expect(e):
    e.environment["DDTSCOPE_PORTABLE"] = "1"
    e.definition(e.vector(5, 1, 2, "MPI_DOUBLE"), created=31, committed=30, freed=30, live=1, sites=3,
                 functions={"make", "make_and_keep"}, names=["kept"])
