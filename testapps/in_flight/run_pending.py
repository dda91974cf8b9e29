#!/usr/bin/env python3
"""What `ddtscope pending` tells of jobs that hang, each in its own way (hangs.c): while they run, after a SIGKILL, and when
they have ended in order. Who waits for whom follows from the program's text."""
import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail  # noqa: E402

PATIENCE = 60  # seconds until a job must have got where it hangs

# name: ranks, those that are stuck, the cycles, and of some ranks what they wait in: (rank, function, marker of the line in
# the program, words of the report)
CASES = {
    "both_receive": (2, "01", [["0", "1"]], [
        ("0", "MPI_Recv", "both_receive", "for tag 7 of rank 1, which has sent none"),
        ("1", "MPI_Recv", "both_receive", "for tag 7 of rank 0, which has sent none")]),
    "cycle": (4, "0123", [["0", "3", "2", "1"]], [
        ("2", "MPI_Recv", "cycle", "for tag 3 of rank 1 on the communicator of MPI_Comm_dup")]),
    "wait_all": (2, "", [], [("0", "MPI_Waitall", "wait_all", "for tag 2 of rank 1, which has sent none")]),
    "send_to_busy": (2, "", [], [("0", "MPI_Send", "send_to_busy", "to rank 1 with tag 4, which has begun no receive of it")]),
    "missing": (3, "012", [["0", "2"]], [
        ("1", "MPI_Allreduce", "missing", "on MPI_COMM_WORLD, which rank 2 has not called"),
        ("2", "MPI_Recv", "missing_receive", "for tag 9 of rank 0, which has sent none")]),
    "barrier": (3, "", [], [("0", "MPI_Barrier", "barrier", "on MPI_COMM_WORLD, which rank 2 has not called")]),
    "any_source": (3, "", [], [("0", "MPI_Recv", "any_source", "for tag 6 of any rank, and no rank has sent one that is left")]),
    "any_source_stuck": (3, "012", [["0", "1"]], [("0", "MPI_Recv", "any_stuck", "for tag 6 of any rank")]),
    "ended": (2, "0", [], [("0", "MPI_Recv", "ended", "for tag 8 of rank 1, which has sent none and is in MPI_Finalize")]),
    "probe": (2, "", [], [("0", "MPI_Probe", "probe", "for tag 2 of rank 1, which has sent none")]),
    "asks": (2, "", [], [("1", "MPI_Wait", "asks", "for tag 5 of rank 0, which has sent none")]),
    "unseen": (2, "", [], [
        ("0", "MPI_Waitall", "unseen_wait", "for all of 1 operation and others"),
        ("1", "MPI_Recv", "unseen", "for tag 6 of rank 0, which has sent none")]),
    "nameless": (2, "", [], [
        ("0", "MPI_Barrier", "nameless_barrier", "on a communicator that has no name"),
        ("1", "MPI_Recv", "nameless_receive", "on a communicator that has no name")]),
    "window": (2, "", [], [
        ("0", "MPI_Win_fence", "window", "with other processes of its window: nobody knows which of them"),
        ("1", "MPI_Recv", "window_receive", "for tag 6 of rank 0, which has sent none")]),
    "persistent": (2, "01", [["0", "1"]], [("0", "MPI_Waitany", "persistent", "for one of 2 operations")]),
}


class Job:
    def __init__(self, options, way, ranks):
        self.ranks = ranks
        self.folder = os.path.join(options.work, way)
        self.trace = os.path.join(self.folder, "trace")
        os.makedirs(self.folder)
        environment = {**script.base_environment(), "HANGS_FOLDER": self.folder}
        more = ["--oversubscribe"] if options.library == "openmpi" else []
        # A session of its own, by which its processes are found.
        self.process = subprocess.Popen(
            [options.launcher, *more, "-n", str(ranks), options.ddtscope, "exec", "--mpi", options.abi, "--quiet", "-o", self.trace, "--",
             options.program, way], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)

    def is_there(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if all(os.path.exists(os.path.join(self.folder, f"here-{rank}")) for rank in range(self.ranks)):
                return True
            time.sleep(0.05)
        return False

    def let_others_run(self):
        """MPICH's ranks poll while they hang: at the processor's lowest priority, by themselves and as a session."""
        for pid in processes_of(self.process.pid, self.trace):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, pid, 19)
                with open(f"/proc/{pid}/autogroup", "w", encoding="utf-8") as group:
                    group.write("19")

    def kill(self):
        """The program's processes, which have the trace's files open, first: the launcher would end them."""
        for pid in processes_of(self.process.pid, self.trace):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def processes_of(launcher, trace):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/maps", encoding="utf-8", errors="replace") as maps:
                if int(name) != launcher and trace + "/" in maps.read():
                    found.append(int(name))
    return found


@contextlib.contextmanager
def running(options, way, ranks):
    """A job that has got to where it hangs, and some way into the call; killed at the end."""
    job = Job(options, way, ranks)
    try:
        if not job.is_there():
            fail(way, "it did not get where it hangs")
        time.sleep(0.5)
        job.let_others_run()
        yield job
    finally:
        job.kill()


def pending(options, trace, *words):
    return subprocess.run([options.ddtscope, "pending", trace, *words], capture_output=True, text=True, check=False, timeout=60)


def line_of(options, marker):
    with open(options.source, encoding="utf-8") as source:
        for number, line in enumerate(source, start=1):
            if f"/* {marker} */" in line:
                return number
    raise AssertionError(marker)


def validate(options, what, document):
    try:
        import jsonschema
    except ImportError:
        return
    with open(options.schema, encoding="utf-8") as schema:
        try:
            jsonschema.validate(document, json.load(schema))
        except jsonschema.ValidationError as error:
            fail(what, error.message)


def ranks_of(document):
    """What `pending --json` tells of each rank, by its number: ranks of which the same is told stand together."""
    told = {}
    for one in document["ranks"]:
        for first, last in one["ranks"]:
            told.update({rank: one for rank in range(first, last + 1)})
    return [told[rank] for rank in sorted(told)]


def check(options, what, case, job):
    ranks, stuck, cycles, calls = case
    told = pending(options, job.trace, "--json")
    status = 1 if stuck else 0
    if told.returncode != status or told.stderr:
        fail(what, f"status {told.returncode}, wanted {status}: {told.stdout[:2000]} {told.stderr}")
        return
    document = json.loads(told.stdout)
    validate(options, what, document)
    if len(ranks_of(document)) != ranks:
        fail(what, f"of {len(ranks_of(document))} ranks")
    if "".join(document["stuck"]) != stuck:
        fail(what, f"stuck are {document['stuck']}")
    if cycles is not None and document["cycles"] != cycles:
        fail(what, f"cycles are {document['cycles']}")
    report = pending(options, job.trace)
    if report.returncode != status:
        fail(what, f"status of the text is {report.returncode}")
    if ("Deadlock: rank" in report.stdout) != bool(document["cycles"]):
        fail(what, f"in words: {report.stdout}")
    for rank, called, marker, words in calls:
        rank_calls = ranks_of(document)[int(rank)]["calls"]
        if len(rank_calls) != 1 or rank_calls[0]["called"] != called:
            fail(what, f"rank {rank} is in {[call['called'] for call in rank_calls]}, not in {called}")
            continue
        site = rank_calls[0]["call_site"]
        place = (os.path.basename(site[0]["file"] or ""), site[0]["line"]) if site else None
        if place != ("hangs.c", line_of(options, marker)):
            fail(what, f"rank {rank} is at {place}")
        lines = [line for line in report.stdout.splitlines() if f"in {called}, " in line and words in line]
        if not any(re.search(rf"ranks? .*\b{rank}\b|ranks? \d+-\d+", line) for line in lines):
            fail(what, f"nothing says \"{words}\": {report.stdout}")


def check_started(options, job):
    document = json.loads(pending(options, job.trace, "--json").stdout)
    started = {(one["called"], one["type"], one["elements"], one["need"]["tag"], one["need"]["partner"], one["call_site"][0]["line"])
               for one in ranks_of(document)[0]["started"]}
    wanted = {("MPI_Irecv", "MPI_DOUBLE", 1, 1, "exists", line_of(options, "started") - 1),
              ("MPI_Irecv", "MPI_DOUBLE", 1, 2, "none", line_of(options, "started"))}
    if started != wanted:
        fail("wait_all", f"started are {started}")


def gdb_says(options, what, commands, *target):
    """What gdb prints for `commands`; None where there is no gdb that may look at other processes."""
    if shutil.which("gdb") is None or script.IS_EMULATED:  # which has no ptrace
        return None
    each = [word for command in commands for word in ("-ex", command)]
    told = subprocess.run([options.ddtscope, "gdb", "-nx", "-batch", *each, *target], capture_output=True, text=True, errors="replace", check=False,
                          timeout=PATIENCE, stdin=subprocess.DEVNULL)
    if "ptrace: Operation not permitted" in told.stderr:
        return None
    if "ptrace" in told.stderr:
        fail(what, told.stderr)
    return told.stdout + told.stderr


def mapped_and_pid(job, rank):
    mapped = os.path.join(job.trace, f"rank-{rank}.pending")
    with open(mapped, "rb") as file:
        return mapped, struct.unpack_from("=I", file.read(64), 52)[0]


def is_told(what, wanted, text):
    for words in wanted:
        if not re.search(words, text):
            fail(what, f"does not tell {words}: {text}")


def at_the_debugger(options, job):
    """`mpitype messages` of rank 0 of wait_all: while it hangs, in a core that has the mapped file and in one that has not, and
    where that file is gone."""
    mapped, pid = mapped_and_pid(job, 0)
    core, whole = (os.path.join(job.folder, name) for name in ("core", "core-with-files"))
    told = gdb_says(options, "gdb", ["mpitype messages", f"generate-core-file {core}", "set use-coredump-filter off", f"generate-core-file {whole}"],
                    "--pid", str(pid))
    if told is None:
        return
    wait = line_of(options, "wait_all")
    start = line_of(options, "started")
    wanted = [rf"Thread \d+ is in MPI_Waitall, .*hangs\.c:{wait}\)?, for all of 2 requests: 0x",
              rf"request 0x[0-9a-f]+: MPI_Irecv, .*hangs\.c:{start - 1}\)?, 1 x MPI_DOUBLE: from rank 1, tag 1, number 1 there",
              rf"request 0x[0-9a-f]+: MPI_Irecv, .*hangs\.c:{start}\)?, 1 x MPI_DOUBLE: from rank 1, tag 2, number 1 there",
              r"  from rank 1, tag 2: 1 operation begun"]
    is_told("mpitype messages", wanted, told)
    for what, path in (("core", core), ("core with files", whole)):
        is_told(what, wanted, gdb_says(options, what, ["mpitype messages"], "--core", path))
    aside = mapped + ".aside"
    os.rename(mapped, aside)
    lacking = gdb_says(options, "core without the file", ["mpitype messages"], "--core", core)
    os.rename(aside, mapped)
    if "is not there any more" not in lacking:
        fail("core without the file", lacking)
    is_told("core with files, without the file", wanted, gdb_says(options, "core with files", ["mpitype messages"], "--core", whole))


def lldb_says(options, what, *words):
    """The same of lldb."""
    if shutil.which("lldb") is None or subprocess.run([options.find_lldb], capture_output=True, check=False).returncode != 0:
        return None
    told = subprocess.run([options.ddtscope, "lldb", "-b", *words], capture_output=True, text=True, errors="replace", check=False, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL)
    return told.stdout + told.stderr


def windows_at_the_debugger(options, job):
    """`mpitype windows`: of rank 0, which is in the call that would end its epoch, and of rank 1, which has one of each other kind
    open; while they hang, and in a core."""
    at = {marker: rf"[^\n]*hangs\.c:{line_of(options, marker)}\)?(?:, inlined into [a-z_]+)?" for marker in
          ("fence_opens", "fence_puts", "window", "created", "locks", "lock_puts", "locks_all", "posts", "starts")}
    handle = r"\(0x[0-9a-f]+\)"
    fenced = [rf'(^|\n)Window "halo" {handle}: MPI_Win_fence epoch open since {at["fence_opens"]}; 1 call of MPI_Get and 3 of MPI_Put not complete\n'
              rf'  in MPI_Win_fence, {at["window"]}, which has not come back\n'
              rf'  Open epochs\n    MPI_Win_fence, {at["fence_opens"]}, noprecede\n'
              rf'  Accesses that are not complete\n    MPI_Put, {at["fence_puts"]}: 3 times 1 x MPI_INT at rank 1, displacement 0 and on in steps of '
              r'1, origin buffer 0x[0-9a-f]+\n    MPI_Get, [^\n]*: 1 x MPI_INT at rank 1, displacement 3, origin buffer 0x[0-9a-f]+\n'
              r'  allocate, by MPI_Win_allocate, [^\n]*: 16 bytes from 0x[0-9a-f]{4,} on, displacement unit 4, on MPI_COMM_WORLD\n']
    others = [rf'Window "of rank 1" {handle}: MPI_Win_lock epoch open since {at["locks"]}; 1 call of MPI_Put and 1 of MPI_Rput not complete\n'
              rf'  Open epochs\n    MPI_Win_lock, {at["locks"]}, of rank 1, exclusive\n'
              rf'  Accesses that are not complete\n    MPI_Put, {at["lock_puts"]}: 1 x MPI_DOUBLE at rank 1, displacement 5, origin buffer 0x[0-9a-f]+\n'
              r'    MPI_Rput, [^\n]*: 1 x MPI_DOUBLE at rank 1, displacement 6, origin buffer 0x[0-9a-f]+; complete at the origin alone\n'
              rf'  create, by MPI_Win_create, {at["created"]}: 64 bytes from 0x[0-9a-f]+ on, displacement unit 8, on MPI_COMM_SELF\n',
              rf'Window 0x[0-9a-f]+: MPI_Win_lock_all epoch open since {at["locks_all"]}\n  Open epochs\n    MPI_Win_lock_all, [^\n]*, nocheck\n'
              r'  dynamic, by MPI_Win_create_dynamic, [^\n]*: memory that is attached, on MPI_COMM_SELF\n',
              rf'Window 0x[0-9a-f]+: MPI_Win_start epoch open since {at["starts"]}, and 1 other\n'
              rf'  Open epochs\n    MPI_Win_post, {at["posts"]}, with rank 1\n    MPI_Win_start, {at["starts"]}, with rank 1\n',
              rf'Window "halo" {handle}: MPI_Win_fence epoch open since {at["fence_opens"]}, if an access follows: there is none yet\n']
    for rank, wanted in ((0, fenced), (1, others)):
        pid = str(mapped_and_pid(job, rank)[1])
        core = os.path.join(job.folder, f"core-of-windows-{rank}")
        told = gdb_says(options, "windows", ["mpitype windows", f"generate-core-file {core}"], "--pid", pid)
        if told is None:
            return
        is_told(f"mpitype windows, rank {rank}", wanted, told)
        is_told(f"mpitype windows, core of rank {rank}", wanted, gdb_says(options, "windows", ["mpitype windows"], "--core", core))
    told = lldb_says(options, "windows", "--core", core, "-o", "mpitype windows")
    if told is not None:
        is_told("mpitype windows in lldb", others, told)


def hangs(options):
    for name, case in CASES.items():
        with running(options, name, case[0]) as job:
            check(options, name + ", running", case, job)
            if name == "wait_all":
                at_the_debugger(options, job)
            if name == "window":
                windows_at_the_debugger(options, job)
            if name == "wait_all":
                check_started(options, job)
        check(options, name + ", killed", case, job)
        if name == "both_receive":
            damaged(options, job)


def damaged(options, job):
    """Of a file that is cut, or says nonsense, that is told; the others are read, and so is the trace."""
    path = os.path.join(job.trace, "rank-1.pending")
    with open(path, "rb") as file:
        whole = file.read()
    threads, operations, channels = struct.unpack_from("=3I", whole, 16)
    at = 128 + 8  # the operation of the first thread's call... its number lies behind sequence, call and thread
    nonsense = whole[:at + 4] + b"\x07\x00\x00\x70" + whole[at + 8:]
    for what, text in (("cut", whole[:len(whole) // 2]), ("short", whole[:40]), ("nonsense", nonsense),
                       ("newer", whole[:12] + b"\x63\x00\x00\x00" + whole[16:]), ("other", b"x" * len(whole))):
        with open(path, "wb") as file:
            file.write(text)
        told = pending(options, job.trace)
        if told.returncode != 0 or "rank-1.pending" not in told.stdout or "rank 0 in MPI_Recv" not in told.stdout:
            fail("damaged, " + what, f"status {told.returncode}: {told.stdout}{told.stderr}")
        if "Deadlock" in told.stdout:
            fail("damaged, " + what, "of a rank of which nothing is known: " + told.stdout)
        summary = subprocess.run([options.ddtscope, "summary", job.trace], capture_output=True, text=True, check=False)
        if summary.returncode != 0:
            fail("damaged, " + what, f"summary: {summary.stderr}")
    assert threads and operations and channels
    os.remove(path)
    told = pending(options, job.trace)
    if told.returncode != 0 or "Rank 1: nothing is known of it." not in told.stdout:
        fail("without a file", f"status {told.returncode}: {told.stdout}")


def runs_and_ends(options):
    """Ranks that have nothing pending: while they compute, and when the job has ended in order, joined or apart."""
    with running(options, "fine", 2) as job:
        told = pending(options, job.trace)
        if told.returncode != 0 or "Ranks 0-1 are in no call that is known to wait." not in told.stdout or "Started" in told.stdout:
            fail("fine, running", f"status {told.returncode}: {told.stdout}{told.stderr}")
    for name, way, more in (("joined", "fine", {}), ("apart", "fine", {"DDTSCOPE_MERGE": "off"}), ("stopped", "switched_off", {})):
        trace = os.path.join(options.work, name)
        run(options, trace, way, more)
        told = pending(options, trace)
        if told.returncode != 0 or told.stdout != "Nothing is pending: the job has ended.\n":
            fail(name, f"status {told.returncode}: {told.stdout}{told.stderr}")
        left = [file for file in os.listdir(trace) if file.endswith(".pending")]
        if left:
            fail(name, f"left behind: {left}")


def run(options, trace, way, more):
    oversubscribe = ["--oversubscribe"] if options.library == "openmpi" else []
    job = subprocess.run([options.launcher, *oversubscribe, "-n", "2", options.ddtscope, "exec", "--mpi", options.abi, "--quiet", "-o", trace,
                          "--", options.program, way], env={**script.base_environment(), **more}, capture_output=True, text=True,
                         check=False, timeout=PATIENCE)
    if job.returncode != 0:
        fail(trace, f"status {job.returncode}: {job.stderr}")


def stopped(options):
    """A program that has stopped the recording tells nothing, and that is said."""
    with running(options, "switched_off", 2) as job:
        told = pending(options, job.trace)
        if told.returncode != 0 or told.stdout != "Ranks 0-1: the recording of messages was stopped (MPI_Pcontrol, or MPI_Finalize while sessions are open).\n":
            fail("switched off", f"status {told.returncode}: {told.stdout}{told.stderr}")


def in_fortran(options):
    """Waits that reach the plugin through the library's Fortran layer, which calls the C functions."""
    if not options.fortran:
        return
    options.program = options.fortran
    with running(options, "fortran", 2) as job:
        windows = gdb_says(options, "fortran", ["mpitype windows"], "--pid", str(mapped_and_pid(job, 1)[1]))
        if windows is not None:
            is_told("mpitype windows of Fortran", [
                r'Window "of Fortran" \(0x[0-9a-f]+\): mpi_win_lock_ epoch open since [^\n]*hangs_fortran\.F90:\d+\)?; 1 call of mpi_put_ not complete\n',
                r"    mpi_put_, [^\n]*: 1 x MPI_DOUBLE_PRECISION at rank 1, displacement 3, origin buffer 0x[0-9a-f]+\n",
                r"64 bytes from 0x[0-9a-f]+ on, displacement unit 8, on MPI_COMM_SELF\n"], windows)
        told = pending(options, job.trace, "--json")
        document = json.loads(told.stdout)
        called = [[call["called"] for call in rank["calls"]] for rank in ranks_of(document)]
        started = [sorted(one["need"]["tag"] for one in rank["started"]) for rank in ranks_of(document)]
        if told.returncode != 1 or document["stuck"] != ["0", "1"] or called != [["MPI_Wait"]] * 2 or started != [[7]] * 2:
            fail("fortran", f"status {told.returncode}, stuck {document['stuck']}, in {called}, started {started}")


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--fortran", help="hangs_fortran")
    parser.add_argument("--find-lldb", required=True, help="ci/find-lldb")
    options = script.options_of(parser)
    hangs(options)
    runs_and_ends(options)
    stopped(options)
    in_fortran(options)
    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
