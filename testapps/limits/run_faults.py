#!/usr/bin/env python3
"""Takes the ground from under a trace while its program runs: the program must not notice, one line says what happened,
and what is left of the trace is readable and says what it lacks."""
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import fail, failures  # noqa: E402


class Run:
    """One run of the program; `act` makes the fault when MPI has started."""

    def __init__(self, options, output=None, act=lambda pid: None):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DDTSCOPE_")}
        sanitizers = os.environ.get("DDTSCOPE_TEST_PRELOAD")
        preload = [sanitizers] if sanitizers else []
        if output:
            environment.update(DDTSCOPE_OUTPUT=output, DDTSCOPE_QUIET="1")
            preload.append(options.plugin)
        environment["LD_PRELOAD"] = ":".join(preload)
        process = subprocess.Popen([options.program, "wait"], env=environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = os.read(process.stdout.fileno(), len("started\n"))
        act(process.pid)
        rest, errors = process.communicate(b"\n")
        self.output = said + rest
        self.status = process.returncode
        self.made = self.output.decode().count(" type\n")
        self.told = [line for line in errors.decode(errors="replace").splitlines() if "ddtscope" in line]


def summary(options, trace):
    read = subprocess.run([options.ddtscope, "summary", "--json", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return json.loads(read.stdout) if read.returncode == 0 else None


def check_program(native, fault, run, most_lines):
    """Each thing that cannot be written is told of once."""
    if (run.output, run.status) != (native.output, native.status):
        fail(fault, f"the program was disturbed: status {run.status}, {len(run.output)} bytes written")
    if not 1 <= len(run.told) <= most_lines:
        fail(fault, f"{len(run.told)} lines on stderr: {run.told}")


def check_trace(options, native, fault, trace, counters):
    """`counters`: "all" that were made are told of, or "none", where there is no room for even one page of counters."""
    seen = summary(options, trace)
    if seen is None:
        fail(fault, "the trace cannot be read")
        return
    made = native.made
    known = (seen["created"] or 0) + sum(lost["count"] for lost in seen["unrecorded"])
    stopped = seen["ranks"][0]["stopped"]
    with open(os.path.join(trace, "rank-0.jsonl"), "rb") as file:
        if not file.read().endswith(b"\n"):
            fail(fault, "the file does not end with a whole line")
    print(f"{fault}: {seen['definitions']} of {made} definitions, {known} of {made} types counted, stopped: {stopped}")
    if seen["complete"]:
        fail(fault, "the trace calls itself complete")
    if not seen["definitions"] < made:
        fail(fault, "nothing was lost: this was no fault")
    if counters == "none" and not any("no counters on the disk" in note for note in seen["notes"]):
        fail(fault, f"the trace does not say why it has no counts: {seen['notes']}")
    if counters != "none" and stopped is None:
        fail(fault, "the trace does not say that it was stopped")
    left_out = re.search(r"which had counted (\d+) types", stopped or "")
    known += int(left_out.group(1)) if left_out else 0
    if known != (0 if counters == "none" else made):
        fail(fault, f"{made} types were made, but {known} are counted")


def file_size_limits(options, native):
    # An emulator keeps what libunwind reads of the process's mappings in a file of its own, and is killed by its limit.
    for more in [300000] if script.IS_EMULATED else [0, 300, 20000, 300000]:
        trace = os.path.join(options.work, f"limit-{more}")

        def limit(pid, trace=trace, more=more):
            largest = max(os.path.getsize(os.path.join(trace, name)) for name in os.listdir(trace)
                          if name.endswith(".jsonl"))
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest + more, resource.RLIM_INFINITY))

        fault = f"files limited to {more} bytes more"
        check_program(native, fault, Run(options, trace, limit), 1)
        check_trace(options, native, fault, trace, "all")


@contextlib.contextmanager
def mounted(fault, place, *how):
    """Whether it could be mounted; it no longer is behind the block."""
    os.makedirs(place)
    mount = subprocess.run(["mount", *how, place], stderr=subprocess.PIPE, check=False)
    if mount.returncode != 0:
        print(f"{fault}: left out, it cannot be mounted here: {mount.stderr.decode().strip()}")
    try:
        yield mount.returncode == 0
    finally:
        if mount.returncode == 0:
            subprocess.run(["umount", place], check=True)


def small_file_systems(options, native):
    for size in ["32k", "256k", "1m"]:
        fault = f"file system of {size}"
        place = os.path.join(options.work, f"small-{size}")
        with mounted(fault, place, "-t", "tmpfs", "-o", f"size={size}", "none") as is_there:
            if is_there:
                trace = os.path.join(place, "trace")
                check_program(native, fault, Run(options, trace), 2)
                check_trace(options, native, fault, trace, "none" if size == "32k" else "all")


def fill(place):
    """Takes what room there is; what was written before is on the disk then."""
    with open(os.path.join(place, "other"), "wb", buffering=0) as other:
        for size in [1 << 20, 1 << 12]:
            with contextlib.suppress(OSError):
                while True:
                    other.write(b"x" * size)
    os.sync()


WRITES_IN_PLACE = """
import array, fcntl, mmap, os, sys
get_flags, set_flags, no_copy = 0x80086601, 0x40086602, 0x00800000  # FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_NOCOW_FL
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
flags = array.array("l", [0])
fcntl.ioctl(file, get_flags, flags)
flags[0] |= no_copy
fcntl.ioctl(file, set_flags, flags)
os.posix_fallocate(file, 0, mmap.PAGESIZE)
page = mmap.mmap(file, mmap.PAGESIZE)
page[0] = 1
print(flush=True)
sys.stdin.read()
page[0] = 2
"""


def can_write_in_place(place):
    """Whether this system's Btrfs lets a page be written that has its place, though it is full; it is empty again then."""
    own = os.path.join(place, "own")
    child = subprocess.Popen([sys.executable, "-c", WRITES_IN_PLACE, own], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    fill(place)
    child.communicate()
    for name in os.listdir(place):
        os.remove(os.path.join(place, name))
    os.sync()
    return child.returncode == 0


def full_btrfs(options, native):
    """Which gives a page another place each time it is written, though it was allocated, unless it is told otherwise."""
    fault = "full Btrfs"
    image = os.path.join(options.work, "btrfs")
    with open(image, "wb") as file:
        file.truncate(128 << 20)
    try:
        made = subprocess.run(["mkfs.btrfs", "-q", image], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError as missing:
        return print(f"{fault}: left out: {missing}")
    if made.returncode != 0:
        return print(f"{fault}: left out: {made.stdout.decode().strip()}")
    place = os.path.join(options.work, "full")
    with mounted(fault, place, "-o", "loop", image) as is_there:
        if is_there and not can_write_in_place(place):
            print(f"{fault}: left out, this system's kills whoever writes there, even in place")
        elif is_there:
            trace = os.path.join(place, "trace")
            check_program(native, fault, Run(options, trace, lambda pid: fill(place)), 2)
            check_trace(options, native, fault, trace, "all")


def lines_beside(options, native):
    """What becomes of the file that has the last lines is nothing to a program that goes on."""
    def taken(trace):
        with open(os.path.join(trace, "rank-0.lines"), "w") as other:
            other.write("another's")

    def loses(trace):
        """Once it is there: the program waits before it makes the first type."""
        return lambda pid: threading.Thread(target=remove_when_there, args=(os.path.join(trace, "rank-0.lines"), pid)).start()

    for fault, act in [("lines have no place beside the file", lambda trace: lambda pid: taken(trace)),
                       ("lines beside the file removed", loses)]:
        trace = os.path.join(options.work, fault.replace(" ", "-"))
        run = Run(options, trace, act(trace))
        seen = summary(options, trace)
        if (run.output, run.status, run.told) != (native.output, native.status, []):
            fail(fault, f"the program was disturbed: status {run.status}, told {run.told}")
        if seen is None or not seen["complete"] or seen["definitions"] != native.made:
            fail(fault, f"the trace is not whole: {seen and seen['definitions']} of {native.made} definitions")


def remove_when_there(path, pid):
    while os.path.exists(f"/proc/{pid}"):
        try:
            return os.remove(path)
        except FileNotFoundError:
            time.sleep(0.0002)


def folders(options, native):
    trace = os.path.join(options.work, "removed")
    check_program(native, "folder removed", Run(options, trace, lambda pid: shutil.rmtree(trace)), 1)
    check_program(native, "folder that cannot be", Run(options, "/dev/null/trace"), 1)


def main():
    options = script.options_of(script.parser(__doc__))
    native = Run(options)
    if native.status != 0:
        sys.exit(f"FAIL: the program itself left with {native.status}")
    file_size_limits(options, native)
    small_file_systems(options, native)
    full_btrfs(options, native)
    lines_beside(options, native)
    folders(options, native)
    return 1 if failures else 0


sys.exit(main())
