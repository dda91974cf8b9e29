#!/usr/bin/env python3
"""Ranks that join their traces while others are late, gone or killed: whatever happens, the trace is there once, either in
one file or in the ranks' own, with every type counted; and the program ends as it does without."""
import contextlib
import json
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, fail, failures  # noqa: E402

TYPES = 60  # that each rank of the program makes
PATIENCE = 60  # seconds for a job that must end by itself, which takes seven of them


class Job:
    def __init__(self, options, way, trace=None, wrapper=(), **settings):
        environment = {**base_environment(), "ASAN_OPTIONS": "detect_leaks=0"}
        environment.update({"DDTSCOPE_" + key: value for key, value in settings.items()})
        preload = []
        if trace:
            environment.update(DDTSCOPE_OUTPUT=trace, DDTSCOPE_QUIET="1")
            libraries = ":".join(filter(None, [os.environ.get("DDTSCOPE_TEST_PRELOAD"), options.plugin]))
            preload = ["/usr/bin/env", "LD_PRELOAD=" + libraries]
        self.trace = trace
        self.begin = time.monotonic()
        # A session of its own, by which its processes are found when it hangs.
        self.process = subprocess.Popen(
            [options.launcher, "-n", str(options.ranks), *wrapper, *preload, options.program, *way], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def wait_until_ready(self, ranks):
        """The ranks' process numbers; none if the job ends or hangs before."""
        said = b""
        while said.count(b"\n") < ranks:
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                return []
            more = os.read(self.process.stdout.fileno(), 4096)
            if not more:
                return []
            said += more
        return [int(line.split()[1]) for line in said.decode().splitlines()]

    def finish(self, patience=PATIENCE):
        """Waits for its end. `hung`: there was none, and it was killed; `status` is then None."""
        self.hung = False
        try:
            output, errors = self.process.communicate(timeout=patience)
            self.status = self.process.returncode
        except subprocess.TimeoutExpired:
            self.hung, self.status = True, None
            for pid in processes_of_session(self.process.pid):
                show_stack(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            output, errors = self.process.communicate()
        self.seconds = time.monotonic() - self.begin
        self.errors = errors.decode(errors="replace")
        self.told = [line for line in self.errors.splitlines() if line.startswith("ddtscope")]
        return self


def processes_of_session(session):
    """The launcher first."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                if int(stat.read().rpartition(")")[2].split()[3]) == session:
                    found.append(int(name))
        except OSError:
            pass  # it has ended
    return sorted(found)


def show_stack(pid):
    """Where a process of a hanging job stands, for whoever reads that the test failed."""
    gdb = shutil.which("gdb")
    if gdb:
        shown = subprocess.run([gdb, "-nx", "-batch", "-p", str(pid), "-ex", "thread apply all backtrace 12"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        print(f"process {pid}:", *(line for line in shown.stdout.splitlines() if line.startswith("#")), sep="\n  ")


def check_trace(options, what, job, merged, complete=True):
    """`merged` and `complete`: True, False, or None where both are right."""
    names = sorted(name for name in os.listdir(job.trace) if name.endswith(".jsonl"))
    if merged is not None and merged != (names == ["trace.jsonl"]):
        fail(what, f"the trace has the files {names}; {job.told}")
    apart = [f"rank-{rank}.jsonl" for rank in range(options.ranks)]
    if "trace.jsonl" not in names and names != apart:
        fail(what, f"ranks are lost: {names}")
    unfinished = [name for name in os.listdir(job.trace) if not name.endswith((".jsonl", ".counters", ".lines"))]
    if unfinished and merged is not None:
        fail(what, f"{unfinished} is left behind")
    reports = []
    for verb in ("types", "summary"):
        read = subprocess.run([options.ddtscope, verb, "--json", job.trace], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if read.returncode != 0:
            fail(what, f"{verb} left with {read.returncode}: {read.stderr.decode()[:300]}")
            return names
        reports.append(json.loads(read.stdout))
    types, summary = reports
    created = sum(part["created"] for type in types for part in type["instances"])
    if (len(types), created) != (TYPES - 1 + options.ranks, TYPES * options.ranks):
        fail(what, f"{created} types of {len(types)} definitions")
    if complete is not None and summary["complete"] != complete:
        fail(what, f"complete is {summary['complete']}")
    return names


def is_same_end(what, native, job):
    for run, how in ((native, "natively"), (job, "with the plugin")):
        if run.hung:
            fail(what, f"the job hangs {how}")
    # A launcher that kills the others may find one that has ended: it then tells of another status.
    if (native.status == 0) != (job.status == 0):
        fail(what, f"left with {job.status}, natively with {native.status}: {job.errors[-3000:]}")


def ends(options):
    last = str(options.ranks - 1)
    for way, rank in (("in_order", "0"), ("late", "0"), ("late", last)):
        what = f"{way} {rank}"
        impatient = f"{what} without patience"
        folders = {name: os.path.join(options.work, name.replace(" ", "-")) for name in (what, impatient)}
        # Side by side, for they wait.
        native, job = Job(options, [way, rank]), Job(options, [way, rank], folders[what])
        hasty = None
        if way == "late" and options.ranks > 1:
            hasty = Job(options, [way, rank], folders[impatient], MERGE_TIMEOUT="1")
        native.finish()
        is_same_end(what, native, job.finish())
        check_trace(options, what, job, True)
        if job.told:
            fail(what, f"it says {job.told}")
        # No patience: the ranks give up, and the one that is late does not wait either.
        if hasty:
            is_same_end(impatient, native, hasty.finish())
            check_trace(options, impatient, hasty, False)
            if len(hasty.told) != 1 or "stay apart" not in hasty.told[0]:
                fail(impatient, f"it says {hasty.told}")
            if hasty.seconds > native.seconds + 10:
                fail(impatient, f"took {hasty.seconds:.1f} s, natively {native.seconds:.1f} s")


def gone(options):
    """The launcher ends the others, or they wait for ever, as they do without the plugin."""
    ways = [(way, rank) for way in ("exit", "killed") for rank in ("0", str(options.ranks - 1))]
    jobs = [Job(options, way, os.path.join(options.work, "-".join(way)), MERGE_TIMEOUT="2") for way in ways]
    for way, job in zip(ways, jobs):
        check_trace(options, " ".join(way), job.finish(patience=20), None, complete=False)


def without_trace(options):
    """A rank that writes no trace, or none that is whole: it takes part all the same, and the others' traces stay."""
    for room in (100, 20000):
        for rank in (0, options.ranks - 1):
            what = f"rank {rank} with room for {room} bytes"
            script = (f'case "$OMPI_COMM_WORLD_RANK$PMI_RANK" in {rank}) export DDTSCOPE_MAX_TRACE={room};; esac; '
                      'exec "$@"')
            trace = os.path.join(options.work, f"room-{room}-{rank}")
            job = Job(options, ["in_order", "0"], trace, ["/bin/sh", "-c", script, "sh"]).finish()
            names = sorted(name for name in os.listdir(trace) if not name.endswith(".counters"))
            # Not even the first line has room in 100 bytes: that rank leaves no file.
            wanted = [f"rank-{other}.jsonl" for other in range(options.ranks) if room > 100 or other != rank]
            if job.status != 0 or names != wanted:
                fail(what, f"left with {job.status}; the trace has {names}")
            # Rank 0 tells of the trouble that is its own, and only of that.
            if len(job.told) != (1 if rank == 0 else 2) or not any("DDTSCOPE_MAX_TRACE" in line for line in job.told):
                fail(what, f"it says {job.told}")


def kills(options):
    """SIGKILL to one rank at moments around the joining."""
    numbers = random.Random(options.seed)
    durations = []
    for i in range(3):
        job = Job(options, [], os.path.join(options.work, f"whole-{i}"))
        job.wait_until_ready(options.ranks)
        begin = time.monotonic()
        if job.finish().hung:
            fail("kills", "a job hangs of which none is killed")
        durations.append(time.monotonic() - begin)
    merged = hung = 0
    for i in range(options.moments):
        job = Job(options, [], os.path.join(options.work, f"kill-{i}"))
        pids = job.wait_until_ready(options.ranks)
        time.sleep(numbers.uniform(0, min(durations)))
        with contextlib.suppress(ProcessLookupError):
            os.kill(numbers.choice(pids), signal.SIGKILL)
        hung += job.finish(patience=20).hung
        merged += os.path.exists(os.path.join(job.trace, "trace.jsonl"))
        before = len(failures)
        check_trace(options, f"moment {i}", job, None, complete=None)
        if len(failures) == before:
            shutil.rmtree(job.trace)
    print(f"{options.moments} kills, seed {options.seed}: {merged} with a merged file, {options.moments - merged} without; "
          f"{hung} jobs waited for the rank that is gone")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = script.options_of(parser)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ends(options)
    gone(options)
    without_trace(options)
    kills(options)
    return script.outcome()


sys.exit(main())
