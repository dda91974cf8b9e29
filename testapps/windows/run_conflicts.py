#!/usr/bin/env python3
"""One-sided calls of one epoch that touch the same bytes are found, and nothing in their twins: the cases of conflicts.c, by the
text of MPI-4.1 12.7. `ddtscope uses --by window` tells the windows and draws the epochs."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

PUT, GET = "MPI_Put", "MPI_Get"


def plan(ranks):
    """function: both calls, ranks of both, how often."""
    return {
        "two_origins_wrong": (PUT, PUT, [[0, 1]], [[0, 1]], 1),
        "many_epochs_wrong": (PUT, PUT, [[0, 1]], [[0, 1]], 100),
        "put_and_get_wrong": (PUT, GET, [[0, 0]], [[0, 0]], 1),
        "put_columns": (PUT, PUT, [[0, 0]], [[2, 2]], 1),
        "ops_wrong": ("MPI_Accumulate", "MPI_Accumulate", [[0, 0]], [[1, ranks - 1]], 1),
        "unordered_wrong": ("MPI_Accumulate", "MPI_Accumulate", [[0, 0]], [[0, 0]], 1),
        "made_unordered_wrong": ("MPI_Accumulate", "MPI_Accumulate", [[0, 0]], [[0, 0]], 1),
        "kinds_wrong": ("MPI_Accumulate", "MPI_Accumulate", [[0, 0]], [[1, 1]], 1),
        "exposure_wrong": (PUT, PUT, [[1, ranks - 2]], [[2, ranks - 1]], 1),
        "lock_wrong": (PUT, GET, [[0, ranks - 1]], [[0, ranks - 1]], ranks),
        "lock_all_wrong": (PUT, PUT, [[0, ranks - 1]], [[0, ranks - 1]], ranks),
        "request_wrong": ("MPI_Rget", PUT, [[0, ranks - 1]], [[0, ranks - 1]], ranks),
        "swap_wrong": ("MPI_Compare_and_swap", GET, [[0, ranks - 1]], [[0, ranks - 1]], ranks),
    }


def trace_of(options, program, name):
    folder = os.path.join(options.work, name)
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    run = subprocess.run([options.launcher, *more, "-n", str(options.ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder,
                          "--", program], cwd=options.work, env=script.base_environment(), capture_output=True, text=True, check=False,
                         timeout=120)
    if run.returncode != 0:
        fail(name, f"ends with {run.returncode}: {run.stderr}")
    return folder


def answer(options, *words):
    run = subprocess.run([options.ddtscope, *words], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        fail(words[0], f"ends with {run.returncode}: {run.stderr}")
    return run.stdout


def conflicts(options, folder):
    told = json.loads(answer(options, "check", "--json", folder))
    return [one for one in told["findings"] if one["id"] == "conflicting-access"], told["remarks"]


def check_c(options):
    folder = trace_of(options, options.program, "conflicts")
    found, remarks = conflicts(options, folder)
    wanted = plan(options.ranks)
    if any(one["severity"] != "warning" for one in found):
        fail("conflicts", f"has other severities: {found}")
    told = {one["call_site"][0]["function"]: (one["called"], one["other"]["called"], one["ranks"], one["other"]["ranks"], one["count"])
            for one in found}
    if len(told) != len(found):
        fail("conflicts", f"tells places more than once: {found}")
    for function in sorted(set(told) | set(wanted)):
        if told.get(function) != wanted.get(function):
            fail(function, f"is told as {told.get(function)}, not {wanted.get(function)}")
    if any(one["other"]["call_site"][0]["function"] != one["call_site"][0]["function"] for one in found):
        fail("conflicts", f"has second parties elsewhere: {found}")
    if not any("under shared locks or MPI_Win_lock_all was not held against each other" in remark for remark in remarks):
        fail("conflicts", f"remarks {remarks}")
    messages = {one["call_site"][0]["function"]: one["message"] for one in found}
    words = ("Bytes 12 to 15 of rank 1's window \"pair\" (displacement 3, in units of 4 bytes) are touched twice between its 1st MPI_Win_fence and "
             "the next: MPI_Put writes 4 x MPI_INT at displacement 0, MPI_Get reads 4 x MPI_INT at displacement 3; both are calls of rank 0.")
    if messages.get("put_and_get_wrong") != words:
        fail("put_and_get_wrong", f"says {messages.get('put_and_get_wrong')}")
    check_windows(options, folder)


def check_windows(options, folder):
    windows = json.loads(answer(options, "uses", "--by", "window", "--json", folder))
    if len(windows) != 30:
        fail("windows", f"are {len(windows)}")
    # In order of their making: the fifth is that of put_and_get_wrong.
    fifth = next(one for one in windows if one["window"] == "W5")
    parts = [(one["ranks"], one["size"], one["displacement_unit"]) for one in fifth["parts"]]
    functions = sorted((one["called"], one["type"], one["ranks"], one["calls"], one["bytes"]) for one in fifth["functions"])
    if fifth["labels"] != ["pair"] or any(one["labels"] for one in windows if one is not fifth):
        fail("windows", f"are called {[one['labels'] for one in windows]}")
    if parts != [([[0, options.ranks - 1]], 256, 4)] or fifth["bytes"] != 32 or functions != [
            (GET, "MPI_INT", [[0, 0]], 1, 16), (PUT, "MPI_INT", [[0, 0]], 1, 16)]:
        fail("windows", f"has {fifth}")
    text = answer(options, "uses", "--by", "window", folder)
    fifth = text[text.index("W5 "):].split("\n\n")[0]
    if not fifth.startswith('W5 "pair"  MPI_Win_create in ') or "rank 1 [AAA!BBB." not in fifth or "A MPI_Put 4 x MPI_INT by rank 0 in put_and_get_wrong" not in fifth:
        fail("windows", f"draws {fifth}")
    later = answer(options, "uses", "--by", "window", "--epoch", "77", folder)
    third = later[later.index("W3 "):].split("\n\n")[0]
    if "after MPI_Win_fence number 77" not in third or "rank 2 [...!" not in third:
        fail("windows", f"draws {third}")


def check_fortran(options):
    found, _ = conflicts(options, trace_of(options, options.fortran, "fortran"))
    told = sorted((one["call_site"][0]["function"].rpartition("_MOD_")[2].rstrip("_"), one["count"], one["ranks"]) for one in found)
    if told != [("put_by_f08_wrong", 1, [[0, 1]]), ("put_by_mpi_wrong", 1, [[0, 1]])]:
        fail("fortran", f"finds {told}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--fortran", help="the same in Fortran: another program")
    options = script.options_of(parser)
    check_c(options)
    if options.fortran:
        check_fortran(options)
    return script.outcome()


sys.exit(main())
