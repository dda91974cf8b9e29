#!/usr/bin/env python3
"""Kills a program at random moments: whatever it had said that it made is in its trace, and counted."""
import json
import os
import random
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
    """What the program said before it was killed, `moment` seconds after MPI_Init."""
    process = start(options, trace)
    said = os.read(process.stdout.fileno(), len("started\n"))
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    said += process.stdout.read()
    process.wait()
    return said.decode().count("type\n")


def whole_run(options, trace):
    """Seconds from MPI_Init to the end, and how many definitions there are then."""
    process = start(options, trace)
    os.read(process.stdout.fileno(), len("started\n"))
    begin = time.monotonic()
    process.stdout.read()
    if process.wait() != 0:
        sys.exit("FAIL: the program does not end in order")
    duration = time.monotonic() - begin
    return duration, len(json.loads(subprocess.check_output([options.ddtscope, "types", "--json", trace])))


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--moments", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-memory", help="so little that definitions make room for others all the while")
    parser.add_argument("arguments", nargs="*")
    options = script.options_of(parser)
    numbers = random.Random(options.seed)
    duration, definitions = whole_run(options, os.path.join(options.work, "whole"))

    lost = unreadable = uncounted = middle = 0
    for i in range(options.moments):
        trace = os.path.join(options.work, f"trace-{i}")
        announced = killed(options, trace, numbers.uniform(0, duration))
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
        lost += max(0, least - len(types))
        uncounted += max(0, announced - created)
        if not least <= len(types) <= most or not announced <= created <= announced + 1:
            print(f"moment {i}: {announced} types announced, {len(types)} in the trace, {created} counted")
            lost += len(types) > most
            uncounted += created > announced + 1
        shutil.rmtree(trace)
    print(f"{options.moments} moments, seed {options.seed}: {lost} definitions lost, {uncounted} not counted, "
          f"{unreadable} unreadable traces; {middle} of them in the middle of the work")
    return 1 if lost or unreadable or uncounted or not middle else 0


sys.exit(main())
