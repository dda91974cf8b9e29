"""A child that get_contents returns is one more life of its definition, made at the getter's site (on MPICH too,
where it is the same handle)."""


def expect(e):
    child = e.definition(e.vector(3, 1, 2, "MPI_INT"), created=3, freed=2, live=1, bounds=(12, 0, 20, 0, 20),
                         functions={"main", "only_child_of"})
    e.definition(e.contiguous(2, child), created=1, freed=1, live=0, functions={"main"})
