#!/usr/bin/env python3
"""What each process sent and received stands in its trace, channel by channel, exactly as the program itself knows it."""
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
from script import base_environment, fail  # noqa: E402
from trace_schema import TraceSchema  # noqa: E402

PREDEFINED = {"MPI_COMM_WORLD": -1, "MPI_COMM_SELF": -2}


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True, help="trace.schema.json")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--unordered", default="", help="tags of channels in which the order is that of several threads, with commas")
    parser.add_argument("--cancelled", default="", help="tags of channels of which nothing is known, because a receive was cancelled")
    return script.options_of(parser)


def record(options, name, **settings):
    """The folder of the trace, and what the program told of each rank: {(direction, communicator, peer, tag): [operation, ...]}."""
    folder, told = (os.path.join(options.work, name + end) for end in ("", ".told"))
    more = ["--oversubscribe"] if options.library == "openmpi" else []
    result = subprocess.run(
        [options.launcher, *more, "-n", str(options.ranks), options.ddtscope, "exec", "--mpi", options.abi, "-o", folder, "--", options.program, told],
        cwd=options.work, env={**base_environment(), "DDTSCOPE_MERGE": "off", **settings}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=300, check=False)
    if result.returncode != 0:
        fail(name, f"ends with {result.returncode}: {result.stderr}")
    channels = []
    for rank in range(options.ranks):
        channels.append(collections.defaultdict(list))
        with open(f"{told}.{rank}", encoding="utf-8") as lines:
            for line in lines:
                direction, communicator, peer, tag, datatype, elements, called = line.split()
                channels[rank][direction, int(communicator), int(peer), int(tag)].append((datatype, int(elements), without_mangling(called)))
    return folder, channels


def without_mangling(called):
    """Of a Fortran procedure the program tells the name alone."""
    return re.sub(r"(_f08(ts)?)?_*$", "", called.lower())


def numbers(text):
    return {int(number) for number in text.split(",") if number}


def recorded(file, schema, cancelled):
    """The same as the program tells, as the trace has it; which of them are unordered; and all lines."""
    operations, sequences, channels, unordered = {}, {}, {}, set()
    undecided = set()
    lines = []
    with open(file, encoding="utf-8") as all_lines:
        for line in map(json.loads, all_lines):
            lines.append(line)
            if line["record"] in ("operation", "sequence", "channels", "messages", "header"):
                schema.validate(line)
            if line["record"] == "operation":
                operations[line["id"]] = (line["type"], int(line["elements"]), without_mangling(line["called"]))
            elif line["record"] == "sequence" and "of" not in line:
                sequences[line["id"]] = [operations[number] for number in unfolded(line["operations"])]
            elif line["record"] == "channels":
                for peer, tag in line["channels"]:
                    communicator = PREDEFINED.get(line["communicator"], line["communicator"])
                    key = (line["direction"], communicator, peer, tag)
                    if tag in cancelled:
                        undecided.add(tag)
                        if line.get("undecided") != [0, "cancel"]:
                            fail(file, f"{key}: {line}")
                        continue
                    if key in channels:
                        fail(file, f"{key} stands twice")
                    channels[key] = sequences[line["sequence"]]
                    if line.get("unordered"):
                        unordered.add(key)
                    if "undecided" in line:
                        fail(file, f"{key} is undecided: {line['undecided']}")
    if undecided != cancelled:
        fail(file, f"undecided are {undecided}")
    return channels, unordered, lines


def check_rank(options, where, told, file):
    schema = TraceSchema(options.schema)
    channels, unordered, lines = recorded(file, schema, numbers(options.cancelled))
    tags = numbers(options.unordered)
    for key in sorted(set(told) | set(channels)):
        wanted, found = told.get(key, []), channels.get(key, [])
        if key in unordered:
            wanted, found = sorted(wanted), sorted(found)
        if wanted != found:
            fail(where, f"{key}: {wanted}, but the trace has {found}")
        if (key in unordered) != (key[3] in tags):
            fail(where, f"{key} is {'unordered' if key in unordered else 'in order'}")
    if [line["left_out"] for line in lines if line["record"] == "messages"] != [[]]:
        fail(where, "not all messages are told")
    if not lines[0].get("messages"):
        fail(where, "the header does not say that messages are recorded")


def say_why(options, setting, folder):
    """Each way to ask for messages says that they were not recorded, and by which setting."""
    for words in (["check"], ["summary"], ["pending"], ["uses", "--by", "pair"], ["uses", "--by", "comm"]):
        for more in ([], ["--json"]) if words[0] == "uses" else ([],):
            run = subprocess.run([options.ddtscope, words[0], folder, *words[1:], *more], capture_output=True, text=True, check=False)
            if f"o messages were recorded: {setting} was off" not in run.stdout + run.stderr:
                fail(setting, f"{words + more} says {run.stdout} {run.stderr}")


def main():
    options = arguments()
    folder, told = record(options, "trace")
    for rank in range(options.ranks):
        check_rank(options, f"rank {rank}", told[rank], os.path.join(folder, f"rank-{rank}.jsonl"))
    for setting in ("DDTSCOPE_MESSAGES", "DDTSCOPE_USES"):
        folder, _ = record(options, setting + "-off", **{setting: "off"})
        with open(os.path.join(folder, "rank-0.jsonl"), encoding="utf-8") as lines:
            if any(json.loads(line)["record"] in ("operation", "channels", "messages") for line in lines):
                fail(setting, "messages are told")
        say_why(options, setting, folder)
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
