"""MPICH and Open MPI 5 return the error where they are asked to; Open MPI 4 ends the program. The plugin's trace goes on, or ends there."""


def expect(e, returns=True):
    e.complete = returns and (e.library == "mpich" or e.library_has("MPI_Session_init"))
    e.definition(e.contiguous(4, "MPI_INT"), created=1, freed=int(e.complete))
