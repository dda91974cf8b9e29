#!/usr/bin/env python3
"""Calls about windows outside of the epochs that allow them are found, and nothing in programs that keep to them in any mode of
synchronisation: epochs.c, by the text of MPI-4.1 12.5; and results that are used before the call that completes their
operation: local_side.c, by 12.7. Each function of the programs is one case."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

# function: (called, argument, words of the message), in each of the three processes
WRONG = {
    "put_without_epoch": ("MPI_Put", "win", "accesses rank 1 of the window outside of any epoch: no MPI_Win_fence, MPI_Win_start, "),
    "get_behind_nosucceed": ("MPI_Get", "win", "the last MPI_Win_fence has MPI_MODE_NOSUCCEED and begins none."),
    "accumulate_behind_unlock": ("MPI_Accumulate", "win", "outside of any epoch"),
    "get_not_locked": ("MPI_Get", "target_rank", "which is not locked: rank 1 is."),
    "put_beside_group": ("MPI_Put", "target_rank", "which is not in the group that MPI_Win_start was given."),
    "complete_without_start": ("MPI_Win_complete", "win", "ends an epoch that no MPI_Win_start has begun."),
    "unlock_without_lock": ("MPI_Win_unlock", "rank", "unlocks rank 1, which no MPI_Win_lock has locked."),
    "unlock_all_without_lock_all": ("MPI_Win_unlock_all", "win", "ends an epoch that no MPI_Win_lock_all has begun."),
    "flush_without_lock": ("MPI_Win_flush", "rank", "flushes rank 1, which is not locked"),
    "flush_local_all_without_lock": ("MPI_Win_flush_local_all", "win", "is called outside of the epochs of MPI_Win_lock"),
    "lock_twice": ("MPI_Win_lock", "rank", "locks rank 1, which this process has locked already."),
    "lock_within_fence": ("MPI_Win_lock", "win", "begins an epoch within that of MPI_Win_fence: "),
    "fence_within_lock": ("MPI_Win_fence", "win", "is called within the epoch of MPI_Win_lock: "),
    "put_behind_fence_and_lock": ("MPI_Put", "win", "accesses rank 1 of the window outside of any epoch: the last MPI_Win_fence begins none"),
    "rput_within_fence": ("MPI_Rput", "win", "accesses rank 1 of the window within the epoch of MPI_Win_fence: "),
}
USED = {"by_fence", "by_complete", "by_unlock", "by_unlock_all", "by_flush", "by_flush_local", "by_flush_all", "by_flush_local_all", "by_wait",
        "by_test", "of_request_by_flush", "of_get_accumulate", "of_rget_accumulate", "of_fetch_and_op", "of_compare_and_swap"}
FORTRAN = {("mpi_outside_", "mpi_put_"), ("mpi_outside_", "mpi_win_unlock_"), ("f08_outside_", "mpi_get_f08_"),
           ("f08_outside_", "mpi_win_flush_f08_")}


def run_job(options, name, words, ranks, environment=None, patience=200):
    folder = os.path.join(options.work, name)
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    job = subprocess.run([options.launcher, *more, "-n", str(ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--",
                          *words], cwd=options.work, env={**script.base_environment(), **(environment or {})}, capture_output=True,
                         text=True, check=False, timeout=patience)
    if job.returncode != 0:
        fail(name, f"ends with {job.returncode}: {job.stderr}")
    return folder, job


def findings_of(name, trace):
    run = subprocess.run([options_of_all.ddtscope, "check", "--json", trace], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        fail(name, f"check ends with {run.returncode}: {run.stderr}")
        return []
    return json.loads(run.stdout)["findings"]


def function_of(finding, depth=0):
    frames = finding["call_site"]
    return frames[depth]["function"] if len(frames) > depth else None


def lines_of(folder):
    with open(os.path.join(folder, "trace.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_wrong(options):
    folder, job = run_job(options, "wrong", [options.program, "wrong"], options.ranks)
    everything = findings_of("wrong", folder)
    found = [one for one in everything if one["id"] == "bad-argument"]
    by_function = {function_of(one): one for one in found}
    if by_function.keys() != WRONG.keys() or len(found) != len(WRONG):
        fail("wrong", f"finds {[(function_of(one), one['called'], one['message']) for one in found]}")
        return
    for function, (called, argument, words) in WRONG.items():
        one = by_function[function]
        # A rank's neighbour is told by its own number: the first rank's stands for all.
        if (one["called"], one["argument"], one["severity"]) != (called, argument, "error") or one["type"] is not None:
            fail("wrong", f"{function}: {one}")
        elif not re.search(r"rank \d+".join(map(re.escape, words.split("rank 1"))), one["message"]) or one["ranks"] != [[0, options.ranks - 1]]:
            fail("wrong", f"{function} says {one['message']} of {one['ranks']}")
    # Both libraries refuse it.
    failed = {(function_of(one), one["called"]) for one in everything if one["id"] == "failed-call"}
    if ("fence_within_lock", "MPI_Win_fence") not in failed:
        fail("wrong", f"has the failed calls {failed}")
    told = [line for line in job.stderr.splitlines() if "rank 0:" in line and "bad-argument" in line]
    if len(told) != len(WRONG) or WRONG["unlock_without_lock"][2][:-1] not in "".join(told):
        fail("wrong", f"tells {told}")


def check_right(options):
    folder, job = run_job(options, "right", [options.program, "right"], options.ranks)
    found = findings_of("right", folder)
    if found or "[bad-argument]" in job.stderr:
        fail("right", f"finds {found} and tells {job.stderr}")
    lines = lines_of(folder)
    kinds = {line["kind"] for line in lines if line["record"] == "window_event"}
    if kinds != {"fence", "post", "start", "complete", "wait", "lock", "unlock", "lock_all", "unlock_all", "flush", "flush_local", "access",
                 "completed"}:
        fail("right", f"has events {sorted(kinds)}")
    if any("undecided" in line for line in lines if line["record"] == "epochs"):
        fail("right", "has epochs that are undecided")
    attached = [line for line in lines if line["record"] == "attached"]
    if sum(last - first + 1 for line in attached for first, last in line["ranks"]) != options.ranks or \
            any([size for _, size in line["ranges"]] != [256] for line in attached):
        fail("right", f"has the lines {attached}")


def check_refused(options):
    """What follows an access that was none is right."""
    folder, _ = run_job(options, "refused", [options.program, "refused"], options.ranks)
    found = [(one["id"], one["called"]) for one in findings_of("refused", folder)]
    if any(one != ("failed-call", "MPI_Put") for one in found) or not found:
        fail("refused", f"finds {found}")


def check_threads(options):
    """Handles of requests that one thread has waited for are another's at once."""
    for name in ("threads", "threads_2", "threads_3", "threads_4"):
        try:
            folder, _ = run_job(options, name, [options.program, "threads"], options.ranks, patience=60)
            break
        except subprocess.TimeoutExpired:
            # Of which one of five such jobs hangs without ddtscope, too.
            if name == "threads_4" or "v6.0.0rc2" not in script.library_of(options, os.path.join(options.work, name)):
                raise
    if found := findings_of(name, folder):
        fail(name, f"finds {found}")


def check_dynamic(options):
    folder, _ = run_job(options, "dynamic_beyond", [options.program, "dynamic_beyond"], options.ranks)
    found = [one for one in findings_of("dynamic_beyond", folder) if one["id"] == "window-range"]
    told = {(one["called"], one["severity"], one["other"]["called"]) for one in found}
    if told != {("MPI_Get", "error", "MPI_Win_create_dynamic")} or "not all of the 264 bytes from address" not in found[0]["message"]:
        fail("dynamic_beyond", f"finds {found}")


def check_many(options):
    """Epochs of one shape are a constant, and ranks that do not join their traces say the same."""
    folder, _ = run_job(options, "many", [options.program, "many"], 1, {"DDTSCOPE_MERGE": "off"})
    whole = os.path.join(options.work, "many_merged")
    merged = subprocess.run([options.ddtscope, "merge", folder, "-o", whole], capture_output=True, text=True, check=False)
    if merged.returncode != 0:
        fail("many", f"merge ends with {merged.returncode}: {merged.stderr}")
        return
    (trace,) = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jsonl")]
    if os.path.getsize(trace) >= 256 << 10:
        fail("many", f"has a trace of {os.path.getsize(trace)} bytes")
    texts = []
    for path in (trace, os.path.join(whole, "trace.jsonl")):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        events = [{key: value for key, value in line.items() if key != "site"} for line in lines if line["record"] == "window_event"]
        sequences = [line["operations"] for line in lines if line["record"] == "sequence" and line.get("of") == "window_events"]
        texts.append((events, sequences))
    if texts[0] != texts[1] or len(texts[0][1]) != 1 or count_of(texts[0][1][0], texts[0][0]) != 1000000:
        fail("many", f"has {texts}")


def count_of(sequence, events):
    """Accesses."""
    return sum(one[0] * count_of(one[1], events) if isinstance(one, list)
               else events[one].get("times", 1) * (events[one]["kind"] == "access") for one in sequence)


def check_local_side(options):
    for name in ("too_early", "in_time"):
        folder, _ = run_job(options, name, [options.local_side, name], 1)
        found = [one for one in findings_of(name, folder) if one["id"] == "buffers-overlap"]
        functions = {function_of(one, 1) for one in found}
        if functions != (USED if name == "too_early" else set()):
            fail(name, f"misses {USED - functions} and has {functions - USED}")
        if [one for one in findings_of(name, folder) if one["id"] == "bad-argument"]:
            fail(name, "has calls outside of epochs")


def check_fortran(options):
    for name in ("wrong", "right"):
        folder, _ = run_job(options, "fortran_" + name, [options.fortran, name], 1)
        found = findings_of(name, folder)
        outside = {(function_of(one), one["called"].replace("_f08ts_", "_f08_")) for one in found if one["id"] == "bad-argument"}
        used = {function_of(one) for one in found if one["id"] == "buffers-overlap"}
        wanted = (FORTRAN, {"mpi_use_", "f08_use_"}) if name == "wrong" else (set(), set())
        if (outside, used) != wanted:
            fail("fortran_" + name, f"finds {outside} outside and {used} too early")


def main():
    check_wrong(options_of_all)
    check_right(options_of_all)
    check_refused(options_of_all)
    check_threads(options_of_all)
    check_dynamic(options_of_all)
    check_many(options_of_all)
    check_local_side(options_of_all)
    if options_of_all.fortran:
        check_fortran(options_of_all)
    return script.outcome()


parser_of_all = script.parser(__doc__)
parser_of_all.add_argument("--ranks", type=int, required=True)
parser_of_all.add_argument("--local-side", required=True, help="another program")
parser_of_all.add_argument("--fortran", help="both in Fortran: another program")
options_of_all = script.options_of(parser_of_all)
sys.exit(main())
