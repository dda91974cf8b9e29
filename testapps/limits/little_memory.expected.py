"""With little memory definitions make room for others, and are the same ones when they are made again."""


def expect(e):
    e.environment = {"DDTSCOPE_MAX_MEMORY": "64K"}
    for i in range(300):
        count = 2 + i
        extent = 12 * (count - 1) + 4
        e.definition(e.vector(count, 1, 3, "MPI_INT"), bounds=(4 * count, 0, extent, 0, extent), created=3, committed=3,
                     freed=3, live=0)
