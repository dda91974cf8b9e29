"""Variables of every kind, by gcc and clang at several levels of optimisation, whose places a program writes down
itself (testing/observer.c): what is observed with its own type must not be told, what is observed with another one must
be told with the variable's name."""
import functools
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "testing"))
import observed
from observed import run

ddtscope = sys.argv[1]
levels = sys.argv[2].split(",")
# What optimisation may leave no trace of.
MAY_BE_UNKNOWN = {"all", "p", "heap", "field->data", "numbers", "elsewhere", "top->cells", "rows[0]", "rows[2]", "buffer.data_", "shared", "owner.outgoing"}
MAY_BE_UNKNOWN_IN_FORTRAN = {"b", "matrix", "local%values"}
# What it does not say when it optimises, from that version on: where arrays of variable length lie, and where the beginning of one
# does that is filled with constants (it says those).
UNKNOWN_TO_CLANG = {15: {"array", "grid"}, 20: {"here"}}
OF_COMMON = {"first", "second", "blank"}  # gcc's link-time optimisation leaves out where COMMON blocks lie
failures = []


def fail(what, why):
    failures.append(f"{what}: {why}")


@functools.cache
def version_of_clang():
    return int(run("clang", "-dumpversion").stdout.split(".")[0])


def built(compiler, source, flags, folder):
    more = ["-std=c++20"] if source.endswith(".cpp") else []
    try:
        return observed.built(compiler, source, [*flags, *more], folder)
    except observed.NotBuilt as problem:
        fail(f"{compiler} {flags} {source}", problem)
        return None


def checked(program, folder):
    """What the program said of its variables, and what `check` says of all of them together."""
    nothing = [], {"findings": [], "remarks": []}
    try:
        lines, named = observed.observed(program)
    except observed.NotBuilt as problem:
        fail(program, problem)
        return nothing
    trace = os.path.join(folder, "trace")
    shutil.rmtree(trace, ignore_errors=True)
    observed.write_trace(program, lines, trace)
    check = run(ddtscope, "check", "--json", trace)
    if check.returncode not in (0, 1):
        fail(program, check.stderr)
        return nothing
    return named, json.loads(check.stdout)


def try_variables(compiler, source, flags, change=None):
    """`change` is what is done to the program's file before it is looked at."""
    what = f"{compiler} {' '.join(flags)} {source}{' ' + change.__name__ if change else ''}"
    with tempfile.TemporaryDirectory() as folder:
        program = built(compiler, source, flags, folder)
        if program is None:
            return
        if change is not None:
            change(program, folder)
        named, answer = checked(program, folder)
        told = observed.told_of(answer)
        is_told = lambda name, kind: any(f"x {kind} from `{one}`" in message for one in observed.names_of(name) for message in told)
        wrong = {(one, kind) for name, kind, _ in named if name[0] == "-" for one in observed.names_of(name[1:])}
        for mark, name, kind in sorted({(name[0], name[1:], kind) for name, kind, _ in named}):
            if mark == "+" and (name, kind) not in wrong and is_told(name, kind):
                fail(what, f"{name} is told though it is {kind}")
            lost = MAY_BE_UNKNOWN | (MAY_BE_UNKNOWN_IN_FORTRAN if compiler == "gfortran" else set())
            if compiler == "clang":
                lost = lost.union(*(names for version, names in UNKNOWN_TO_CLANG.items() if version_of_clang() >= version))
            if "-flto" in flags and compiler == "gfortran":
                lost = lost | OF_COMMON
            may_be_unknown = name == "all" or ("-O0" not in flags and name in lost)
            if mark == "-" and not may_be_unknown and not is_told(name, kind):
                fail(what, f"{name} is not told though it is not {kind}")
        # What is told of none of the names that were wrong is told of another variable.
        for message in told:
            if not any(f"x {kind} from `{one}`" in message for one, kind in wrong):
                fail(what, f"told of another variable: {message}")
        if answer["remarks"]:
            fail(what, f"{answer['remarks']}")


def compressed_by_dwz(program, folder):
    """What two files of debugging information have in common is put into a third one (DW_TAG_imported_unit, references
    to another file)."""
    other, common = os.path.join(folder, "other"), os.path.join(folder, "common")
    shutil.copy(program, other)
    done = run("dwz", "-m", common, program, other)
    if done.returncode != 0 or not os.path.exists(common):
        fail("dwz", f"{done.returncode} {done.stderr}")


def without_symbols(program, _):
    """Without the linker's own symbols; the debugging information stays."""
    done = run("objcopy", "--strip-all", "--keep-section=.debug_*", program)
    if done.returncode != 0:
        fail("objcopy", done.stderr)


def try_dropped_variables():
    """A thread's variables that the linker has left out, and one that lies where their information says that they do."""
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            flags = ["-O0", "-g", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
            try_variables(compiler, "more_variables.c", [*flags, "-DDROPPED=3"])
            try_variables(compiler, "more_variables.c", [*flags, "-DDROPPED=400"], without_symbols)


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


def try_without_parts():
    """-gsplit-dwarf, and the other files are gone."""
    for flags in (["-O0", "-gdwarf-4", "-gsplit-dwarf"], ["-O0", "-gdwarf-5", "-gsplit-dwarf"]):
        with tempfile.TemporaryDirectory() as folder:
            program = built("gcc", "variables.c", flags, folder)
            if program is None:
                return
            for name in os.listdir(folder):
                if name.endswith(".dwo"):
                    os.remove(os.path.join(folder, name))
            answer = checked(program, folder)[1]
            if answer["findings"] or len(answer["remarks"]) != 1 or "-gsplit-dwarf" not in answer["remarks"][0]:
                fail("without .dwo", f"{answer['findings']} {answer['remarks']}")


SOURCES = {
    "gcc": ["variables.c", "more_variables.c"], "clang": ["variables.c", "more_variables.c"],
    "g++": ["variables.cpp", "more_variables.cpp"], "clang++": ["variables.cpp", "more_variables.cpp"],
    "gfortran": ["variables.f90", "more_variables.f90"],
}
compilers = [compiler for compiler in SOURCES if shutil.which(compiler)]
for level in levels:
    for compiler in compilers:
        for source in SOURCES[compiler]:
            try_variables(compiler, source, [level, "-g"])
if "-O2" in levels:
    for flags in (["-O2", "-gdwarf-4"], ["-O0", "-g", "-gsplit-dwarf"], ["-O1", "-g", "-flto"]):
        try_variables("gcc", "variables.c", flags)
else:  # the rest of the matrix
    for compiler in compilers:
        for flags in (["-O0", "-gdwarf-4"], ["-O2", "-gdwarf-4"], ["-O0", "-gdwarf-5"], ["-O2", "-g", "-flto"]):
            if "-flto" in flags and "clang" in compiler and not shutil.which("ld.lld"):
                continue
            for source in SOURCES[compiler]:
                try_variables(compiler, source, flags)
        if compiler != "gfortran":
            for level in ("-O0", "-O2"):
                try_variables(compiler, SOURCES[compiler][0], [level, "-g", "-gsplit-dwarf"])
                try_variables(compiler, SOURCES[compiler][0], [level, "-gdwarf-4", "-gsplit-dwarf"])
if shutil.which("dwz"):
    for compiler in ("gcc", "g++", "gfortran"):
        if compiler in compilers:
            try_variables(compiler, SOURCES[compiler][0], ["-O2", "-gdwarf-4"], compressed_by_dwz)
            try_variables(compiler, SOURCES[compiler][1], ["-O0", "-gdwarf-5"], compressed_by_dwz)
try_without_parts()
try_dropped_variables()
try_without_information()
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
