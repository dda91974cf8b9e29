#!/usr/bin/env python3
"""Collective operations about which the processes do not agree are found, and nothing in their twins that are right: the
cases of collective_mismatches.c, by the text of MPI-4.1 6. Which library it is makes no difference."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

ERROR, WARNING = "error", "warning"
MISMATCH, OTHER, OWN = "signature-mismatch", "collective-mismatch", "local-mismatch"
OF_TWO = {"call", "root", "ends"}
COME_BACK_ALONE = {"window", "windows", "file"}  # only where nobody waits for the others


def plan():
    """case: (id, severity, {the two functions}, how often), several of them, or nothing where it is right either way"""
    return {
        "call": (OTHER, ERROR, {"MPI_Bcast", "MPI_Reduce"}, 1),
        "root": (OTHER, ERROR, {"MPI_Bcast"}, 1),
        "ends": (OTHER, ERROR, {"MPI_Bcast"}, 1),
        "op": (OTHER, ERROR, {"MPI_Allreduce"}, 1),
        "type": (MISMATCH, ERROR, {"MPI_Bcast"}, 20),
        "alike": (MISMATCH, WARNING, {"MPI_Bcast"}, 1),
        "built": None,
        "reduced": (MISMATCH, ERROR, {"MPI_Reduce"}, 1),
        "scattered": (MISMATCH, ERROR, {"MPI_Scatter"}, 1),
        "gathered": (MISMATCH, ERROR, {"MPI_Allgather"}, 1),
        "gatherv": (MISMATCH, ERROR, {"MPI_Gatherv"}, 1),
        "alltoallv": (MISMATCH, ERROR, {"MPI_Alltoallv"}, 1),
        "alltoallw": (MISMATCH, ERROR, {"MPI_Alltoallw"}, 1),
        "to_itself": (OWN, ERROR, {"MPI_Alltoallw"}, 3),
        "in_place_allgather": [(MISMATCH, ERROR, {"MPI_Allgather"}, 1)] * 2,  # of what 1 gives, and of what it takes
        "in_place_alltoallw": (MISMATCH, ERROR, {"MPI_Alltoallw"}, 1),
        "elsewhere": (MISMATCH, ERROR, {"MPI_Iallreduce"}, 1),
        "window": (OTHER, ERROR, {"MPI_Barrier", "MPI_Win_create"}, 1),
        "windows": (OTHER, ERROR, {"MPI_Win_create", "MPI_Win_create_dynamic"}, 1),
        "file": (OTHER, ERROR, {"MPI_Barrier", "MPI_File_open"}, 1),
        "no_file": (MISMATCH, ERROR, {"MPI_Bcast"}, 1),
        "inter_bcast": (MISMATCH, ERROR, {"MPI_Bcast"}, 3),
        "inter_allgather": (MISMATCH, ERROR, {"MPI_Allgather"}, 1),
        "inter_allreduce": (MISMATCH, ERROR, {"MPI_Allreduce"}, 1),
        "ring": (MISMATCH, ERROR, {"MPI_Neighbor_alltoallv"}, 1),
        "line": (MISMATCH, ERROR, {"MPI_Neighbor_allgather"}, 1),
        "graph": (MISMATCH, ERROR, {"MPI_Neighbor_alltoallw"}, 1),
    }


def found_in(options, case, how, **settings):
    """The findings of collectives: [(id, severity, {functions}, count), ...]"""
    folder = os.path.join(options.work, f"{case}_{how}")
    ranks = 2 if case in OF_TWO else options.ranks
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    alone = ["/usr/bin/env", "LD_PRELOAD=" + options.alone] if case in COME_BACK_ALONE else []
    job = subprocess.run([options.launcher, *more, "-n", str(ranks), *alone, options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--",
                          options.program, case, how], cwd=options.work, env={**script.base_environment(), **settings}, capture_output=True,
                         text=True, check=False, timeout=120)
    if job.returncode != 0:
        fail(case, f"{how}: ends with {job.returncode}: {job.stderr}")
        return []
    run = subprocess.run([options.ddtscope, "check", "--json", folder], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        fail(case, f"{how}: check ends with {run.returncode}: {run.stderr}")
        return []
    found = []
    for finding in json.loads(run.stdout)["findings"]:
        if finding["id"] in (MISMATCH, OTHER, OWN):
            other = finding["other"] and finding["other"].get("called")
            found.append((finding["id"], finding["severity"], {called for called in (finding["called"], other) if called}, finding["count"]))
    return found


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--alone", required=True, help="a module with constructors of windows and files that talk to nobody")
    options = script.options_of(parser)
    for case, wanted in plan().items():
        if found := found_in(options, case, "right"):
            fail(case, f"is right, and is found: {found}")
        found = found_in(options, case, "wrong")
        if found != (wanted if isinstance(wanted, list) else [wanted] if wanted else []):
            fail(case, f"finds {found}, not {wanted}")
    apart = found_in(options, "type", "wrong", DDTSCOPE_MERGE="off")  # joined when it is read
    if apart != [plan()["type"]]:
        fail("type", f"finds {apart} in files that are apart")
    return script.outcome()


sys.exit(main())
