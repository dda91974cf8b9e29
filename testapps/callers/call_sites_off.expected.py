"""Without stacks there is one unknown place."""


def expect(e):
    e.environment["DDTSCOPE_STACK"] = "0"
    e.summary_contains = ["Not recorded: call sites; DDTSCOPE_STACK was 0."]
    e.definition(e.vector(5, 1, 2, "MPI_DOUBLE"), created=31, committed=30, freed=30, live=1, sites=1, functions={None},
                 names=["kept"])
