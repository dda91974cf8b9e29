"""MPI_Pcontrol by one thread, while others are in calls that are recorded, does them no harm."""


def expect(e):
    e.repeatable = False  # which calls are counted
