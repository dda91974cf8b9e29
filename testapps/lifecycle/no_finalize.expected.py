"""Left by exit(): the trace is there, and says that it is not complete."""


def expect(e):
    e.complete = False
    e.unstable_lines = [r"^=|^$"]  # Hydra's banner: it comes, or not, as the process's end is seen before that of its pipe
    e.definition(e.vector(4, 2, 3, "MPI_INT"), names=["abandoned"], bounds=(32, 0, 44, 0, 44), created=1, committed=1,
                 freed=0, live=1)
