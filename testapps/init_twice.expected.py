"""MPICH returns the error where it is asked to; Open MPI 4.1.4 ends the program. The plugin's trace goes on, or ends there."""


def expect(e, returns=True):
    e.complete = returns and e.library == "mpich"
    e.definition(e.contiguous(4, "MPI_INT"), created=1, freed=int(e.complete))
