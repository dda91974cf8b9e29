"""Cores, whole and damaged, and running processes: what gdb prints and what `ddtscope recover` makes of them."""
import pathlib
import resource
import shutil
import struct
import subprocess
import time

from harness import START, check_values, clean, contains, ddtscope, expect, gdb, options, script, types_of, work


def make_core(name, plugin=None, mode="crash", trace=None):
    """A core of the kernel's, or of what emulates the processor, where it writes one here; else of gdb's."""
    core = work / f"{name}.core"
    trace = trace or work / name
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    environment = {**clean, "LD_PRELOAD": str(plugin or options.plugin), "DDTSCOPE_OUTPUT": str(trace)}
    if mode == "crash":
        folder = work / (name + "-cores")
        folder.mkdir()
        subprocess.run([options.program, mode], env=environment, cwd=folder, capture_output=True, timeout=100,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2))
        written = list(folder.glob("qemu_*.core"))
        if not written and pattern[:1] not in ("|", "") and "/" not in pattern:
            written = list(folder.glob(pattern.split("%")[0] + "*"))
        if written:
            written[0].rename(core)
            return core
        shutil.rmtree(trace, ignore_errors=True)
    stop = [] if mode == "crash" else ["break PMPI_Type_vector", "ignore 1 700"]
    words = ["gdb", "-nx", "-batch"]
    for command in [*START, f"set environment LD_PRELOAD {plugin or options.plugin}", *stop, "run",
                    f"generate-core-file {core}"]:
        words += ["-ex", command]
    subprocess.run([*words, "--args", options.program, mode], env={**clean, "DDTSCOPE_OUTPUT": str(trace)},
                   cwd=work, capture_output=True, timeout=200, stdin=subprocess.DEVNULL)
    expect(core.exists(), f"{name}: no core was written")
    return core


def check_core():
    trace = work / "core"
    core = make_core("core", trace=trace)
    expected = {name: ddtscope("show", trace, name)[1] for name in types_of(trace)}
    expect(len(expected) >= 8, f"types of the crashed process: {list(expected)}")
    asked = [f"mpitype show {name}" for name in expected]
    for what, arguments in (("core", ["--core", core, options.program]), ("core without the executable", ["--core", core])):
        answers, errors = gdb(asked, *arguments)
        contains(errors, [], what)
        for name, answer in zip(expected, answers):
            expect(answer == expected[name], f"{what}: {name}:\n{answer}\nbut ddtscope prints\n{expected[name]}\n{errors}")
    freed, _ = gdb(["mpitype list --freed"], "--core", core, options.program)
    contains(freed[0], "MPI_Type_contiguous(5, MPI_LONG)", "freed types in a core")
    if not script.IS_EMULATED:  # in whose cores gdb does not find out where the program was
        look_at_variables(core)

    # Without gdb.
    status, _, errors = ddtscope("recover", core, "-o", work / "recovered")
    expect(status == 0 and errors == "", f"recover: {status} {errors}")
    for name, text in expected.items():
        expect(ddtscope("show", work / "recovered", name)[1] == text, f"recovered: {name}")
    # A process's memory tells nothing of what was done with types.
    contains(ddtscope("uses", work / "recovered")[1], ["No uses were recorded: this is of a process's memory"], "uses")
    checked = ddtscope("check", work / "recovered")[1]
    contains(checked, ["No messages were recorded: this is of a process's memory"], "check")
    expect("unused-type" not in checked, f"what was recovered is taken for not used: {checked[:2000]}")
    if not script.IS_EMULATED:  # whose cores have the pages of mapped files
        look_without_counters(core, trace)
        look_beside_another_job(core, trace)
    look_at_damage(core, expected)


def look_at_variables(core):
    answers, _ = gdb(["frame function here", "print renamed", "print $mpitype_size(cell)"], "--core", core, options.program)
    contains(answers[1], "T2 = MPI_Type_create_struct", "printer in a core")
    contains(answers[2], "= 11", "function in a core")
    check_values(lambda asked: gdb(asked, "--core", core, options.program)[0], "core")


def look_without_counters(core, trace):
    for counters in trace.glob("*.counters"):
        counters.rename(str(counters) + ".away")
    status, _, errors = ddtscope("recover", core, "-o", work / "recovered2")
    expect(status == 0 and "derived datatypes were live" in errors, f"recover without counters: {status} {errors}")
    contains(ddtscope("show", work / "recovered2", "T1")[1], "numbers unknown", "recovered without counters")
    for counters in trace.glob("*.away"):
        counters.rename(str(counters)[:-len(".away")])


def look_beside_another_job(core, trace):
    """What lies at the place of the process's files is another job's by now."""
    lines = trace / "rank-0.jsonl"
    own = lines.read_bytes()
    lines.write_bytes(own.replace(b'"job":"', b'"job":"another-', 1))
    status, _, errors = ddtscope("recover", core, "-o", work / "recovered3")
    expect(status == 0 and "is now another job's" in errors, f"recover beside another job's counters: {status} {errors}")
    contains(ddtscope("show", work / "recovered3", "T1")[1], "numbers unknown", "beside another job's counters")
    answers, errors = gdb(["mpitype show T1", "mpitype messages"], "--core", core, options.program)
    contains(answers[0], ["is now another job's", "numbers unknown"], f"gdb beside another job's counters {errors}")
    contains(answers[1], "is of another process.", f"gdb beside another job's pending file {errors}")
    lines.write_bytes(own)


def view_of(data):
    """Where the view stands in a core's bytes: the magic whose own address is not 0."""
    at = data.find(b"ddtsview")
    while at >= 0:
        order, version, own = struct.unpack_from("=IIQ", data, at + 8)
        if order == 0x01020304 and version == 1 and own != 0:
            return at
        at = data.find(b"ddtsview", at + 1)
    raise SystemExit("the core holds no view")


def look_at_damage(core, expected):
    data = bytearray(core.read_bytes())
    view = view_of(data)
    address = struct.unpack_from("=Q", data, view + 72)[0]  # DebugView::first_arena
    arenas = []
    while address:
        arenas.append(data.find(b"ddtarena" + struct.pack("=Q", address)))
        address = struct.unpack_from("=Q", data, arenas[-1] + 24)[0]  # DebugArena::next

    def damaged(name, change, words, may_show):
        copy = bytearray(data)
        copy = change(copy) or copy
        file = work / f"{name}.core"
        file.write_bytes(copy)
        asked = [f"mpitype show {name}" for name in expected]
        answers, errors = gdb(asked, "--core", file)
        contains("\n".join(answers) + errors, words, name)
        wrong = [answer for answer in answers if answer and "Note: parts" not in answer and answer.startswith("T") and
                 not any(answer.split("made at")[0].split("key ")[1] == text.split("made at")[0].split("key ")[1]
                         for text in expected.values())]
        expect(not wrong, f"{name}: a wrong answer:\n" + "\n".join(wrong))
        status, _, recover_errors = ddtscope("recover", file, "-o", work / f"{name}-recovered")
        expect(status == (1 if may_show else 3), f"{name}: recover: {status} {recover_errors}")
        contains(recover_errors, words, f"{name}, recovered")
        file.unlink()

    def flip(copy):
        # In the records of definitions: their kind is 4.
        for arena in arenas:
            at, end = arena + 48, arena + struct.unpack_from("=Q", data, arena + 32)[0]
            while at < end:
                length, _, _, kind = struct.unpack_from("=QQQI", data, at)
                if kind == 4:
                    copy[at + 100] ^= 0x10
                at += length

    def future(copy):
        struct.pack_into("=I", copy, view + 12, 9)

    damaged("flipped", flip, "damaged", True)
    damaged("future", future, "has version 9, but this ddtscope reads versions up to 1", False)
    half = data[:len(data) * 2 // 3] if view < len(data) * 2 // 3 else data[:view + 64]
    file = work / "cut.core"
    file.write_bytes(half)
    answers, errors = gdb(["mpitype list"], "--core", file)
    contains(answers[0] + errors, [], "cut core")
    expect(ddtscope("recover", file, "-o", work / "cut-recovered")[0] in (1, 3), "a cut core is recovered as a whole one")
    file.unlink()


def check_threads():
    trace = work / "threads"
    core = make_core("threads", mode="threads", trace=trace)
    answers, errors = gdb(["mpitype list --limit 5", "mpitype check"], "--core", core, options.program)
    contains(answers[0] + errors, ["T1", "upper triangle"], "core inside a wrapper")
    expect("damaged" not in answers[0] + answers[1] + errors, f"core inside a wrapper: {answers[0]} {errors}")
    status, _, errors = ddtscope("recover", core, "-o", work / "threads-recovered")
    expect(status == 0, f"recover of a core inside a wrapper: {status} {errors}")
    calls = {line.split(None, 8)[-1] for line in ddtscope("types", trace)[1].split("\n")[1:]}
    recovered = {line.split(None, 8)[-1] for line in ddtscope("types", work / "threads-recovered")[1].split("\n")[1:]}
    # A definition's line is written before or after it is in memory: one per thread may be in one of them only.
    expect(len(calls ^ recovered) <= 4, f"threads: {calls ^ recovered}")
    core.unlink()


def check_running():
    """A process is recovered while its threads make types, and goes on."""
    environment = {**clean, "LD_PRELOAD": options.plugin, "DDTSCOPE_OUTPUT": str(work / "running")}
    process = subprocess.Popen([options.program, "threads"], env=environment, cwd=work, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while "upper triangle" not in ddtscope("types", work / "running")[1] and time.monotonic() < until:
            time.sleep(0.1)
        answers, errors = gdb(["mpitype show T1", "mpitype check"], "--pid", process.pid)
        contains(answers[0], 'name      "upper triangle"', f"gdb on a running process: {errors}")
        for i in range(8):
            status, _, errors = ddtscope("recover", "--pid", process.pid, "-o", work / f"running-{i}")
            expect(status == 0 and errors == "", f"recover of a running process: {status} {errors}")
            contains(ddtscope("types", work / f"running-{i}")[1], ["upper triangle", "MPI_Type_vector(2, 1, 3, MPI_INT)"], "running")
        expect(process.poll() is None, "the process did not go on")
        made = [sum(int(line.split()[1].replace(",", "")) for line in ddtscope("types", work / f"running-{i}")[1].split("\n")[1:])
                for i in (0, 7)]
        expect(made[0] < made[1], f"the process made no types between: {made}")
    finally:
        process.kill()
        process.wait()


def check_later_counters():
    """A core of a process that went on: its counter file tells the future, which nobody is told as the past."""
    core, trace = work / "went-on.core", work / "went-on"
    gdb(["break debugged.cpp:share", "run", f"generate-core-file {core}", "set may-call-functions on", "call (int)MPI_Type_free(&slim)"],
        "--", options.program, trace=trace)
    status, _, errors = ddtscope("recover", core, "-o", work / "went-on-recovered")
    expect(status == 0, f"recover of a process that went on: {status}")
    contains(errors, "do not fit the handles", "recover of a process that went on")
    contains(ddtscope("show", work / "went-on-recovered", "slim")[1], "numbers unknown", "counts of later")
    answers, errors = gdb(["mpitype show slim"], "--core", core, options.program)
    contains(answers[0], ["do not fit the handles", "numbers unknown"], f"a core of a process that went on {errors}")


def check_after_the_end():
    """What was made is told as it was when the trace is finished, and the process goes on: in and behind MPI_Finalize, or in the C library's exit."""
    for name, steps in (("finalized", ["tbreak MPI_Finalize", "run", "finish"]),
                        ("exited", ["break here", "run", "break _exit", "set may-call-functions on", "call (void)exit(3)"])):
        trace, core = work / name, work / f"{name}.core"
        answers, errors = gdb([*steps, "mpitype show T1", f"generate-core-file {core}"], "--", options.program, trace=trace)
        expected = ddtscope("show", trace, "T1")[1]
        contains(expected, "MPI_Type_indexed: 1 created, 1 committed, 0 freed, 1 live", name)
        expect(answers[-2] == expected, f"{name}: T1 in the process:\n{answers[-2]}\nbut in the trace\n{expected}\n{errors}")
        status, _, errors = ddtscope("recover", core, "-o", work / f"{name}-recovered")
        expect(status == 0 and errors == "", f"recover of a process that has {name}: {status} {errors}")
        recovered = ddtscope("show", work / f"{name}-recovered", "T1")[1]
        expect(recovered == expected, f"{name}: T1 as recovered:\n{recovered}\nbut in the trace\n{expected}")


def check_plugins():
    """The plugin's file, stripped, and gone."""
    stripped = work / "stripped"
    stripped.mkdir()
    plugin = stripped / f"libddtscope-{options.library}.so"
    subprocess.run(["strip", "-o", plugin, options.plugin], check=True)
    core = make_core("of-stripped", plugin=plugin, trace=work / "of-stripped-trace")
    expected = ddtscope("show", work / "of-stripped-trace", "T1")[1]
    for what in ("a stripped plugin", "without the plugin's file"):
        answers, errors = gdb(["mpitype show T1"], "--core", core, options.program)
        expect(answers[0] == expected, f"{what}:\n{answers[0]}\n{errors}")
        plugin.unlink(missing_ok=True)
    core.unlink()
