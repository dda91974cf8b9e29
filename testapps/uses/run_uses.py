#!/usr/bin/env python3
"""What a program does with types is counted as the standard has it: the plan of uses.c, call by call, of both ranks together.
Right whether the job ends in order and the ranks join their traces, or `ddtscope merge` does, or it is killed."""
import collections
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402

COLUMN = "T1"  # 4 doubles

# (function, argument, type): calls, elements, smallest and largest count; sums over ranks 0 and 1.
PLAN = {
    ("Irecv", "datatype", COLUMN): (20, 20, 1, 1),
    ("Isend", "datatype", COLUMN): (20, 20, 1, 1),
    ("Send", "datatype", COLUMN): (2, 0, 0, 0),
    ("Recv", "datatype", COLUMN): (2, 0, 0, 0),
    ("Sendrecv", "sendtype", "MPI_INT"): (2, 10, 5, 5),
    ("Sendrecv", "recvtype", "MPI_INT"): (2, 12, 6, 6),
    ("Sendrecv", "sendtype", "MPI_SHORT"): (2, 0, 0, 0),
    ("Sendrecv", "recvtype", "MPI_SHORT"): (2, 0, 0, 0),
    ("Sendrecv_replace", "datatype", "MPI_INT"): (2, 18, 9, 9),
    ("Isend", "datatype", "MPI_CHAR"): (2, 8, 4, 4),
    ("Mrecv", "datatype", "MPI_CHAR"): (4, 80, 0, 40),
    ("Recv_init", "datatype", COLUMN): (2, 0, 0, 0),
    ("Send_init", "datatype", COLUMN): (2, 0, 0, 0),
    ("Startall", "datatype", COLUMN): (12, 2 * 3 * (4 + 2), 2, 4),
    ("Start", "datatype", COLUMN): (4, 2 * (4 + 2), 2, 4),
    ("Bcast", "datatype", "MPI_DOUBLE"): (2, 14, 7, 7),
    ("Gather", "sendtype", "MPI_INT"): (2, 6, 3, 3),
    ("Gather", "recvtype", "MPI_INT"): (1, 6, 3, 3),
    ("Gather", "sendtype", "MPI_FLOAT"): (1, 2, 2, 2),
    ("Gather", "recvtype", "MPI_FLOAT"): (1, 4, 2, 2),
    ("Scatter", "sendtype", "MPI_INT"): (1, 8, 4, 4),
    ("Scatter", "recvtype", "MPI_INT"): (1, 4, 4, 4),
    ("Allgather", "sendtype", "MPI_INT"): (2, 4, 2, 2),
    ("Allgather", "recvtype", "MPI_INT"): (2, 8, 2, 2),
    ("Allgatherv", "sendtype", "MPI_INT"): (2, 5, 2, 3),
    ("Allgatherv", "recvtype", "MPI_INT"): (2, 10, 2, 3),
    ("Alltoall", "sendtype", "MPI_INT"): (2, 8, 2, 2),
    ("Alltoall", "recvtype", "MPI_INT"): (2, 8, 2, 2),
    ("Alltoall", "recvtype", "MPI_LONG"): (2, 8, 2, 2),
    # Rank 0: {1 MPI_INT, 0 columns}; rank 1: {1 MPI_INT, 1 MPI_INT}. Received: {1, 1}, {0, 1}, all MPI_INT.
    ("Alltoallw", "sendtypes", "MPI_INT"): (2, 3, 1, 1),
    ("Alltoallw", "sendtypes", COLUMN): (1, 0, 0, 0),
    ("Alltoallw", "recvtypes", "MPI_INT"): (2, 3, 0, 1),
    ("Allreduce", "datatype", "MPI_INT"): (2, 10, 5, 5),
    ("Reduce", "datatype", "MPI_INT"): (2, 12, 6, 6),
    ("Reduce_scatter", "datatype", "MPI_INT"): (2, 10, 2, 3),
    ("Reduce_scatter_block", "datatype", "MPI_INT"): (2, 16, 4, 4),
    ("Iallreduce", "datatype", "MPI_INT"): (2, 16, 8, 8),
    # Alone in the first communicator, two in the second.
    ("Allgather", "sendtype", "MPI_UNSIGNED"): (4, 4, 1, 1),
    ("Allgather", "recvtype", "MPI_UNSIGNED"): (4, 2 * 1 + 2 * 2, 1, 1),
    ("Alltoall", "sendtype", "MPI_UNSIGNED_SHORT"): (2, 6, 3, 3),
    ("Alltoall", "recvtype", "MPI_UNSIGNED_SHORT"): (2, 6, 3, 3),
    # Rank 0 is the root, and sends nothing; rank 1 is the one process of the other group.
    ("Gather", "sendtype", "MPI_UNSIGNED_CHAR"): (1, 2, 2, 2),
    ("Gather", "recvtype", "MPI_UNSIGNED_CHAR"): (1, 2, 2, 2),
    ("Neighbor_alltoall", "sendtype", "MPI_INT8_T"): (2, 6, 3, 3),
    ("Neighbor_alltoall", "recvtype", "MPI_INT8_T"): (2, 6, 3, 3),
    ("Neighbor_allgatherv", "sendtype", "MPI_INT16_T"): (2, 4, 2, 2),
    ("Neighbor_allgatherv", "recvtype", "MPI_INT16_T"): (2, 4, 2, 2),
    ("Put", "origin_datatype", "MPI_INT"): (2, 8, 4, 4),
    ("Put", "target_datatype", "MPI_INT"): (2, 8, 4, 4),
    ("Get", "origin_datatype", "MPI_INT"): (4, 6, 0, 3),
    ("Get", "target_datatype", "MPI_INT"): (4, 6, 0, 3),
    ("Accumulate", "origin_datatype", "MPI_INT"): (2, 4, 2, 2),
    ("Accumulate", "target_datatype", "MPI_INT"): (2, 4, 2, 2),
    ("Get_accumulate", "result_datatype", "MPI_INT"): (2, 4, 2, 2),
    ("Get_accumulate", "target_datatype", "MPI_INT"): (2, 4, 2, 2),
    ("Fetch_and_op", "datatype", "MPI_INT"): (2, 2, 1, 1),
    ("File_set_view", "etype", "MPI_DOUBLE"): (2, 0, 0, 0),
    ("File_set_view", "filetype", COLUMN): (2, 0, 0, 0),
    ("File_write", "datatype", "MPI_DOUBLE"): (2, 16, 8, 8),
    ("File_read_at", "datatype", "MPI_DOUBLE"): (2, 8, 4, 4),
    ("File_read_at_all_begin", "datatype", "MPI_DOUBLE"): (2, 4, 2, 2),
    ("Pack", "datatype", COLUMN): (2, 4, 2, 2),
    ("Unpack", "datatype", COLUMN): (2, 4, 2, 2),
    ("Reduce_local", "datatype", "MPI_INT"): (2, 22, 11, 11),
    ("Send", "datatype", "MPI_UNSIGNED_LONG"): (2, 0, 5, 5),
}
# What statuses told: each message is of the count that was posted.
RECEIVED = {("Irecv", COLUMN): 2 * 10 * 32, ("Startall", COLUMN): 2 * 3 * 2 * 32, ("Start", COLUMN): 2 * 2 * 32}
SIZES = {COLUMN: 32, "MPI_INT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_FLOAT": 4, "MPI_LONG": 8}


OF_WINDOWS = {"Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op"}


def record(options, folder, *arguments, **settings):
    environment = script.base_environment()
    environment.update(DDTSCOPE_QUIET="1", **settings)
    return subprocess.run([options.launcher, "-n", "2", options.ddtscope, "exec", "-o", folder, "--",
                           options.program, *arguments], cwd=options.work, env=environment, capture_output=True, text=True,
                          check=False)


def read(options, *arguments):
    result = subprocess.run([options.ddtscope, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(" ".join(arguments), f"status {result.returncode}: {result.stderr}")
        return ""
    return result.stdout


def check_uses(options, folder, what):
    uses = json.loads(read(options, "uses", folder, "--json") or "[]")
    found = collections.defaultdict(lambda: [0, 0, None, 0])
    received = collections.Counter()
    for use in uses:
        total = found[use["called"].removeprefix("MPI_"), use["argument"], use["type"]]
        total[0] += use["calls"]
        total[1] += use["elements"]
        total[2] = use["smallest_count"] if total[2] is None else min(total[2], use["smallest_count"])
        total[3] = max(total[3], use["largest_count"])
        if use["received_bytes"] is not None:
            received[use["called"].removeprefix("MPI_"), use["type"]] += use["received_bytes"]
        if use["binding"] != "c":
            fail(what, f"{use['called']}: binding {use['binding']}")
        if use["type"] in SIZES and use["bytes"] != use["elements"] * SIZES[use["type"]]:
            fail(what, f"{use['called']} {use['type']}: {use['bytes']} bytes of {use['elements']} elements")
        if not use["call_site"] or not use["call_site"][0]["file"].endswith("uses.c"):
            fail(what, f"{use['called']}: call site {use['call_site'][:1]}")
    if received != RECEIVED:
        fail(what, f"received {received}, should be {RECEIVED}")
    for key in PLAN.keys() | found.keys():
        if PLAN.get(key) != (tuple(found[key]) if key in found else None):
            fail(what, f"{key}: {found.get(key)}, should be {PLAN.get(key)}")
    order = [use["bytes"] for use in uses]
    if order != sorted(order, reverse=True):
        fail(what, "not in the order of bytes")
    keys = [(u["type"], u["called"], u["argument"], json.dumps(u["call_site"])) for u in uses]
    if len(set(keys)) != len(keys):
        fail(what, "two uses agree in all that tells them apart")
    types = json.loads(read(options, "types", folder, "--json") or "[]")
    if [u for t in types for u in t["uses"]] != [u for u in uses if u["type"] == COLUMN]:
        fail(what, "`types --json` has other uses")
    return uses


def check_text(options, folder, uses):
    """What reads alike is one line; by type and site there are sums."""
    place = re.compile(r"\S.* \(uses.c:\d+\)(, inlined into \w+)?( and at \d+ other call sites?)?$")
    columns = {"bytes": ("type", "called", "argument", "call_site"), "calls": ("type", "called", "argument", "call_site"),
               "type": ("type",), "site": ("call_site",)}
    for by, members in columns.items():
        lines = read(options, "uses", folder, "--by", by).splitlines()[1:]
        if sum(int(re.split(r"  +", line)[1].replace(",", "")) for line in lines) != sum(u["calls"] for u in uses):
            fail(f"uses --by {by}", "other calls")
        groups = {tuple(f"{u[m][0]['function']} {u[m][0]['line']}" if m == "call_site" else u[m] for m in members) for u in uses}
        if len(lines) != len(groups) or not all(place.search(line) for line in lines):
            fail(f"uses --by {by}", f"{len(lines)} lines of {len(groups)} groups: {lines[:3]}")


def check_selection(options, folder, uses):
    for pattern, member in (("MPI_Isend", "called"), ("recv*", "argument"), (COLUMN, "type")):
        wanted = [u for u in uses if fnmatch.fnmatchcase(u[member], pattern)]
        if not wanted or json.loads(read(options, "uses", folder, "--filter", pattern, "--json")) != wanted:
            fail("uses --filter", pattern)
    if json.loads(read(options, "uses", folder, "--filter", "uses.c", "--json")) != uses:
        fail("uses --filter", "a file's name")
    if "no such thing" not in read(options, "uses", folder, "--filter", "no such thing"):
        fail("uses --filter", "nothing is found, and that is not said")
    by_calls = sorted(uses, key=lambda use: -use["calls"])
    if by_calls == uses or json.loads(read(options, "uses", folder, "--by", "calls", "--json")) != by_calls:
        fail("uses --by calls --json", "the order")
    rows = list(csv.DictReader(read(options, "uses", folder, "--by", "calls", "--csv").splitlines()))
    if [row["calls"] for row in rows] != [str(use["calls"]) for use in by_calls]:
        fail("uses --by calls --csv", "the order")
    rows = list(csv.DictReader(read(options, "uses", folder, "--csv").splitlines()))
    for row, use in zip(rows, uses):
        for member in ("type", "called", "binding", "argument", "calls", "elements", "bytes", "smallest_count", "largest_count"):
            if row[member] != str(use[member]):
                fail("uses --csv", f"{member}: {row[member]}, should be {use[member]}")
        if "(uses.c:" not in row["where"]:
            fail("uses --csv", row["where"])
    if len(rows) != len(uses):
        fail("uses --csv", f"{len(rows)} rows of {len(uses)} uses")


def check_short_of_memory(options, native):
    """Uses that there is no memory for are told by function and number, in words too, and nothing is then told as unused."""
    folder = os.path.join(options.work, "short")
    script.expect_same(record(options, folder, DDTSCOPE_MAX_MEMORY="100"), native, "short of memory")
    unrecorded = json.loads(read(options, "summary", folder, "--json"))["unrecorded"]
    of_uses = [one for one in unrecorded if "its uses of datatypes" in one["why"]]
    known = collections.Counter()
    for one in of_uses:
        known[one["called"].removeprefix("MPI_")] += one["count"]
    for use in json.loads(read(options, "uses", folder, "--json")):
        known[use["called"].removeprefix("MPI_")] += use["calls"]
    planned = collections.Counter()
    for (function, _, _), (calls, *_) in PLAN.items():
        planned[function] += calls
    # A derived type is not known without memory, and neither is what a persistent request was made for.
    for function in {key[0] for key in PLAN} - {key[0] for key in PLAN if key[2] == COLUMN}:
        if known[function] != planned[function]:
            fail("short of memory", f"{function}: {known[function]} uses counted or told, should be {planned[function]}")
    if not any(one["called"] == "MPI_Bcast" and one["count"] == 2 and one["ranks"] == [[0, 1]] for one in of_uses):
        fail("short of memory", f"MPI_Bcast is not told of both ranks: {of_uses}")
    for verb in ("uses", "summary", "check"):
        said = subprocess.run([options.ddtscope, verb, folder], capture_output=True, text=True, check=False).stdout
        if not re.search(r"^Not recorded\n(.*\n)* +2  MPI_Bcast: there was no memory to count its uses of datatypes \(DDTSCOPE_MAX_MEMORY\) "
                         r"\(ranks 0-1\)$", said, re.MULTILINE):
            fail("short of memory", f"{verb} does not say it: {said[-600:]}")
        if "unused-type" in said:
            fail("short of memory", f"{verb} tells a type as unused")
    listed = subprocess.run([options.ddtscope, "uses", "--csv", folder], capture_output=True, text=True, check=False)
    if "not all uses were recorded" not in listed.stderr:
        fail("short of memory", f"uses --csv does not say it: {listed.stderr}")


def main():
    options = script.options_of(script.parser(__doc__))
    folder = os.path.join(options.work, "t")
    native = subprocess.run([options.launcher, "-n", "2", options.program], cwd=options.work, env=script.base_environment(), capture_output=True,
                            text=True, check=False)
    if script.may_lack_windows(native, script.base_environment()):
        for key in [key for key in PLAN if key[0] in OF_WINDOWS]:
            del PLAN[key]
    script.expect_same(record(options, folder), native, "whole")
    if os.listdir(folder) != ["trace.jsonl"]:
        fail("whole", f"the ranks did not join their traces: {os.listdir(folder)}")
    whole = check_uses(options, folder, "whole")

    apart = os.path.join(options.work, "apart")
    record(options, apart, DDTSCOPE_MERGE="off")
    check_uses(options, apart, "ranks apart")
    joined = os.path.join(options.work, "joined")
    read(options, "merge", apart, "-o", joined)
    if check_uses(options, joined, "merged") != whole:
        fail("merged", "`ddtscope merge` says other things than the ranks")

    killed = os.path.join(options.work, "killed")
    record(options, killed, "kill")
    check_uses(options, killed, "killed")

    off = os.path.join(options.work, "off")
    script.expect_same(record(options, off, DDTSCOPE_USES="off"), native, "off")
    if json.loads(read(options, "uses", off, "--json")) != []:
        fail("off", "uses are recorded")
    if read(options, "uses", off) != "No uses were recorded: DDTSCOPE_USES was off.\n":
        fail("off", "the report does not say that uses were not recorded")

    little = os.path.join(options.work, "little")
    script.expect_same(record(options, little, DDTSCOPE_STACK="0"), native, "no stacks")
    if sum(u["calls"] for u in json.loads(read(options, "uses", little, "--json"))) != sum(p[0] for p in PLAN.values()):
        fail("no stacks", "other calls")

    check_short_of_memory(options, native)
    if "Bytes moved by derived types" not in read(options, "summary", folder):
        fail("summary", "says no bytes moved")
    check_text(options, folder, whole)
    check_selection(options, folder, whole)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
