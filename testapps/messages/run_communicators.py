#!/usr/bin/env python3
"""A communicator has one name in all its processes, which no other one has, and the trace says who they are. What is one
communicator the program itself finds out, by sending numbers in it."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, fail  # noqa: E402
from trace_schema import TraceSchema  # noqa: E402


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True, help="trace.schema.json")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--calls", required=True, help="functions that must be among those that are told, with commas between them")
    return script.options_of(parser)


def record(options, name, **settings):
    """The folder of the trace, and what the program found out: of each rank [(number, kind, ranks, whether it has a name)]."""
    folder, told = (os.path.join(options.work, name + end) for end in ("", ".told"))
    ranks = str(options.ranks)
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    result = subprocess.run(
        [options.launcher, *more, "-n", ranks, options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--", options.program, told],
        cwd=options.work, env={**base_environment(), **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        check=False)
    if result.returncode != 0:
        fail(name, f"ends with {result.returncode}: {result.stderr}")
    communicators = []
    for rank in range(options.ranks):
        communicators.append([])
        with open(f"{told}.{rank}", encoding="utf-8") as lines:
            for line in lines:
                is_named = not line.startswith("unnamed ")
                number, kind, *members = line.removeprefix("unnamed ").split()
                communicators[rank].append((int(number), kind, [int(member) for member in members], is_named))
    return folder, communicators


def lines_of(file):
    with open(file, encoding="utf-8") as lines:
        return [line for line in map(json.loads, lines) if line["record"] == "communicator"]


def expanded(groups):
    return [[rank for first, last, step in group for rank in range(first, last + (1 if step > 0 else -1), step)] for group in groups]


def check_rank(name, rank, lines, communicators):
    """Yields (number, name) of each that has one."""
    if len(lines) != len(communicators):
        fail(name, f"rank {rank} has {len(lines)} lines, and made {len(communicators)} communicators")
    for line, (number, kind, members, is_named) in zip(lines, communicators):
        where = f"rank {rank}, number {number}, by {line['called']}"
        if (line["name"] is not None) != is_named:
            fail(name, where, f"its name is {line['name']}")
        if not is_named:
            continue
        groups = expanded(line["groups"])
        wanted = 1 if kind == "intra" else 2
        # Of an intercommunicator the program has the other group.
        is_right = groups == [members] if wanted == 1 else members in groups and any(rank in group for group in groups if group != members)
        if len(groups) != wanted or not is_right:
            fail(name, where, f"{kind}, its groups are {groups}, should be {members}")
        yield number, line["name"]


def check_apart(options, schema):
    """Names by number; of the ranks' own files."""
    name = "apart"
    folder, communicators = record(options, name, DDTSCOPE_MERGE="off")
    numbers, names = {}, {}
    calls = set()
    for rank in range(options.ranks):
        lines = lines_of(os.path.join(folder, f"rank-{rank}.jsonl"))
        for line in lines:
            schema.validate(line)
            calls.add(line["called"])
        for number, of_rank in check_rank(name, rank, lines, communicators[rank]):
            if names.setdefault(number, of_rank) != of_rank:
                fail(name, f"communicator {number} is {of_rank} on rank {rank}, and {names[number]} on a rank before it")
            if numbers.setdefault(of_rank, number) != number:
                fail(name, f"{of_rank} on rank {rank} is communicator {number}, and {numbers[of_rank]} elsewhere")
    missing = set(options.calls.split(",")) - calls
    if missing:
        fail(name, f"not told: {sorted(missing)}, but {sorted(calls)}")
    if len(names) < options.ranks:
        fail(name, f"only {len(names)} names")
    return folder


def in_words(lines):
    """What is alike in all traces of one job: numbers of call sites are not."""
    return [(line["name"], line["called"], line["binding"], line["site"] is None, line["groups"], line["ranks"]) for line in lines]


def check_merged(options, schema, apart):
    """What the ranks join themselves is what `ddtscope merge` makes of their files; each name stands once for all its ranks."""
    name = "merged"
    folder, communicators = record(options, name)
    lines = lines_of(os.path.join(folder, "trace.jsonl"))
    for line in lines:
        schema.validate(line)
    joined = os.path.join(options.work, "joined")
    made = subprocess.run([options.ddtscope, "merge", apart, "-o", joined], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        fail(name, f"merge ends with {made.returncode}: {made.stderr}")
    if in_words(lines_of(os.path.join(joined, "trace.jsonl"))) != in_words(lines):
        fail(name, "the two merged traces are not alike")
    ranks_of = {}
    for rank, of_rank in enumerate(communicators):
        for number, _, _, is_named in of_rank:
            if is_named:
                ranks_of.setdefault(number, set()).add(rank)
    ranks_of_names = {}
    for line in lines:
        if line["name"] is not None:
            ranks = {rank for first, last in line["ranks"] for rank in range(first, last + 1)}
            ranks_of_names.setdefault(line["name"], set()).update(ranks)
    if sorted(map(sorted, ranks_of.values())) != sorted(map(sorted, ranks_of_names.values())):
        fail(name, "the ranks of the names are not those of the communicators")
    return folder


def check_summary(options, merged):
    """What stands in the trace is told, with functions and lines."""
    output = subprocess.run([options.ddtscope, "summary", "--json", merged], capture_output=True, text=True, check=False).stdout
    told = json.loads(output)["communicators"]
    lines = lines_of(os.path.join(merged, "trace.jsonl"))
    members = ("name", "called", "binding", "groups", "ranks")
    if [[one[member] for member in members] for one in told] != [[line[member] for member in members] for line in lines]:
        fail("summary", "other communicators than in the trace")
    for one in told:
        file = one["call_site"][0]["file"] if one["call_site"] else None
        if file is None or not os.path.basename(file).startswith("communicators"):
            fail("summary", one["called"], f"its call site is in {file}")


def main():
    options = arguments()
    schema = TraceSchema(options.schema)
    check_summary(options, check_merged(options, schema, check_apart(options, schema)))
    for setting in ("DDTSCOPE_MESSAGES", "DDTSCOPE_USES"):
        folder, _ = record(options, setting + "-off", **{setting: "off"})
        if lines_of(os.path.join(folder, "trace.jsonl")):
            fail(setting, "communicators are told")
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
