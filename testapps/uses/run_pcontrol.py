#!/usr/bin/env python3
"""MPI_Pcontrol(0) stops the counting of uses, and (1) starts it again: the trace says where, what is missing is not taken for
unused, and other tools hear of it as ever."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, expect_same, fail  # noqa: E402
from trace_schema import TraceSchema  # noqa: E402

RANKS = 2


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True, help="trace.schema.json")
    parser.add_argument("--tool", required=True, help="a module with an MPI_Pcontrol of its own")
    parser.add_argument("--fortran", help="a program in Fortran")
    return script.options_of(parser)


def launch(options, *words, **settings):
    env = {**base_environment(), **settings}
    return subprocess.run([options.launcher, "-n", str(RANKS), *words], cwd=options.work, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def record(options, name, program, *words, tool=None, **settings):
    folder = os.path.join(options.work, name)
    preload = ["/usr/bin/env", "LD_PRELOAD=" + tool] if tool else []
    result = launch(options, *preload, options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--", program, *words, **settings)
    if result.returncode != 0:
        fail(name, f"ends with {result.returncode}: {result.stderr}")
    return result, folder


def read(options, *words):
    return subprocess.run([options.ddtscope, *words], capture_output=True, text=True, check=False).stdout


def switches_of(document):
    return sorted(
        (one["of"], one["state"], one["level"], one["called"], one["binding"], one["count"], one["ranks"], one["call_site"][0]["function"],
         one["call_site"][0]["line"]) for one in document["switches"])


def calls_of(options, folder, binding="c"):
    """Calls and elements of each function and type."""
    sums = {}
    for use in json.loads(read(options, "uses", folder, "--json")):
        if use["binding"] != binding:
            continue
        calls, elements = sums.get((use["called"], use["type"]), (0, 0))
        sums[use["called"], use["type"]] = (calls + use["calls"], elements + use["elements"])
    return sums


def line_of(program_source, text, which=0):
    with open(program_source, encoding="utf-8") as source:
        return [number for number, line in enumerate(source, 1) if text in line][which]


def check_recorded(options, name, folder, stops_at_the_end):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "controlled.c")
    stop, start = line_of(source, "MPI_Pcontrol(0)"), line_of(source, "MPI_Pcontrol(2,")
    everybody = [[0, RANKS - 1]]
    summary, check = (json.loads(read(options, verb, "--json", folder)) for verb in ("summary", "check"))
    # Two stacks lead to stop(): the first of the two calls in the loop, and the one at the end.
    stops = [("uses", "off", 0, "MPI_Pcontrol", "c", 3 * RANKS, everybody, "stop", stop)]
    if stops_at_the_end:
        stops.insert(0, ("uses", "off", 0, "MPI_Pcontrol", "c", RANKS, everybody, "stop", stop))
    wanted = [*stops, ("uses", "on", 2, "MPI_Pcontrol", "c", 3 * RANKS, everybody, "main", start)]
    for verb, document in (("summary", summary), ("check", check)):
        if switches_of(document) != wanted:
            fail(name, verb, f"{switches_of(document)}, should be {wanted}")
    # T1 is what was used while all was counted; of a request that was made before, the start is.
    calls = {("MPI_Bcast", "T1"): ((1 if stops_at_the_end else 2) * RANKS,) * 2, ("MPI_Allreduce", "MPI_INT"): (RANKS, 5 * RANKS),
             ("MPI_Recv_init", "T1"): (2 * RANKS, 0), ("MPI_Start", "T1"): (RANKS, 0)}
    if calls_of(options, folder) != calls:
        fail(name, "uses", f"{calls_of(options, folder)}, should be {calls}")
    if any(finding["id"] == "unused-type" for finding in check["findings"]):
        fail(name, "types are told as unused, though not all uses were counted")
    end = " or the end of the job." if stops_at_the_end else "."
    told = subprocess.run([options.ddtscope, "uses", folder, "--json"], capture_output=True, text=True, check=False).stderr
    if "not all uses were recorded" not in told:
        fail(name, "uses --json", "does not say that some are missing")
    for verb in ("summary", "check", "uses"):
        lines = [line for line in read(options, verb, folder).splitlines() if line.startswith("Not recorded: uses between ")]
        if (len(lines) != 1 or f"MPI_Pcontrol(0) in stop (controlled.c:{stop})" not in lines[0] or not lines[0].endswith(end)
                or f" and MPI_Pcontrol(2) in main (controlled.c:{start}), 6 times on ranks 0-1" not in lines[0]):
            fail(name, verb, f"the lines are {lines}")


def check_trace(options, folder):
    schema = TraceSchema(options.schema)
    for file in os.listdir(folder):
        with open(os.path.join(folder, file), encoding="utf-8") as source:
            lines = [json.loads(line) for line in source]
        for line in lines:
            problem = schema.problem_of(line)
            if problem:
                fail(file, problem)
        if sum(line["record"] == "switch" for line in lines) == 0:
            fail(file, "says nothing of MPI_Pcontrol")


def check_fortran(options):
    _, folder = record(options, "fortran", options.fortran, DDTSCOPE_QUIET="1")
    summary = json.loads(read(options, "summary", "--json", folder))
    found = sorted((one["binding"], one["state"], one["level"], one["count"], one["call_site"][0]["function"]) for one in summary["switches"])
    wanted = sorted((binding, state, level, RANKS, function) for state, level in (("off", 0), ("on", 1))
                    for binding, function in (("mpif.h", "by_mpi_"), ("mpi_f08", "by_f08_")))
    if [one[:4] for one in found] != [one[:4] for one in wanted]:
        fail("fortran", f"{found}, should be {wanted}")
    elements = [sorted(calls_of(options, folder, binding).values()) for binding in ("mpif.h", "mpi_f08")]
    if elements != [[(RANKS, 3 * RANKS)], [(RANKS, 2 * RANKS)]]:
        fail("fortran", f"calls and elements are {elements}")


def main():
    options = arguments()
    native = launch(options, options.program)
    for words, name in (([], "whole"), (["stop"], "stops at the end")):
        result, folder = record(options, name, options.program, *words, DDTSCOPE_QUIET="1")
        expect_same(result, native, name)
        check_recorded(options, name, folder, bool(words))
        check_trace(options, folder)
        _, apart = record(options, name + " apart", options.program, *words, DDTSCOPE_QUIET="1", DDTSCOPE_MERGE="off")
        check_recorded(options, name + " apart", apart, bool(words))
        check_trace(options, apart)
        joined = os.path.join(options.work, name + " joined")
        read(options, "merge", apart, "-o", joined)
        check_recorded(options, name + " joined", joined, bool(words))
        check_trace(options, joined)
    off, folder = record(options, "off", options.program, DDTSCOPE_QUIET="1", DDTSCOPE_USES="off")
    if json.loads(read(options, "summary", "--json", folder))["switches"]:
        fail("off", "there was nothing to be stopped")

    # Another tool hears what it always heard.
    heard = launch(options, "/usr/bin/env", "LD_PRELOAD=" + options.tool, options.program)
    result, folder = record(options, "tool", options.program, tool=options.tool, DDTSCOPE_QUIET="1")
    if sorted(heard.stdout.splitlines()) != sorted(result.stdout.splitlines()) or "level 2 words 3.5 7 1.5 11 12 13 14 15\n" not in heard.stdout:
        fail("tool", f"hears {result.stdout!r}, alone {heard.stdout!r}")
    check_recorded(options, "tool", folder, False)
    if options.fortran:
        check_fortran(options)


if __name__ == "__main__":
    main()
    sys.exit(script.outcome())
