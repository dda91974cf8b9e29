#!/usr/bin/env python3
"""Lets each call of the plugin's to the system fail, one run for each: the program must not notice, at most one line says
what happened, and what is left of the trace is readable, lacks nothing without saying so, and has nothing beside it.

A run in which nothing fails lists the calls. Without --complete the first calls of a kind fail in every way, later ones
in one way each, in turn."""
import collections
import concurrent.futures
import errno
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment  # noqa: E402

WAYS = {  # in which a call may fail
    "open": ["EACCES", "EROFS", "EMFILE", "ENOSPC", "EDQUOT", "ENOMEM"],
    "write": ["ENOSPC", "EDQUOT", "EFBIG", "EIO"],
    "read": ["EIO", "ENOMEM"],
    "allocate": ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EINTR", "EOPNOTSUPP"],
    "map": ["ENOMEM", "EACCES"],
    "memory": ["ENOMEM"],
    "new": ["ENOMEM"],
    "close": ["EIO", "EINTR"],
    "sync": ["EIO", "ENOSPC", "EDQUOT"],
    "rename": ["EACCES", "EIO", "ENOSPC"],
    "unlink": ["EACCES", "EROFS", "EIO"],
    "mkdir": ["EACCES", "EROFS", "ENOSPC"],
    "look": ["EACCES", "ENOMEM"],
}
INTERRUPTIBLE = {"write", "read"}
FIRST = 1  # calls that fail in every way
FOREVER = 1 << 40

failures = []

Place = collections.namedtuple("Place", "kind number path")
Fault = collections.namedtuple("Fault", "place error last short rank")


def name_of(fault):
    if fault is None:
        return "nothing fails"
    more = "" if fault.last == fault.place.number else " and all later ones"
    half = " after half of it" if fault.short else ""
    rank = "" if fault.rank is None else f" in rank {fault.rank}"
    return f"{fault.place.kind} {fault.place.number} ({os.path.basename(fault.place.path)}){more}{rank}: {fault.error}{half}"


def folder_of(fault):
    return "none" if fault is None else re.sub(r"[^\w.]+", "-", name_of(fault)).strip("-")


class Scenario:
    """One program in one environment, with each of its calls in one of its ranks failing."""

    def __init__(self, options, name, plugin, arguments=(), ranks=None, rank=None, meant=lambda place: True, **settings):
        self.options = options
        self.plugin = plugin
        self.name = name
        self.arguments = arguments
        self.ranks = ranks
        self.rank = rank  # where calls fail
        self.meant = meant  # which places
        self.settings = settings
        self.environment = base_environment()
        self.work = os.path.join(options.work, name)
        os.makedirs(self.work)

    def run(self, trace=None, fault=None, log=None):
        environment = {k: v for k, v in self.environment.items() if not k.startswith("FAIL_")}
        environment.update(UCX_MEM_EVENTS="no", ASAN_OPTIONS="detect_leaks=0 verify_asan_link_order=0")
        command = [self.options.program, *self.arguments]
        if trace:
            environment.update(DDTSCOPE_OUTPUT=trace, DDTSCOPE_QUIET="1", DDTSCOPE_MERGE_TIMEOUT="60")
            environment.update({"DDTSCOPE_" + key: value for key, value in self.settings.items()})
            if self.rank is not None:
                environment["FAIL_RANK"] = str(self.rank)
            if log:
                environment["FAIL_LOG"] = log
            if fault:
                environment.update(FAIL_KIND=fault.place.kind, FAIL_FROM=str(fault.place.number), FAIL_TO=str(fault.last),
                                   FAIL_ERROR=str(getattr(errno, fault.error)), FAIL_SHORT="1" if fault.short else "")
            libraries = [self.options.failing, *filter(None, [os.environ.get("DDTSCOPE_TEST_PRELOAD")]), self.plugin]
            command = ["/usr/bin/env", "LD_PRELOAD=" + ":".join(libraries), *command]
        if self.ranks:
            command = [self.options.launcher, "-n", str(self.ranks), *command]
        try:
            done = subprocess.run(command, env=environment, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=50, check=False)
        except subprocess.TimeoutExpired:
            return None
        done.told = [line for line in done.stderr.decode(errors="replace").splitlines() if line.startswith("ddtscope")]
        return done

    def places(self, log, trace):
        """Calls about the trace, or about nothing that has a name; of others the first of each kind."""
        numbers = collections.Counter()
        others = collections.Counter()
        found = []
        with open(log) as lines:
            for line in lines:
                kind, _, path = line.rstrip("\n").partition(" ")
                numbers[kind] += 1
                if kind in ("memory", "new") or (path and (path + "/").startswith(trace + "/")) or (path and trace.startswith(path + "/")):
                    found.append(Place(kind, numbers[kind], path))
                else:
                    others[kind] += 1
                    if others[kind] == 1:
                        found.append(Place(kind, numbers[kind], path))
        return [place for place in found if self.meant(place)]

    def faults(self, places):
        for index, place in enumerate(places):
            ways = [(error, False) for error in WAYS[place.kind]]
            if place.kind == "write":
                ways.append(("ENOSPC", True))
            if place.number > FIRST and not self.options.complete:
                ways = [ways[index % len(ways)]]
            lasts = [place.number, FOREVER]
            if place.number > FIRST and not self.options.complete:
                lasts = [lasts[index // len(WAYS[place.kind]) % 2]]
            for error, short in ways:
                for last in lasts:
                    yield Fault(place, error, last, short, self.rank)
            if place.kind in INTERRUPTIBLE and (place.number <= FIRST or self.options.complete):
                yield Fault(place, "EINTR", place.number, False, self.rank)

    def fail(self, fault, what):
        failures.append(what)
        print(f"FAIL: {self.name}: {name_of(fault)}: {what}", flush=True)

    def check(self, native, fault, run, trace):
        if run is None:
            self.fail(fault, "the program hangs")
            return
        if (run.stdout, run.returncode) != (native.stdout, native.returncode):
            self.fail(fault, f"the program was disturbed: status {run.returncode}, {run.stdout[-200:]} {run.stderr[-200:]}")
        is_whole = self.check_trace(native, fault, run, trace)
        if len(run.told) > (self.ranks or 1):
            self.fail(fault, f"{len(run.told)} lines on stderr: {run.told}")
        if not is_whole and not run.told:
            self.fail(fault, "something is lost, but nothing is said on stderr")
        reason = os.strerror(getattr(errno, fault.error)) if fault else ""
        if run.told and not any(reason in line or (fault.error == "ENOMEM" and "memory" in line) for line in run.told):
            self.fail(fault, f"the line on stderr does not say why: {run.told}")

    def check_trace(self, native, fault, run, trace):
        """Whether nothing is lost: one file, which says that it is complete."""
        names = sorted(os.listdir(trace)) if os.path.isdir(trace) else []
        files = [name for name in names if name.endswith(".jsonl")]
        may_stay = fault is not None and fault.place.kind == "unlink"
        apart = {f"rank-{rank}{end}" for rank in range(self.ranks or 1) for end in (".jsonl", ".counters", ".lines")}
        beside = set(names) - ({"trace.jsonl"} if "trace.jsonl" in names and not may_stay else apart | {"trace.jsonl"})
        if beside and not may_stay:
            self.fail(fault, f"left behind: {sorted(beside)}")
        if not files:
            if not any("no trace is written" in line for line in run.told):
                self.fail(fault, f"there is no trace, and it is not said: {run.told}")
            return False
        read = subprocess.run([self.options.ddtscope, "summary", "--json", trace], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if read.returncode != 0:
            self.fail(fault, f"summary leaves with {read.returncode}: {read.stderr.decode()[:300]}; {run.told}")
            return False
        seen = json.loads(read.stdout)
        made = int(native.stdout.split()[0])
        stopped = [re.search(r"which had counted (\d+) types", rank["stopped"] or "") for rank in seen["ranks"]]
        known = (seen["created"] or 0) + sum(lost["count"] for lost in seen["unrecorded"])
        known += sum(int(found.group(1)) for found in stopped if found)
        if known > made:
            self.fail(fault, f"{made} types were made, but {known} are counted")
        is_whole = seen["complete"] and not seen["unrecorded"]
        if seen["complete"] and known != made:
            self.fail(fault, f"the trace calls itself complete with {known} of {made} types")
        if not seen["complete"]:
            whys = [*filter(None, (rank["stopped"] for rank in seen["ranks"])), *seen["notes"]]
            ends = [rank["complete"] for rank in seen["ranks"]]
            if not whys and None not in ends and len(ends) == (self.ranks or 1):
                self.fail(fault, f"the trace does not say what it lacks; {run.told}")
        return is_whole and "trace.jsonl" in files and (may_stay or len(files) == 1)

    def all(self):
        native = self.run()
        if native is None or native.returncode != 0:
            sys.exit(f"FAIL: {self.name}: the program itself fails: {native and native.stderr.decode()}")
        trace = os.path.join(self.work, folder_of(None))
        log = os.path.join(self.work, "calls.log")
        whole = self.run(trace, log=log)
        self.check(native, None, whole, trace)
        if not whole or whole.told or not os.path.exists(log):
            self.fail(None, f"this is no test: {whole and whole.told}")
            return
        places = self.places(log, trace)

        def one(fault):
            folder = os.path.join(self.work, folder_of(fault))
            before = len(failures)
            self.check(native, fault, self.run(folder, fault), folder)
            if len(failures) == before:
                shutil.rmtree(folder, ignore_errors=True)

        faults = list(self.faults(places))
        if not faults:
            self.fail(None, f"no fault was tried at {len(places)} places")
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for _ in pool.map(one, faults):
                pass
        counted = collections.Counter(place.kind for place in places)
        print(f"{self.name}: {len(faults)} faults at {len(places)} places: "
              + ", ".join(f"{kind} {number}" for kind, number in sorted(counted.items())), flush=True)


def is_of_merge(place):
    return place.kind in ("read", "unlink", "memory") or os.path.basename(place.path).startswith("trace.jsonl")


def scenarios(options):
    yield Scenario(options, "alone", options.plugin)
    # More counters than the first page of their file has room for, and more of what debuggers read.
    yield Scenario(options, "many", options.plugin, ["900"], meant=lambda place: place.kind in ("allocate", "map", "memory"))
    # Definitions that make room for others.
    yield Scenario(options, "little-memory", options.plugin, ["60"], MAX_MEMORY="40K",
                   meant=lambda place: options.complete or place.kind == "write" and place.number % 23 == 0)
    for rank in (0, 1):
        yield Scenario(options, f"rank-{rank}-of-2", options.plugin, ranks=2, rank=rank,
                       meant=lambda place: is_of_merge(place) and (options.complete or place.number % 4 == 0))
    if options.plugin_with_failing_heap:
        yield Scenario(options, "heap", options.plugin_with_failing_heap, ["20"],
                       meant=lambda place: place.kind == "new" and (options.complete or place.number % 41 == 0))
        for rank in (0, 1):
            yield Scenario(options, f"heap-of-rank-{rank}", options.plugin_with_failing_heap, ranks=2, rank=rank,
                           meant=lambda place: place.kind == "new" and place.number % (7 if options.complete else 131) == 0)


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--failing", required=True, help="libfailing_calls")
    parser.add_argument("--complete", action="store_true", help="every call in every way")
    parser.add_argument("--plugin-with-failing-heap")
    parser.add_argument("--jobs", type=int, default=6, help="runs at a time")
    parser.add_argument("--only", help="the scenario of this name")
    options = script.options_of(parser)
    for scenario in scenarios(options):
        if options.only in (None, scenario.name):
            scenario.all()
    print("failed" if failures else "passed")
    return 1 if failures else 0


sys.exit(main())
