"""Where the trace says that buffers lay, against what the program itself says of its variables (places.c), compiled in
several ways."""
import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

ADDRESS = {"slot": "slots", "through": "slots", "behind": "slots", "register": "registers"}


class Trace:
    """The lines of one process's trace."""
    def __init__(self, folder):
        names = [name for name in os.listdir(folder) if name.endswith(".jsonl")]
        with open(os.path.join(folder, names[0])) as file:
            self.lines = [json.loads(line) for line in file]
        self.buffers = [line for line in self.lines if line["record"] == "buffer"]
        self.modules = {line["id"]: line["path"] for line in self.lines if line["record"] == "module"}

    def of(self, elements):
        return [buffer for buffer in self.buffers if buffer["elements"] == elements]


def one(what, trace, count):
    """The buffer of the call with this count."""
    found = trace.of(count)
    if len(found) != 1:
        fail(what, f"{len(found)} buffers of {count} elements")
        return {}
    return found[0]


def check(what, trace, words):
    """A line of what the program says."""
    count, kind, *numbers = words
    count = int(count)
    if kind == "both":
        found = [buffer.get("stack") for buffer in trace.of(count)]
        wanted = [[int(numbers[0]), int(distance)] for distance in numbers[1:]]
        if found != wanted:
            fail(what, f"the two buffers are at {found}, not {wanted}")
        return
    if kind == "position":
        by_position = [buffer for buffer in trace.of(count) if "position" in buffer]
        wanted = [int(numbers[0]), int(numbers[1])]
        if [(buffer["position"], buffer.get("stack"), buffer["argument"]) for buffer in by_position] != [(0, wanted, "recvtype")]:
            fail(what, f"the block is {by_position}, not at {wanted}")
        return
    buffer = one(what, trace, count)
    if not buffer:
        return
    if kind == "stack":
        wanted = [int(numbers[0]), int(numbers[1])]
        if buffer.get("stack") != wanted or not buffer["stack_pointer"] <= wanted[1]:
            fail(what, f"call {count} is at {buffer}, not at {wanted} of the stack")
    elif kind == "static":
        module, offset = buffer.get("static", [None, None])
        if offset != int(numbers[1]) or ("places_module" in trace.modules[module]) != (numbers[0] == "module"):
            fail(what, f"call {count} is at {buffer}, not at {numbers} of static memory")
    elif kind == "frame":
        if buffer.get("stack", [None])[0] != int(numbers[0]) or not buffer["stack_pointer"] <= buffer["stack"][1] < 0:
            fail(what, f"call {count} is at {buffer}, not in frame {numbers[0]}")
    elif kind == "module":
        if "static" not in buffer or what not in trace.modules[buffer["static"][0]]:
            fail(what, f"call {count} is at {buffer}, not in the program's static memory")
    elif kind == "held":
        if not buffer.get("heap", {}).get("statics"):
            fail(what, f"nothing in static memory leads to call {count}: {buffer}")
    elif kind == "block":
        if (buffer.get("heap", {}).get("block") or [None])[0] != int(numbers[0]):
            fail(what, f"call {count} is {buffer}, not at {numbers[0]} of its block")
        if not any(buffer.get("heap", {}).get(route) for route in ("slots", "registers")):
            fail(what, f"nothing leads to call {count}: {buffer}")
    else:
        route = [int(number) for number in numbers]
        route[2:] = [route[2]] if kind == "through" else [None, route[2]] if kind == "behind" else [None]
        if route not in buffer.get("heap", {}).get(ADDRESS[kind], []):
            fail(what, f"call {count} has no {kind} {route}: {buffer}")


class Tried:
    def __init__(self, args):
        self.args, self.env = args, base_environment()

    def record(self, program, name, **variables):
        folder, told = os.path.join(self.args.work, name), os.path.join(self.args.work, name + ".txt")
        env = dict(self.env, DDTSCOPE_OUTPUT=folder, DDTSCOPE_QUIET="1", **variables)
        env["LD_PRELOAD"] = ":".join(filter(None, [os.environ.get("DDTSCOPE_TEST_PRELOAD"), self.args.plugin]))
        preloads = [option for name in ("LD_PRELOAD", "DDTSCOPE_OUTPUT") for option in ("-x", name)] if self.args.library == "openmpi" else []
        ran = subprocess.run([self.args.launcher, "-n", "1", *preloads, program, told], env=env, capture_output=True, text=True, timeout=120)
        if ran.returncode != 0:
            fail(name, f"{ran.returncode} {ran.stderr[-2000:]}")
        with open(told) as file:
            return Trace(folder), [line.split() for line in file]

    def check(self, program):
        name = os.path.basename(program)
        trace, told = self.record(program, name)
        for words in told:
            check(name, trace, words)
        if len(told) < (5 if "fortran" in name else 20):
            fail(name, f"it says only {len(told)} places")
        if "fortran" in name:
            return
        if not trace.lines[0].get("sources"):
            fail(name, "the header does not say that buffers are recorded")
        # Of one call site each count once, however often it is called.
        for count in (20, 21, 22):
            found = sorted(buffer["called"] for buffer in trace.of(count))
            if found != ["MPI_Irecv", "MPI_Send"]:
                fail(name, f"of {count} elements: {found}")
        if trace.of(0) or trace.of(99) or [buffer for buffer in trace.buffers if isinstance(buffer["type"], int)]:
            fail(name, "there are buffers of calls that have none, or were not to be seen")
        if len(trace.of(29)) != 1 or "stack" not in trace.of(29)[0]:
            fail(name, f"in place: {trace.of(29)}")
        if not one(name, trace, 40).get("heap", {}).get("statics"):
            fail(name, f"a static pointer leads to it: {trace.of(40)}")

    def check_switches(self, program):
        for variables in ({"DDTSCOPE_SOURCES": "off"}, {"DDTSCOPE_USES": "off"}):
            trace, _ = self.record(program, "-".join(variables), **variables)
            if trace.buffers or "sources" in trace.lines[0]:
                fail(str(variables), "there are buffers")
        trace, _ = self.record(program, "without-stacks", DDTSCOPE_STACK="0")
        if any("stack" in buffer or "heap" in buffer or buffer["site"] is not None for buffer in trace.buffers) or not trace.buffers:
            fail("without stacks", "what lies in frames is told")
        trace, _ = self.record(program, "little-memory", DDTSCOPE_MAX_MEMORY="16K")
        notes = [line["text"] for line in trace.lines if line["record"] == "note" and "more buffers than it can remember" in line["text"]]
        if len(notes) != 1:
            fail("little memory", f"the trace says {[line for line in trace.lines if line['record'] == 'note']}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("others", nargs=argparse.REMAINDER, help="the program compiled in other ways")
    args = script.options_of(parser)
    tried = Tried(args)
    for program in [args.program, *args.others]:
        tried.check(program)
    if "fortran" not in args.program:
        tried.check_switches(args.program)
        os.mkdir(os.path.join(args.work, "programs"))
        stripped = os.path.join(args.work, "programs", "stripped")
        subprocess.run(["strip", "--strip-all", "-o", stripped, args.program], check=True)
        tried.check(stripped)
    return script.outcome()


sys.exit(main())
