#!/usr/bin/env python3
"""What is wrong with a call is found in Fortran, by both of its bindings, and nothing in calls that are right."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

# Of each binding. Where something of a freed type moved, a library might end the job in the call.
WRONG = {("uncommitted-type", "error", "pack", "T1"), ("negative-count", "error", "send", "MPI_DOUBLE_PRECISION"),
         ("freed-type", "warning", "ssend", "T1")}
# Of types in arrays. Entries of count 0 and those of MPI_PROC_NULL are not judged, nor what MPI_IN_PLACE replaces.
# A library may end the job in each call: one of them at a time.
FREED = {("freed-type", "error", "alltoallw", "T1")}
FREED_OF_NEIGHBOUR = {("freed-type", "error", "neighbor_alltoallw", "T1")}
# How it is started: (what must be found of the module mpi, and of mpi_f08)
PLAN = {"wrong": (WRONG, WRONG), "right": (set(), set()), "0": (set(), set()), "1": (FREED, set()),
        "2": (FREED_OF_NEIGHBOUR, set()), "3": ({("uncommitted-type", "error", "ineighbor_alltoallw", "T2")}, set()),
        "4": (set(), FREED), "5": (set(), FREED_OF_NEIGHBOUR), "ring": (set(), set()),
        "garbage": ({("null-type", "error", "alltoallw", None)}, set())}
JUDGED = {"null-type", "freed-type", "uncommitted-type", "negative-count", "null-buffer", "op-type"}


def main():
    options = script.options_of(script.parser(__doc__))
    for how, (of_mpi, of_f08) in PLAN.items():
        folder = os.path.join(options.work, how)
        command = [options.launcher, "-n", "1", options.ddtscope, "exec", "-o", folder, "--", options.program, how]
        result = subprocess.run(command, cwd=options.work, env=script.base_environment(), capture_output=True, text=True,
                                check=False)
        read = subprocess.run([options.ddtscope, "check", folder, "--json"], capture_output=True, text=True, check=False)
        found = {"mpi": set(), "mpi_f08": set()}
        for finding in json.loads(read.stdout)["findings"]:
            if finding["id"] not in JUDGED:
                continue
            function = re.fullmatch(r"mpi_(\w+?)(_f08(ts)?_|_+)", finding["called"], re.IGNORECASE)
            if not function:
                fail(how, f"called by the name {finding['called']}")
                continue
            key = (finding["id"], finding["severity"], function[1].lower(), finding["type"])
            found["mpi_f08" if function[2].startswith("_f08") else "mpi"].add(key)
        for module, wanted in (("mpi", of_mpi), ("mpi_f08", of_f08)):
            findings = found[module]
            if findings != wanted:
                fail(how, module, f"found {findings}, should be {wanted}; {result.stderr[-600:]}")
        if how in ("right", "0") and result.returncode != 0:
            fail(how, result.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
