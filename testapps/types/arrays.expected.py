"""Each rank has its own part; the row is the same in all of them."""


def expect(e):
    n = e.ranks
    everywhere = set(range(n))
    e.definition(e.contiguous(12, "MPI_DOUBLE"), bounds=(96, 0, 96, 0, 96), created=n, committed=n, freed=n, live=0,
                 sites=1, ranks=everywhere)
    rows, size = 8 // n, 768 // n
    for rank in range(n):
        once = dict(created=1, freed=1, live=0, ranks={rank})
        e.definition(e.subarray([8, 12], [rows, 12], [rank * rows, 0], "C", "MPI_DOUBLE"),
                     bounds=(size, 0, 768, rank * size, size), entries=96 // n, blocks=1, committed=1, **once)
        e.definition(e.darray(n, rank, [8, 12], ["BLOCK", "NONE"], ["DFLT_DARG", "DFLT_DARG"], [n, 1], "C",
                              "MPI_DOUBLE"),
                     bounds=(size, 0, 768, rank * size, size), entries=96 // n, blocks=1, committed=0, **once)
        # Two columns of 8 floats each, every n-th pair of them.
        e.definition(e.darray(n, rank, [8, 12], ["NONE", "CYCLIC"], ["DFLT_DARG", 2], [1, n], "FORTRAN", "MPI_FLOAT"),
                     bounds=(384 // n, 0, 384, 64 * rank, 384 - 64 * (n - 1)), entries=96 // n,
                     blocks=6 // n if n > 1 else 1, committed=0, **once)
