#!/usr/bin/env python3
"""Messages whose two sides do not agree are found, and nothing in their twins that are right: the cases of mismatches.c, by
the text of MPI-4.1 3.3.1. Which library it is makes no difference."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

ERROR, WARNING = "error", "warning"
MISMATCH, TRUNCATED, UNSENT = "signature-mismatch", "truncated-message", "unmatched-send"
# A library may refuse a message that is too long; and a program that leaves messages to nobody is wrong by MPI-4.1 11.2.2:
# MPICH 4.2.1 kills it in MPI_Finalize in one of two runs, without ddtscope as well.
MAY_END_BADLY = {"too_long", "too_long_for_bytes", "never_received"}
OF_MESSAGES = {MISMATCH, TRUNCATED, UNSENT, "unmatched-receive"}


def plan(ranks):
    """case: {(id, severity, function, the other's): (how often, words of the message)}"""
    last = ranks - 1
    return {
        "struct_differs": {(MISMATCH, ERROR, "MPI_Send", "MPI_Recv"): (
            400, "entry 0 is sent as MPI_INT and received as MPI_LONG. It is message 17 of tag 3, the first of 400 that differ.")},
        "struct_is_the_same": {},
        "ints_as_floats": {(MISMATCH, ERROR, "MPI_Send", "MPI_Recv"): (
            1, "Rank 0 sends 6 x MPI_INT, rank 1 receives 6 x MPI_FLOAT: entry 0 is sent as MPI_INT")},
        "longs_as_bytes": {(MISMATCH, WARNING, "MPI_Send", "MPI_Recv"): (1, "the same bytes here")},
        "longs_in_more_bytes": {(MISMATCH, WARNING, "MPI_Send", "MPI_Recv"): (1, "the same bytes here")},
        "too_long_for_bytes": {(TRUNCATED, ERROR, "MPI_Send", "MPI_Recv"): (1, "the message is longer than what is received.")},
        "longs_as_int64": {(MISMATCH, WARNING, "MPI_Send", "MPI_Recv"): (1, "is sent as MPI_LONG and received as MPI_INT64_T")},
        "too_long": {(TRUNCATED, ERROR, "MPI_Send", "MPI_Recv"): (1, "there is no room from entry 8 of the message on")},
        "shorter": {},
        "nothing": {},
        "packed": {},
        "built_otherwise": {},
        "ring_differs": {(MISMATCH, ERROR, "MPI_Isend", "MPI_Irecv"): (1, f"Rank {last} sends 4 x MPI_INT, rank 0 receives 4 x MPI_FLOAT: "
                                                                       "entry 0 is sent as MPI_INT and received as MPI_FLOAT. It is message 3 of tag 9.")},
        "ring_is_right": {},
        "wildcards_differ": {(MISMATCH, ERROR, "MPI_Send", "MPI_Recv"): (last, "entry 0 is sent as MPI_DOUBLE and received as MPI_LONG")},
        "wildcards_are_right": {},
        "persistent_differs": {(MISMATCH, ERROR, "MPI_Start", "MPI_Start"): (3, "and received as MPI_FLOAT. It is message 1 of tag 2, the first of 3 that differ.")},
        "persistent_is_right": {},
        "communicators_differ": {(MISMATCH, ERROR, "MPI_Send", "MPI_Recv"): (1, "of tag 4 on the communicator of MPI_Comm_split")},
        "communicators_are_right": {},
        "exchange_differs": {(MISMATCH, ERROR, "MPI_Sendrecv", "MPI_Sendrecv"): (1, "Rank 1 sends 3 x MPI_INT, rank 0 receives 3 x MPI_FLOAT")},
        "exchange_is_right": {},
        "to_itself": {(MISMATCH, ERROR, "MPI_Sendrecv", "MPI_Sendrecv"): (ranks, "Rank 0 sends 3 x MPI_INT, rank 0 receives 3 x MPI_FLOAT")},
        "never_received": {(UNSENT, WARNING, "MPI_Isend", None): (2, "It is message 2 of tag 8, the first of 2 that are left.")},
        "cancelled": {},
        "nobody": {},
    }


def check(options, name, words, wanted):
    """A job, and what is found in it, joined by the ranks."""
    folder = os.path.join(options.work, name)
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    job = subprocess.run([options.launcher, *more, "-n", str(options.ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder,
                          "--", options.program, *words], cwd=options.work, env=script.base_environment(), capture_output=True,
                         text=True, check=False, timeout=120)
    if job.returncode != 0 and name not in MAY_END_BADLY:
        fail(name, f"ends with {job.returncode}: {job.stdout}{job.stderr}")
        return
    run = subprocess.run([options.ddtscope, "check", "--json", folder], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        fail(name, f"check ends with {run.returncode}: {run.stderr}")
        return
    document = json.loads(run.stdout)
    found = {}
    for finding in document["findings"]:
        if finding["id"] in OF_MESSAGES:
            other = finding["other"] and finding["other"]["called"]
            names = [called and called.replace("_f08ts_", "_f08_") for called in (finding["called"], other)]  # MPICH's
            found[(finding["id"], finding["severity"], *names)] = (finding["count"], finding["message"])
    if set(found) != set(wanted):
        fail(name, f"finds {sorted(map(str, found.items()))}")
    for key in set(found) & set(wanted):
        if found[key][0] != wanted[key][0] or wanted[key][1] not in found[key][1]:
            fail(name, f"finds {key} {found[key]}, not {wanted[key]}")
    messages = document["messages"]
    if messages is None:
        fail(name, "no messages were recorded")
    elif not wanted and (messages["matched"] != {key: messages[key] for key in ("channels", "messages")} or messages["undecided"]):
        if name != "cancelled":
            fail(name, f"not all match: {messages}")
    return folder


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--fortran", help="the same in Fortran: another program")
    options = script.options_of(parser)
    for case, wanted in plan(options.ranks).items():
        check(options, case, [case], wanted)
    if options.fortran:
        options.program = options.fortran
        found = {(MISMATCH, ERROR, "mpi_send_f08_", "mpi_recv_f08_"): (40, "entry 0 is sent as MPI_INTEGER and received as MPI_REAL")}
        check(options, "fortran_differs", ["differs"], found)
        check(options, "fortran_is_right", ["right"], {})
    return script.outcome()


sys.exit(main())
