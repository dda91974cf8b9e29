"""ScaLAPACK's xdsep, on problems that two ranks can solve."""
import os


def expect(e):
    e.others_allowed = True
    e.counted = True
    e.commits_once = True
    e.copies = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "SEP.dat")]
    if e.library == "mpich":
        # mpich-zero-blocklength (library_bugs.md).
        e.allowed_differences = {"extent", "true_extent"}
    e.unstable_numbers = True
    e.unstable_lines = [r"PASSED|sigs|WALL|CPU"]
    e.stdout_contains = ["PASSED"]
    e.uses_blacs()
