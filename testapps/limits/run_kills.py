#!/usr/bin/env python3
"""Kills a program at random moments: whatever it had said that it made is in its trace, and counted."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402


def start(options, trace):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DDTSCOPE_")}
    preload = ":".join(filter(None, [os.environ.get("DDTSCOPE_TEST_PRELOAD"), options.plugin]))
    environment.update(LD_PRELOAD=preload, DDTSCOPE_OUTPUT=trace, DDTSCOPE_QUIET="1")
    if options.max_memory:
        environment["DDTSCOPE_MAX_MEMORY"] = options.max_memory
    return subprocess.Popen([options.program, *options.arguments], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE)


def killed(options, trace, moment):
    """The types that the program said before it was killed, `moment` seconds after MPI_Init, in their order."""
    process = start(options, trace)
    said = os.read(process.stdout.fileno(), len("started\n"))
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    said += process.stdout.read()
    process.wait()
    return re.findall("^(vector|block) ([0-9]+) type$", said.decode(), re.MULTILINE)


def made(types):
    """The definitions in the trace, in the program's words."""
    by_id = {type["id"]: type for type in types}
    found = set()
    for type in types:
        contents = type["contents"]
        of_block = contents["integers"] == [3] and type["combiner"] == "MPI_COMBINER_CONTIGUOUS"
        row = by_id[contents["datatypes"][0]]["contents"] if of_block else contents
        count, *rest = row["integers"]
        if rest != [1, 3] or row["datatypes"] != ["MPI_INT"]:
            sys.exit(f"FAIL: no type of the program's: {type['combiner']} {contents}")
        found.add(("block" if of_block else "vector", str(count)))
    return found


def has_whole_lines(trace):
    """Whether no line of a file is cut short, as the kernel may leave one whose process is killed while it is written:
    what it lacks stands beside it then."""
    texts = [open(path, "rb").read() for path in glob.glob(os.path.join(trace, "*.jsonl"))]
    return all(text.endswith(b"\n") for text in texts)


def whole_run(options, trace):
    """Seconds from MPI_Init to the last type and to the end, and how many definitions there are then."""
    process = start(options, trace)
    os.read(process.stdout.fileno(), len("started\n"))
    begin = time.monotonic()
    work = 0.0
    while os.read(process.stdout.fileno(), 1 << 16):
        work = time.monotonic() - begin
    if process.wait() != 0:
        sys.exit("FAIL: the program does not end in order")
    return work, time.monotonic() - begin, len(json.loads(subprocess.check_output([options.ddtscope, "types", "--json", trace])))


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--moments", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-memory", help="so little that definitions make room for others all the while")
    parser.add_argument("arguments", nargs="*")
    options = script.options_of(parser)
    numbers = random.Random(options.seed)
    work, duration, definitions = whole_run(options, os.path.join(options.work, "whole"))

    lost = unreadable = uncounted = middle = beside = cut = 0
    for i in range(options.moments):
        trace = os.path.join(options.work, f"trace-{i}")
        said = killed(options, trace, numbers.uniform(0, duration if i % 3 == 0 else work))
        announced = len(said)
        beside += os.path.exists(os.path.join(trace, "rank-0.lines"))
        cut += not has_whole_lines(trace)
        read = subprocess.run([options.ddtscope, "types", "--json", trace], stdout=subprocess.PIPE, check=False)
        if read.returncode != 0:
            unreadable += 1
            print(f"moment {i}: the trace cannot be read (status {read.returncode})")
            continue
        types = json.loads(read.stdout)
        created = sum(part["created"] or 0 for type in types for part in type["instances"])
        # The program may have been killed between a constructor's return and what it says of it. In further rounds it
        # makes what it has made before.
        middle += announced > 0
        least, most = min(announced, definitions), min(announced + 1, definitions)
        missing = set(said) - made(types)
        lost += len(missing)
        if missing:
            print(f"moment {i}: not in the trace: {sorted(missing)[:5]}")
        uncounted += max(0, announced - created)
        if not least <= len(types) <= most or not announced <= created <= announced + 1:
            print(f"moment {i}: {announced} types announced, {len(types)} in the trace, {created} counted")
            lost += len(types) > most
            uncounted += created > announced + 1
        shutil.rmtree(trace)
    print(f"{options.moments} moments, seed {options.seed}: {lost} definitions lost, {uncounted} not counted, "
          f"{unreadable} unreadable traces, {cut} files with a line cut short; {middle} of them in the middle of the "
          f"work, {beside} with lines beside the file")
    return 1 if lost or unreadable or uncounted or not middle or not beside else 0


sys.exit(main())
