"""Each bad input gets one clear sentence on stderr, nothing on stdout, and the exit status of the contract."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
golden = reporters / "trace/testdata/v1/hand"
failures = []
count = 0
clean = {k: v for k, v in os.environ.items()
         if not k.startswith(("DDTSCOPE_", "OMPI_", "PMI", "HYD", "MPIR_", "LD_PRELOAD"))}


def expect(status, words, *arguments, environment=None, cwd=None, stdout=b""):
    global count
    count += 1
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, cwd=cwd, timeout=60,
                            env={**clean, **(environment or {})})
    error = result.stderr.decode(errors="replace")
    what = " ".join(map(str, arguments))[:120]
    if result.returncode != status:
        failures.append(f"{what}: status {result.returncode}, not {status}: {error}")
    if status != 0:
        if not error.startswith("ddtscope: ") or error.count("\n") != 1:
            failures.append(f"{what}: not one sentence: {error!r}")
        if "\x1b" in error:
            failures.append(f"{what}: a control character in the message")
    if status == 0 and not words and error:
        failures.append(f"{what}: says {error!r}")
    for word in [words] if isinstance(words, str) else words:
        if word not in error:
            failures.append(f"{what}: {word!r} is not in {error!r}")
    if stdout is not None and result.stdout != stdout:
        failures.append(f"{what}: on stdout: {result.stdout[:200]!r}")


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    lines = (golden / "rank-0.jsonl").read_text().splitlines(keepends=True)

    def trace(folder, text):
        (here / folder).mkdir()
        (here / folder / "rank-0.jsonl").write_text(text)
        return here / folder

    # Usage.
    expect(2, "say what to do")
    expect(2, ['no verb "frobnicate"', "summary"], "frobnicate")
    expect(2, "--nonsense", "summary", "--nonsense", golden)
    expect(2, "--nonsense", "--nonsense")
    expect(2, "not expected: --nonsense --other;", "summary", "--nonsense", golden, "--other")
    expect(2, "TRACE", "summary")
    expect(2, "TRACE", "types")
    expect(2, "TRACE", "pending")
    expect(2, "a trace and a type", "show", golden)
    expect(2, "--view", "show", golden, "T1", "--view", "cube")
    expect(2, "--typemap", "show", golden, "T1", "--typemap", "many")
    expect(2, "--count", "show", golden, "T1", "--count", "many")
    expect(2, "--count", "show", golden, "T1", "--count", "-1")
    expect(2, "TRACE", "measure")
    expect(2, "--count takes", "measure", golden, "T1", "--count", "0")
    expect(2, "--timeout", "measure", golden, "T1", "--timeout", "0")
    expect(2, "no type T99", "measure", golden, "T99")
    expect(2, "no compiler for programs of", "measure", golden, environment={"PATH": "/nowhere", "MPICC": ""})
    expect(2, "MPICC: there is no program", "measure", golden, environment={"PATH": "/nowhere", "MPICC": "mpicc -O3"})
    expect(2, "core files, or --pid PID", "recover", "-o", here / "recovered")
    expect(2, "output", "recover", "core")
    expect(2, "--pid", "recover", "--pid", "many", "-o", here / "recovered")
    expect(2, "--pid", "recover", "--pid", "4294967297", "-o", here / "recovered")
    expect(2, "holds a trace already", "recover", "core", "-o", golden)
    expect(3, "", "recover", "--pid", os.getpid(), here / "no-core", "-o", here / "recovered")
    expect(3, "cannot be read", "recover", here / "no-core", "-o", here / "recovered")
    expect(3, "is no core file", "recover", golden / "rank-0.jsonl", "-o", here / "recovered")
    expect(3, "no view of ddtscope's", "recover", "--pid", os.getpid(), "-o", here / "recovered")
    expect(2, ['no finding "overlapping"', "explain"], "explain", "overlapping")
    expect(2, "--output is required", "merge", golden)
    expect(2, ["holds a trace already", "-o"], "merge", golden, "-o", golden)
    expect(2, "cannot be made", "merge", golden, "-o", "/dev/null/t")
    expect(3, "no such file", "merge", here / "nothing", "-o", here / "merged-nothing")
    expect(2, "--output is required", "report", golden)
    expect(2, ["cannot be written", "-o"], "report", golden, "-o", here / "no" / "page.html")
    expect(2, "cannot be written", "report", golden, "-o", here)
    expect(3, "could not be written", "report", golden, "-o", "/dev/full")
    expect(3, "no such file", "report", here / "nothing", "-o", here / "page.html")
    # A disk that is full leaves the page that was there; a new one takes its place, what a link leads to is written into.
    page = here / "page.html"
    page.write_text("older")
    result = subprocess.run([command, "report", golden, "-o", page], capture_output=True, text=True, env=clean, restore_signals=False,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    if result.returncode != 3 or "could not be written (File too large)" not in result.stderr or page.read_text() != "older":
        failures.append(f"a page that cannot be written: {result}, {page.read_text()[:80]}")
    (here / "link.html").symlink_to(page)
    for name in ("link.html", "page.html"):
        page.write_text("older")
        expect(0, "", "report", golden, "-o", here / name)
        if "</html>" not in page.read_text()[-20:]:
            failures.append(f"{name}: {page.read_text()[-80:]}")
    if sorted(path.name for path in here.iterdir()) != ["link.html", "page.html"] or not (here / "link.html").is_symlink():
        failures.append(f"report left {list(here.iterdir())} behind")
    for path in list(here.iterdir()):
        path.unlink()
    # An option's value is one word: what stands behind it is a trace.
    (here / "none.supp").write_text("never-freed no_such_function\n")
    files = [golden / "rank-0.jsonl", golden / "rank-1.jsonl"]
    for verb, option, value, traces in (("check", "--ignore", "never-freed", [golden]), ("check", "--suppressions", here / "none.supp", files),
                                        ("diff", "--fail-on", "new-leak,count", [golden, golden]), ("check", "--fail-on", "error", files)):
        before, behind = (subprocess.run([command, verb, *words], capture_output=True, env=clean)
                          for words in ((option, value, *traces, "--json"), (*traces, "--json", option, value)))
        if (before.returncode, before.stdout, before.stderr) != (behind.returncode, behind.stdout, b"") or not before.stdout:
            failures.append(f"{verb} {option} in front of the traces: {before.stderr}")
    (here / "none.supp").unlink()
    # A word in brackets is a word.
    expect(2, "[west,2]", "show", golden, "[west,2]")
    expect(3, str(here / "[a,b]"), "summary", here / "[a,b]")
    expect(3, "[a,b]", "summary", "[a,b]", cwd=here)
    expect(2, "not expected: [x] [y]", "diff", golden, golden, "[x]", "[y]")
    expect(2, "--sarif", "check", golden, "--sarif", "--json")
    expect(2, "NEW", "diff", golden)
    expect(2, "new-moon", "diff", golden, golden, "--fail-on", "new-moon")
    expect(2, "cannot be written", "diff", golden, golden, "-o", here / "no" / "page.html")
    expect(3, "no such file", "diff", golden, here / "nothing")
    if list(here.iterdir()):
        failures.append(f"what failed left {list(here.iterdir())} behind")
    (here / "there").mkdir()
    expect(3, "no such file", "merge", here / "nothing", "-o", here / "there")
    if not (here / "there").exists():
        failures.append("a folder that merge did not make is gone")
    expect(3, "no such file", "merge", here / "nothing", "-o", here / "there/a/b")
    if list((here / "there").iterdir()):
        failures.append("merge left folders behind")
    expect(0, [], "merge", golden, "-o", here / "merged")
    expect(2, "holds a trace already", "merge", golden, "-o", here / "merged")
    # What was measured goes with the trace; what a merge has left that was killed is in nobody's way.
    shutil.copytree(golden, here / "measured")
    figures = '{"format":"ddtscope-measured","version":1,"job":"of another job","types":[]}\n'
    (here / "measured/measured.json").write_text(figures)
    (here / "merged-again").mkdir()
    (here / "merged-again/trace.jsonl.unfinished").write_text(lines[0])
    expect(0, [], "merge", here / "measured", "-o", here / "merged-again")
    beside = {file.name: file.read_text() for file in (here / "merged-again").iterdir()}
    if sorted(beside) != ["measured.json", "trace.jsonl"] or beside["measured.json"] != figures:
        failures.append(f"merge leaves {beside.keys()}")
    expect(2, ["is a merged trace", "alone"], "summary", here / "merged", golden / "rank-1.jsonl")
    expect(2, "--group-by", "types", golden, "--group-by", "colour")
    expect(2, "--color", "types", golden, "--color", "sometimes")
    # Traces.
    expect(3, [str(here / "none"), "no such file or folder", "never calls MPI_Init"], "summary", here / "none")
    (here / "empty").mkdir()
    expect(3, ["empty", "*.jsonl"], "summary", here / "empty")
    expect(3, ["rank-0.jsonl:1:", "no ddtscope trace"], "types", trace("text", "hello\n"))
    expect(3, ["no ddtscope trace"], "types", command)
    expect(3, ["rank-0.jsonl:1:", "version 10", "up to 9"], "types", trace("newer", lines[0].replace('"version":1', '"version":10')))
    # What a newer version may know: said once, and all else is read. Older versions never had any.
    unknown = "".join(lines[:1]) + '{"record":"weather","a":1}\n' * 3 + '{"record":"\\u001b[31mred"}\n' + "".join(lines[1:])
    expect(0, "", "summary", trace("unknown_old", unknown), stdout=None)
    unknown = trace("unknown", unknown.replace('"version":1', '"version":4', 1))
    for verb in (["summary"], ["types", "--json"], ["merge", "-o", here / "unknown_merged"]):
        expect(0, ["of kinds that this ddtscope does not know", '"weather"', "left out"], verb[0], unknown, *verb[1:], stdout=None)
        told = subprocess.run([command, "types", unknown], capture_output=True, text=True, env=clean)
        if told.stderr.count("\n") != 1 or "\x1b" in told.stderr:
            failures.append(f"unknown kinds are not told in one sentence: {told.stderr!r}")
    if list(here.glob("unknown_merged/*.jsonl")) == []:
        failures.append("a trace with unknown kinds is not merged")
    expect(3, ["rank-0.jsonl:4:", '"size"', "string"], "check", trace("types", "".join(lines).replace('"size":48', '"size":"big"')))
    expect(3, ["rank-0.jsonl:2:", "not JSON"], "check", trace("damaged", lines[0] + '{"record":\n' + "".join(lines[1:])))
    expect(3, ["no whole line"], "check", trace("cut_header", lines[0][:40]))
    expect(0, "", "summary", trace("cut", "".join(lines)[:-10]), stdout=None)
    two = trace("two_jobs", lines[0])
    (two / "rank-1.jsonl").write_text(lines[0].replace("4711.1", "4712.1").replace('"rank":0', '"rank":1'))
    expect(2, ["4711.1", "4712.1", "2 jobs"], "summary", two)
    hostile = json.loads(lines[0])
    hostile["rank"] = "\x1b[31mred"
    expect(3, "rank-0.jsonl:1:", "summary", trace("hostile", json.dumps(hostile) + "\n"))
    # A rank that its job cannot have; a job of more ranks than an int counts.
    expect(3, ["rank-0.jsonl:1:", '"rank"', "size"], "summary", trace("rank_beyond", lines[0].replace('"rank":0', '"rank":4')))
    for number in (-1, 2**31, 2**62):
        text = lines[0].replace('"rank":0', f'"rank":{number}').replace('"size":4', '"size":null')
        expect(3, ["rank-0.jsonl:1:", '"rank"'], "report", trace(f"rank_{number}", text), "-o", here / "page.html")
        text = (reporters / "trace/testdata/v4/merged_hand/trace.jsonl").read_text()
        text = text.replace('{"record":"process","rank":2', '{"record":"process","rank":' + str(number))
        expect(3, ["rank-0.jsonl:4:", '"rank"'], "report", trace(f"process_{number}", text), "-o", here / "page.html")
    # A stack deeper than anybody can follow.
    deep = [json.loads(line) for line in lines]
    at = next(i for i, record in enumerate(deep) if record["record"] == "instances")
    deep[at]["counts"][0][0] = 3 + 99999
    deep.insert(at, {"record": "frames", "first": 3, "parent": None, "frames": [[0, 1000 + i] for i in range(100000)]})
    expect(0, "", "report", trace("deep", "".join(json.dumps(record) + "\n" for record in deep)), "-o", here / "page.html")
    for number in (-1, 0, 2**31, 2**62):
        expect(3, ["rank-0.jsonl:1:", '"size"'], "summary", trace(f"size_{number}", lines[0].replace('"size":4', f'"size":{number}')))
    # What is no file: nobody waits for the writer of a pipe.
    (here / "pipe").mkdir()
    os.mkfifo(here / "pipe/rank-0.jsonl")
    expect(3, ["rank-0.jsonl: is a pipe"], "summary", here / "pipe")
    expect(3, ["/dev/null: is a pipe or a device"], "summary", "/dev/null")
    # Worlds.
    spawned = (reporters / "trace/testdata/v3/spawned_openmpi/rank-2.0.jsonl").read_text()
    for number in (0, 1, 2**63):
        expect(3, ["rank-0.jsonl:1:", '"world"'], "summary", trace(f"world_{number}", spawned.replace('"world":2', f'"world":{number}')))
    twice = trace("world_twice", spawned)
    (twice / "rank-1.jsonl").write_text(spawned)
    expect(3, "rank 2.0 stands in", "summary", twice)
    all_worlds = (reporters / "trace/testdata/v3/merged_openmpi/trace.jsonl").read_text()
    expect(3, ["ranks must be", "worlds"], "summary", trace("across_worlds", all_worlds.replace('["2.0","2.1"]', '["2.0","3.0"]')))
    # Types.
    expect(2, ["no type T99", "T1 to T5"], "show", golden, "T99")
    expect(2, ["no type with key"], "show", golden, "0123456789abcdef")
    expect(2, ["T1, T4"], "show", golden, "half")
    expect(2, ["nothing"], "show", golden, "nothing")
    # Arrays.
    expect(0, "", "show", golden, "T1", "--array", "4x5:MPI_DOUBLE", "--at", "1,0", stdout=None)
    for words, said in ((("--array", "4y5"), "4y5"), (("--array", "0x5"), "0x5"), (("--array", ""), "--array"),
                        (("--array", "4x5:MPI_NOTHING"), "MPI_NOTHING"), (("--at", "1,0"), "--array"), (("--row", "40"), "--array"),
                        (("--array", "4x5", "--at", "1;0"), "1;0"), (("--array", "4x5", "--at", "1,0,0"), "3 indices"),
                        (("--array", "4x5", "--row", "8"), "8 bytes apart"), (("--array", "99999x99999"), "elements")):
        expect(2, said, "show", golden, "T1", *words)

    # exec: nothing is started where something is wrong.
    plugins = {"DDTSCOPE_PLUGIN_DIR": str(here)}
    script = here / "script"
    script.write_text("#!/bin/sh\necho started\nexit 7\n")
    script.chmod(0o755)
    for library in ("openmpi", "mpich"):
        # An empty file is not loaded: ld.so warns and goes on, so these stand for plugins here.
        (here / f"libddtscope-{library}.so").touch()
    (here / "mpirun.openmpi").symlink_to("/bin/true")
    data = here / "data"
    data.write_text("no program")
    expect(2, "say the program", "exec", "-o", here / "t")
    expect(2, "say the program", "exec", "--")
    expect(2, "--verbose", "exec", "--verbose", script)
    expect(2, ["mpirun.openmpi", "inside it", "mpirun.openmpi -n 4 ddtscope exec"], "exec", "-o", here / "t", here / "mpirun.openmpi", "-n", "4", "./app")
    expect(127, "no program ddtscope-no-such-program in PATH", "exec", "--", "ddtscope-no-such-program", environment=plugins)
    expect(127, "no program ./none", "exec", "--", "./none", cwd=here)
    expect(126, ["data", "not executable"], "exec", "--", data)
    expect(126, "folder", "exec", "--", here)
    expect(2, ["links no MPI library", "--mpi"], "exec", "--", "/bin/echo", environment=plugins)
    expect(2, ["script", "--mpi"], "exec", "--", script, environment=plugins)
    expect(2, ["libddtscope-mpich.so", "DDTSCOPE_PLUGIN_DIR"], "exec", "--mpi", "mpich", "--", script,
           environment={"DDTSCOPE_PLUGIN_DIR": str(here / "empty")})
    expect(2, ["data", "must be a folder"], "exec", "--mpi", "mpich", "-o", data, "--", script, environment=plugins)
    expect(2, ["is no folder"], "exec", "--mpi", "mpich", "-o", script / "t", "--", script, environment=plugins)
    expect(2, ["--mpi"], "exec", "--mpi", "lam", "--", script, environment=plugins)
    expect(2, ["--stack"], "exec", "--stack", "-1", "--mpi", "mpich", "--", script, environment=plugins)
    expect(2, ["--stack"], "exec", "--stack", "129", "--mpi", "mpich", "--", script, environment=plugins)  # more than are recorded
    if os.geteuid() != 0:
        (here / "locked").mkdir(mode=0o555)
        expect(2, ["cannot be made"], "exec", "--mpi", "mpich", "-o", here / "locked" / "t", "--", script, environment=plugins)
    elif pathlib.Path("/proc/1").exists():  # a folder that not even root can write
        expect(2, ["cannot be made"], "exec", "--mpi", "mpich", "-o", "/proc/1/t", "--", script, environment=plugins)

    # What the program gets.
    def run(*arguments, environment=None):
        return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, cwd=here, timeout=60,
                              env={**clean, **plugins, **(environment or {})})

    show = here / "show_environment"
    show.write_text('#!/bin/sh\necho "$LD_PRELOAD|$DDTSCOPE_OUTPUT|$DDTSCOPE_STACK|$DDTSCOPE_VERIFY|$DDTSCOPE_QUIET|$*"\nexit 7\n')
    show.chmod(0o755)
    count += 4
    result = run("exec", "-o", "t/", "--stack", "128", "--verify", "--quiet", "--mpi", "mpich", "--", show, "--json", "a b",
                 environment={"LD_PRELOAD": "libother.so"})
    wanted = f"{here}/libddtscope-mpich.so:libother.so|{here.resolve()}/t|128|1|1|--json a b\n"
    if result.returncode != 7 or result.stdout.replace(str(here), str(here.resolve())) != wanted.replace(str(here), str(here.resolve())):
        failures.append(f"exec: {result.returncode} {result.stdout!r}, not {wanted!r}")
    # Without `--`; what follows the program is its own.
    plain = run("exec", "-o", "t/", "--stack=128", "--verify", "--quiet", "--mpi", "mpich", show, "--json", "a b", environment={"LD_PRELOAD": "libother.so"})
    if plain.returncode != 7 or plain.stdout != result.stdout:
        failures.append(f"exec without --: {plain.returncode} {plain.stdout!r} {plain.stderr!r}")
    own = run("exec", "--mpi", "mpich", show, "--", "-o", "x")
    if own.returncode != 7 or not own.stdout.endswith("|-- -o x\n"):
        failures.append(f"exec without --, and one of the program's own: {own.stdout!r} {own.stderr!r}")
    # Debuggers: what is ours is taken, all other words are the debugger's.
    expect(2, "--pid", "gdb", "--pid", "me")
    expect(2, "--pid", "gdb", "--pid", "0")
    expect(2, "--core", "gdb", "--core")
    expect(2, ["--mpi", "lam"], "lldb", "--mpi", "lam")
    for debugger in ("gdb", "lldb"):
        fake = here / "bin" / debugger
        fake.parent.mkdir(exist_ok=True)
        fake.write_text("#!/bin/sh\nfor word; do printf '%s|' \"$word\"; done\n")
        fake.chmod(0o755)
        words = ("-q", "--core", "c", "-ex", "run --pid 9", "--core-file", "-h2", "app")
        said = run(debugger, *words, "--", "a program", "--pid", environment={"PATH": f"{fake.parent}:{os.environ['PATH']}"})
        own = "|-q|-ex|run --pid 9|--core-file|-h2|app|-c|c|"
        if own not in said.stdout or not said.stdout.endswith("|a program|--pid|"):
            failures.append(f"{debugger} got {said.stdout!r} {said.stderr!r}")
    result = run("exec", "--", show, environment={"OMPI_COMM_WORLD_RANK": "0"})
    if f"libddtscope-openmpi.so|||||" not in result.stdout or result.returncode != 7:
        failures.append(f"exec under mpirun: {result.stdout!r} {result.stderr!r}")
    result = run("exec", "--mpi", "mpich", "--", "sh", "-c", "kill -9 $$")
    if result.returncode != -9:
        failures.append(f"exec of a killed program: {result.returncode}")
    spaced = here / "with space"
    spaced.mkdir()
    (spaced / "libddtscope-mpich.so").touch()
    expect(2, "space or a colon", "exec", "--mpi", "mpich", "--", script, environment={"DDTSCOPE_PLUGIN_DIR": str(spaced)})

    if shutil.which("gcc"):
        source = here / "empty.c"
        source.write_text("int main(void) { return 0; }\n")
        static = here / "static"
        if subprocess.run(["gcc", "-static", source, "-o", static], capture_output=True).returncode == 0:
            expect(2, "linked statically", "exec", "--mpi", "mpich", "--", static, environment=plugins)
        if os.geteuid() == 0:  # who else may give a file to another user?
            other = here / "other_user"
            subprocess.run(["gcc", source, "-o", other], check=True)
            os.chown(other, 12345, 12345)
            for mode in (0o4755, 0o2755):
                other.chmod(mode)
                expect(2, ["other_user", "set-user-ID"], "exec", "--mpi", "mpich", "--", other, environment=plugins)
            other.chmod(0o755)
            expect(0, "cannot be preloaded", "exec", "--mpi", "mpich", "--", other, environment=plugins, stdout=None)  # an empty file
        # Programs that link libraries of these names, directly and through another library.
        for library in ("libmpi.so.40", "libmpich.so.12"):
            subprocess.run(["gcc", "-shared", "-Wl,-soname," + library, "-x", "c", "/dev/null", "-o", here / library], check=True)
        subprocess.run(["gcc", "-shared", "-Wl,--no-as-needed", "-Wl,-soname,libmiddle.so", "-x", "c", "/dev/null", "-x", "none",
                        here / "libmpi.so.40", "-o", here / "libmiddle.so"], check=True)
        through = here / "through"
        subprocess.run(["gcc", source, "-Wl,--no-as-needed", here / "libmiddle.so", "-Wl,-rpath,$ORIGIN", "-Wl,-rpath-link," + str(here), "-o", through], check=True)
        expect(2, ["links openmpi", "--mpi openmpi"], "exec", "--mpi", "mpich", "--", through, environment=plugins)
        direct = here / "direct"
        subprocess.run(["gcc", source, "-Wl,--no-as-needed", here / "libmpich.so.12", "-Wl,-rpath,$ORIGIN", "-o", direct], check=True)
        expect(2, ["links mpich"], "exec", "--mpi", "openmpi", "--", direct, environment={**plugins, "OMPI_COMM_WORLD_RANK": "0"})

    # Help and version are answers, not errors.
    for arguments in (["--help"], ["--version"], ["show", "--help"], ["exec", "--help"]):
        result = run(*arguments)
        count += 1
        if result.returncode != 0 or not result.stdout or result.stderr:
            failures.append(f"{arguments}: {result.returncode} {result.stderr}")
    # Colour only where it is wanted.
    for when, environment, coloured in (("auto", {}, False), ("always", {}, True), ("never", {}, False), ("auto", {"NO_COLOR": "1"}, False)):
        result = run("types", golden, "--color", when, environment=environment)
        count += 1
        if ("\x1b" in result.stdout) != coloured:
            failures.append(f"--color {when}: {result.stdout[:80]!r}")

for failure in failures:
    print("FAILED", failure)
print(f"{count} cases, {len(failures)} failures")
sys.exit(bool(failures))
