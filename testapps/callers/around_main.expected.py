"""What runs before and after main is recorded like the rest, and the program's own libraries stay its own."""


def expect(e):
    e.definition(e.vector(3, 1, 2, "MPI_DOUBLE"), bounds=(24, 0, 40, 0, 40), created=1, committed=1, freed=1, live=0)
