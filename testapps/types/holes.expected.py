"""A struct with holes, and the extents that a program may give it."""


def expect(e):
    members = e.struct([1, 3, 1, 1], [0, 8, 32, 36], ["MPI_CHAR", "MPI_DOUBLE", "MPI_INT", "MPI_SHORT"])
    signature = [["MPI_CHAR", 1], ["MPI_DOUBLE", 3], ["MPI_INT", 1], ["MPI_SHORT", 1]]
    once = dict(created=1, freed=1, live=0, signature=signature, entries=6, blocks=2, alignment=8)
    e.definition(members, bounds=(31, 0, 40, 0, 38), names=["members"], committed=0, **once)
    particle = e.definition(e.resized(members, 0, 40), bounds=(31, 0, 40, 0, 38), names=["particle"], committed=1,
                            **once)
    short = e.definition(e.resized(members, 0, 8), bounds=(31, 0, 8, 0, 38), names=["too short"], committed=0, **once)
    e.finding(short, "copies-overlap")
    e.definition(e.resized(particle, -8, 64), bounds=(31, -8, 64, 0, 38), names=["shifted"], committed=0, **once)
