#!/usr/bin/env python3
"""Which collective operations each process called stands in its trace, communicator by communicator, exactly as the program
itself knows it; and what is not known after a call that failed, MPI_Pcontrol, or a signal."""
import collections
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from folded import unfolded  # noqa: E402
from script import fail  # noqa: E402
from trace_schema import TraceSchema  # noqa: E402


def without_mangling(called):
    return re.sub(r"(_f08(ts)?)?_*$", "", called.lower()) if called.islower() else called


def words(value):
    return value if isinstance(value, str) and not value.startswith("in ") else json.dumps(value, separators=(",", ":"))


def told_by(file):
    """{communicator: [call, ...]}, each as a line."""
    calls = collections.defaultdict(list)
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            communicator, call = line.rstrip("\n").split(" ", 1)
            calls[int(communicator)].append(call)
    return calls


def recorded(file, schema):
    """The same as the trace has it, what is undecided of it, and how many lines of each kind there are."""
    calls, sequences, found, undecided = [], {}, {}, {}
    kinds = collections.Counter()
    with open(file, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            kinds[line["record"]] += 1
            if line["record"] in ("collective", "sequence", "collectives"):
                schema.validate(line)
            if line["record"] == "collective":
                if line["id"] != len(calls):
                    fail(file, f"{line} is number {len(calls)}")
                members = [without_mangling(line["called"]), *(words(line[key]) for key in ("root", "op", "send", "receive"))]
                calls.append(" ".join(members))
            elif line["record"] == "sequence" and line.get("of") == "collectives":
                sequences[line["id"]] = [calls[number] for number in unfolded(line["operations"])]
            elif line["record"] == "collectives":
                communicator = -1 if line["communicator"] == "MPI_COMM_WORLD" else line["communicator"]
                if communicator in found:
                    fail(file, f"communicator {communicator} stands twice")
                found[communicator] = sequences[line["sequence"]]
                if "undecided" in line:
                    undecided[communicator] = line["undecided"]
    return found, undecided, kinds


def run(options, what):
    """The files of the ranks' traces, with what each told. Where all ranks are killed nobody asks for the job's status: the
    launcher of MPICH 4.2.1 gives 0 for one in five such jobs, without ddtscope, too."""
    folder, told = (os.path.join(options.work, what + end) for end in ("", ".told"))
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    job = subprocess.run(
        [options.launcher, *more, "-n", str(options.ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--",
         options.program, what, told], cwd=options.work, env={**script.base_environment(), "DDTSCOPE_MERGE": "off"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=300, check=False)
    if job.returncode != 0 and what != "killed":
        fail(what, f"ends with {job.returncode}: {job.stderr}")
    return [(os.path.join(folder, f"rank-{rank}.jsonl"), told_by(f"{told}.{rank}")) for rank in range(options.ranks)]


def check(options, what, schema, undecided=None):
    for file, told in run(options, what):
        found, not_known, kinds = recorded(file, schema)
        for communicator in sorted(set(told) | set(found)):
            wanted, had = told.get(communicator, []), found.get(communicator, [])
            if wanted != had:
                place = next((i for i, (a, b) in enumerate(zip(wanted, had)) if a != b), min(len(wanted), len(had)))
                fail(what, f"{file}: communicator {communicator}: {len(wanted)} calls, the trace has {len(had)}; call {place} is "
                           f"{wanted[place:place + 1]}, not {had[place:place + 1]}")
        wanted = {-1: [len(told[-1]), undecided]} if undecided else {}
        if not_known != wanted:
            fail(what, f"{file}: undecided are {not_known}, not {wanted}")
        if kinds["messages"] != 1:
            fail(what, f"{file}: {kinds}")
        if kinds["collective"] > 200 or kinds["sequence"] > 50:
            fail(what, f"{file} is not folded: {kinds}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True, help="trace.schema.json")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--only", default="plain,threads,fails,stops,killed", help="what is done, with commas")
    options = script.options_of(parser)
    schema = TraceSchema(options.schema)
    only = options.only.split(",")
    for what in {"plain", "threads"} & set(only):
        check(options, what, schema)
    if "fails" in only:
        options.ranks, ranks = min(options.ranks, 2), options.ranks
        failing(options, schema)
        options.ranks = ranks
    if "stops" in only:
        check(options, "stops", schema, "switched off")
    if "killed" in only:
        for file, _ in run(options, "killed"):
            found, _, kinds = recorded(file, schema)
            if found or kinds["messages"] or kinds["end"]:
                fail("killed", f"{file}: {kinds}")
    return script.outcome()


def failing(options, schema):
    """Of the call that failed, and of those behind it, nobody knows."""
    for file, told in run(options, "fails"):
        found, not_known, _ = recorded(file, schema)
        known = len(told[-1])
        if found[-1][:known] != told[-1] or not_known != {-1: [known, "failed"]}:
            fail("fails", f"{file}: {found} {not_known}")


sys.exit(main())
