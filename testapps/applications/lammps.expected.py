"""LAMMPS' melt makes no derived datatype, and the report must say so."""
import os


def expect(e):
    e.verify = False
    e.copies = [os.path.join(os.path.dirname(__file__), "melt.in")]
    e.summary_contains = ["no derived datatype"]
    e.stdout_contains = ["Total # of neighbors"]
    e.output_files = []
    e.unstable_lines = [r"^(Pair|Neigh|Comm|Output|Modify|Other) |Loop time|Performance|CPU|Total wall time"
                        r"|create_atoms|OMP_NUM_THREADS"]
