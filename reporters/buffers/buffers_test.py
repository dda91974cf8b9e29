"""Variables of every kind, by gcc and clang at several levels of optimisation, whose places a program writes down
itself (testing/observer.c): what is observed with its own type must not be told, what is observed with another one must
be told with the variable's name."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ddtscope, root = sys.argv[1], sys.argv[2]
levels = sys.argv[3].split(",")
here = os.path.join(root, "reporters/buffers/testing")
golden = os.path.join(root, "reporters/trace/testdata/v8/communicators_mpich/rank-0.jsonl")
# Names of the same variables in the frames around the one that is observed, and what optimisation may leave no trace of.
ALSO = {"x": "given", "this->values_": "field.values_", "this->owned_": "field.owned_", "a": "heap", "b": "heap"}
MAY_BE_UNKNOWN = {"all", "p", "heap", "field->data", "numbers"}
MAY_BE_UNKNOWN_IN_FORTRAN = {"b", "matrix"}
failures = []


def fail(what, why):
    failures.append(f"{what}: {why}")


def run(*words, **more):
    return subprocess.run(list(words), capture_output=True, text=True, timeout=120, **more)


def trace_of(program, lines, folder):
    with open(golden) as file:
        header = json.loads(file.readline())
    header.update(version=9, sources=True, uses=True, program=program, size=1, job="places")
    end = {"record": "end", "complete": True, "reason": "MPI_Finalize", "ended": header["started"], "without_facts": 0, "unrecorded": []}
    module = {"record": "module", "id": 0, "path": program, "build_id": None}
    os.makedirs(folder)
    with open(os.path.join(folder, "rank-0.jsonl"), "w") as file:
        file.write("\n".join([json.dumps(header), json.dumps(module), lines.strip(), json.dumps(end)]) + "\n")


def built(compiler, source, flags, folder):
    program = os.path.join(folder, "program")
    observer = os.path.join(folder, "observer.o")
    done = run("gcc", "-O1", "-I", root, "-c", os.path.join(here, "observer.c"), "-o", observer)
    if done.returncode == 0:
        done = run(compiler, *flags, "-I", root, os.path.join(here, source), observer, "-o", program, "-lunwind", cwd=folder)
    if done.returncode != 0:
        fail(f"{compiler} {flags}", done.stderr[-2000:])
        return None
    return program


def checked(program, folder):
    ran = run(program)
    if ran.returncode != 0:
        fail(program, f"{ran.returncode} {ran.stderr}")
        return [], {"findings": [], "remarks": []}
    trace = os.path.join(folder, "trace")
    shutil.rmtree(trace, ignore_errors=True)
    trace_of(program, ran.stdout, trace)
    check = run(ddtscope, "check", "--json", trace)
    if check.returncode not in (0, 1):
        fail(program, check.stderr)
        return [], {"findings": [], "remarks": []}
    return [line.split() for line in ran.stderr.splitlines()], json.loads(check.stdout)


def try_variables(compiler, source, flags):
    what = f"{compiler} {' '.join(flags)} {source}"
    with tempfile.TemporaryDirectory() as folder:
        program = built(compiler, source, flags, folder)
        if program is None:
            return
        observed, answer = checked(program, folder)
        told = [finding["message"] for finding in answer["findings"] if finding["id"] in ("source-type", "buffer-too-small")]
        names = lambda name: [name, ALSO.get(name, name)]
        is_told = lambda name, kind: any(f"x {kind} from `{one}`" in message for one in names(name) for message in told)
        wrong = {(one, kind) for name, kind, _ in observed if name[0] == "-" for one in names(name[1:])}
        for mark, name, kind in sorted({(name[0], name[1:], kind) for name, kind, _ in observed}):
            if mark == "+" and (name, kind) not in wrong and is_told(name, kind):
                fail(what, f"{name} is told though it is {kind}")
            lost = MAY_BE_UNKNOWN | (MAY_BE_UNKNOWN_IN_FORTRAN if compiler == "gfortran" else set())
            may_be_unknown = name == "all" or (flags[0] != "-O0" and name in lost)
            if mark == "-" and not may_be_unknown and not is_told(name, kind):
                fail(what, f"{name} is not told though it is not {kind}")
        if answer["remarks"]:
            fail(what, f"{answer['remarks']}")


def try_without_information():
    """A stripped program, one with its information in another file, one of another build, and one that is damaged."""
    with tempfile.TemporaryDirectory() as folder:
        program = built("gcc", "variables.c", ["-O0", "-g", "-Wl,--build-id"], folder)
        if program is None:
            return
        apart = os.path.join(folder, "information")
        whole = checked(program, folder)[1]["findings"]
        run("objcopy", "--only-keep-debug", program, apart)
        run("objcopy", "--strip-debug", program)
        none = checked(program, folder)[1]
        if none["findings"] or len(none["remarks"]) != 1 or "no debugging information: compile it with -g" not in none["remarks"][0]:
            fail("stripped", f"{none['findings']} {none['remarks']}")
        run("objcopy", f"--add-gnu-debuglink={apart}", program)
        with_file = checked(program, folder)[1]["findings"]
        if [one["message"] for one in with_file] != [one["message"] for one in whole]:
            fail("separate file", f"{len(with_file)} findings, not {len(whole)}")
        trace = os.path.join(folder, "trace", "rank-0.jsonl")
        with open(trace) as file:
            text = file.read()
        with open(trace, "w") as file:
            file.write(text.replace('"build_id": null', '"build_id": "0123456789abcdef"'))
        other = json.loads(run(ddtscope, "check", "--json", os.path.dirname(trace)).stdout)
        if other["findings"] or len(other["remarks"]) != 1 or "another build id" not in other["remarks"][0]:
            fail("another build", f"{other['findings']} {other['remarks']}")
        with open(apart, "rb") as file:
            information = bytearray(file.read())
        for step in (97, 331, 1009):
            damaged = bytearray(information)
            for at in range(4096, len(damaged), step):
                damaged[at] ^= 0x5A
            with open(apart, "wb") as file:
                file.write(damaged)
            with open(trace, "w") as file:
                file.write(text)
            check = run(ddtscope, "check", "--json", os.path.dirname(trace))
            if check.returncode not in (0, 1):
                fail("damaged", f"{check.returncode} {check.stderr[-500:]}")


for level in levels:
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            try_variables(compiler, "variables.c", [level, "-g"])
    for compiler in ("g++", "clang++"):
        if shutil.which(compiler):
            try_variables(compiler, "variables.cpp", [level, "-g"])
    if shutil.which("gfortran"):
        try_variables("gfortran", "variables.f90", [level, "-g"])
for flags in (["-O2", "-gdwarf-4"], ["-O0", "-g", "-gsplit-dwarf"]):
    try_variables("gcc", "variables.c", flags)
try_without_information()
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
