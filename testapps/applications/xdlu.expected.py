"""ScaLAPACK's xdlu: tens of thousands of types out of a few hundred."""
import os


def expect(e):
    e.others_allowed = True
    e.counted = True
    e.commits_once = True
    e.verify = False
    e.copies = [os.path.join(e.program_folder, "LU.dat")]
    # Rows of figures end with the times and rates of this run.
    e.unstable_numbers = True
    e.unstable_lines = [r"^WALL|^CPU|MFLOPS|PASSED|signalling"]
    e.stdout_contains = ["END OF TESTS"]
    e.uses_blacs()
