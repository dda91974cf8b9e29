"""Nothing is lost or doubled when eight threads work at once and free each other's types."""


def expect(e):
    e.repeatable = False  # which thread comes first
    threads, rounds = 8, 50000
    for thread in range(threads):
        made = rounds // 4
        e.definition(e.contiguous(100 + thread, "MPI_CHAR"), created=made, committed=made, freed=made, live=0)
    for n in (3, 4, 5):
        made = threads * rounds // 4
        e.definition(e.vector(n, 1, 7, "MPI_INT"), created=made, committed=made, freed=made, live=0, sites=1)
