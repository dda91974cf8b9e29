"""Nothing is lost or doubled when four threads work at once."""


def expect(e):
    e.repeatable = False  # which thread comes first
    threads, rounds = 4, 2000
    all_of_them = threads * rounds
    common = e.definition(e.vector(2, 1, 3, "MPI_INT"), created=all_of_them, committed=all_of_them, freed=all_of_them,
                          live=0)
    for thread in range(threads):
        own = e.definition(e.contiguous(100 + thread, "MPI_CHAR"), created=rounds, committed=0, freed=rounds, live=0)
        e.definition(e.struct([1, 1], [0, 64], [common, own]), created=rounds, committed=rounds, freed=rounds, live=0)
