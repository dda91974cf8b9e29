"""Bounds that MPICH is known to answer otherwise are no alarm: verification finds them, and check leaves with 0."""


def expect(e):
    position = e.resized(e.contiguous(2, "MPI_DOUBLE"), 0, 16)
    members = e.struct([1, 1], [0, 8], ["MPI_INT", position])
    # The markers of `position` stand at 8 and 24 (MPI-4.1 5.1.7); MPICH takes the id into the bounds.
    bounds = (20, 0, 24, 0, 24) if e.library == "mpich" else (20, 8, 16, 0, 24)
    e.definition(e.contiguous(2, "MPI_DOUBLE"), created=1, live=0)
    e.definition(position, created=1, live=0)
    e.definition(members, names=["members"], bounds=bounds, created=1, live=0)
    e.definition(e.resized(members, 0, 24), names=["particle"], bounds=(20, 0, 24, 0, 24), created=1, live=0)
    if e.library == "mpich":
        e.known_differences = [(members, "lb", 8, 0), (members, "extent", 16, 24)]
