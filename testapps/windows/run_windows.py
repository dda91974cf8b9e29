#!/usr/bin/env python3
"""One-sided calls that reach beyond their targets' windows are found, and nothing in their twins that stay within: the cases
of windows.c, by the text of MPI-4.1 12.3. Joined by the ranks or by `ddtscope merge` the traces say the same."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

CREATE = "MPI_Win_create"


def plan(ranks):
    """case: (function, the window's, how often, words of the message); None where all is right."""
    return {
        "put": None,
        "put_beyond": ("MPI_Put", CREATE, ranks, "accesses 10 x MPI_DOUBLE at displacement 95 of rank 1's window: bytes 760 to 839, "
                                                 "and the window has 800 bytes."),
        "unit_of_bytes": None,
        "unit_of_bytes_beyond": ("MPI_Put", CREATE, ranks, "at displacement 760 of rank 1's window: bytes 760 to 839,"),
        "smaller": None,
        "smaller_beyond": ("MPI_Put", CREATE, 1, "of rank 1's window: bytes 360 to 439, and the window has 400 bytes."),
        "below": None,
        "below_beyond": ("MPI_Get", CREATE, ranks, "x T1 at displacement 0 of rank 1's window: bytes -8 to 7,"),
        "spread": None,
        "spread_beyond": ("MPI_Put", CREATE, ranks, "accesses 6 x T1 at displacement 0 of rank 1's window: bytes 0 to 87, and the window "
                                                    "has 80 bytes."),
        "each": None,
        "each_beyond": ("MPI_Get", CREATE, ranks * 101, "at displacements 0 to 100 of rank 1's window: bytes 0 to 807,"),
        "add": None,
        "add_beyond": ("MPI_Fetch_and_op", CREATE, ranks, "accesses 1 x MPI_LONG at displacement 100 of rank 1's window"),
        "reverse": None,
        "reverse_beyond": ("MPI_Put", CREATE, 1, "of rank 0's window: bytes 8 to 87, and the window has 80 bytes."),
        "allocated": None,
        "allocated_beyond": ("MPI_Get", "MPI_Win_allocate", ranks, "of rank 1's window: bytes 80 to 87, and the window has 80 bytes."),
        "dynamic": None,
        "nobody": None,
        "next": None,
    }


def run_job(options, folder, words, environment):
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    return subprocess.run([options.launcher, *more, "-n", str(options.ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder,
                           "--", *words], cwd=options.work, env={**script.base_environment(), **environment}, capture_output=True, text=True,
                          check=False, timeout=120)


def lines_of(folder):
    with open(os.path.join(folder, "trace.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def checked(options, name, folder):
    run = subprocess.run([options.ddtscope, "check", "--json", folder], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        fail(name, f"check ends with {run.returncode}: {run.stderr}")
        return None
    return [finding for finding in json.loads(run.stdout)["findings"] if finding["id"] == "window-range"]


def check(options, name, words, wanted):
    folder = os.path.join(options.work, name)
    job = run_job(options, folder, words, {})
    if job.returncode != 0:
        fail(name, f"ends with {job.returncode}: {job.stderr}")
        return
    found = checked(options, name, folder)
    if found is None:
        return
    told = [(finding["severity"], finding["called"].replace("_f08ts_", "_f08_"), finding["other"]["called"].replace("_f08ts_", "_f08_"),
             finding["count"]) for finding in found]
    if told != ([("error", *wanted[:3])] if wanted else []):
        fail(name, f"finds {found}")
    elif wanted and wanted[3] not in found[0]["message"]:
        fail(name, f"says {found[0]['message']}")
    elif wanted and not all(party["call_site"] for party in (found[0], found[0]["other"])):
        fail(name, f"does not say where: {found[0]}")


def check_merged(options):
    """Ranks that do not join their traces, and `ddtscope merge`."""
    folder = os.path.join(options.work, "apart")
    run_job(options, folder, [options.program, "each_beyond"], {"DDTSCOPE_MERGE": "off"})
    whole = os.path.join(options.work, "merged.jsonl")
    run = subprocess.run([options.ddtscope, "merge", folder, "-o", whole], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        fail("merge", f"ends with {run.returncode}: {run.stderr}")
        return
    apart, merged = checked(options, "apart", folder), checked(options, "merge", whole)
    told = [[(finding["message"], finding["count"], finding["ranks"]) for finding in findings] for findings in (apart, merged)]
    if told[0] != told[1] or len(told[0]) != 1:
        fail("merge", f"{told[0]} apart, {told[1]} merged")


def check_lines(options):
    """However often a loop turns, it is one line; what is dynamic has no size, and is judged by what was attached."""
    accesses = [line for line in lines_of(os.path.join(options.work, "each")) if line["record"] == "accesses"]
    if len(accesses) != options.ranks or any((one["lowest"], one["highest"], one["count"]) != (0, 99, 100) for one in accesses):
        fail("each", f"has the lines {accesses}")
    windows = [line for line in lines_of(os.path.join(options.work, "dynamic")) if line["record"] == "window"]
    if [(one["flavour"], one["size"], one["displacement_unit"]) for one in windows] != [("dynamic", None, None)]:
        fail("dynamic", f"has the lines {windows}")
    run = subprocess.run([options.ddtscope, "check", os.path.join(options.work, "dynamic")], capture_output=True, text=True, check=False)
    if "not judged" in run.stdout:
        fail("dynamic", f"check says {run.stdout}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--fortran", help="the same in Fortran: another program")
    options = script.options_of(parser)
    cases = plan(options.ranks)
    for name, wanted in cases.items():
        check(options, name, [options.program, name], wanted)
    if options.fortran:
        of_fortran = {"put": None, "f08": None,
                      "put_beyond": ("mpi_put_", "mpi_win_create_", options.ranks, "bytes 728 to 807, and the window has 800 bytes."),
                      "f08_beyond": ("mpi_put_f08_", "mpi_win_create_f08_", options.ranks, "bytes 728 to 807,")}
        for name, wanted in of_fortran.items():
            check(options, "fortran_" + name, [options.fortran, name], wanted)
    check_lines(options)
    check_merged(options)
    return script.outcome()


sys.exit(main())
