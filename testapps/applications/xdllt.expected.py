"""ScaLAPACK's xdllt, with two ranks: with four it hangs now and then in Open MPI, without ddtscope too."""
import os


def expect(e):
    e.others_allowed = True
    e.counted = True
    e.repeatable = False  # runs differ by a few types, as an independent counter says, too
    e.commits_once = True
    e.copies = [os.path.join(e.program_folder, "LLT.dat")]
    # Rows of figures end with the times and rates of this run.
    e.unstable_numbers = True
    e.unstable_lines = [r"^WALL|^CPU|MFLOPS|PASSED|signalling"]
    e.stdout_contains = ["END OF TESTS"]
    e.uses_blacs()
