#!/usr/bin/env python3
"""gdb and lldb on processes and cores that run under the plugin: what is printed is right, is what `ddtscope` prints of
the trace, and what is bad gets one sentence. No function of the program may be called throughout.

    run_debuggers.py --library L --ddtscope D --plugin P --launcher MPIRUN --program PROGRAM
        --wrong-stride PROGRAM --page DEBUGGER.md --live-types PROGRAM --work FOLDER ...
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from run_case import base_environment  # noqa: E402

parser = argparse.ArgumentParser()
for option in ("library", "ddtscope", "plugin", "launcher", "program", "wrong-stride", "page",
               "live-types", "auto-load", "work"):
    parser.add_argument("--" + option, required=True)
for option in ("debugged_f08", "debugged_mpif", "lldb"):
    parser.add_argument("--" + option)
parser.add_argument("--only", nargs="+", help="functions of this file, such as check_core")
options = parser.parse_args()
work = pathlib.Path(options.work)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
failures = []
clean = {key: value for key, value in base_environment().items() if key != "LD_PRELOAD"}
START = ["set may-call-functions off", "set pagination off", "set width 0", "set breakpoint pending on",
         "set debuginfod enabled off"]


def expect(condition, what):
    if not condition:
        failures.append(what)


def contains(text, words, what):
    for word in [words] if isinstance(words, str) else words:
        expect(word in text, f"{what}: {word!r} is not in\n{text}")
    expect("Traceback" not in text and "Python Exception" not in text, f"{what}: a traceback in\n{text}")


def gdb(commands, *arguments, trace=None, marks=True, environment=None):
    """What gdb prints for each command, by a mark before each."""
    words = [options.ddtscope, "gdb", "-nx", "-batch"]
    for command in START:
        words += ["-ex", command]
    for command in commands:
        words += (["-ex", f"echo \\n@@{len(words)}\\n"] if marks else []) + ["-ex", command]
    result = subprocess.run([*words, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=200,
                            cwd=work, env={**clean, **({"DDTSCOPE_OUTPUT": str(trace)} if trace else {}),
                                           **(environment or {})}, stdin=subprocess.DEVNULL)
    # Each error stands on stderr: put behind, where it is looked for by words alone.
    answers = [part.split("\n", 1)[-1].strip("\n") for part in re.split(r"\n@@", result.stdout)[1:]]
    return answers + [""] * (len(commands) - len(answers)), result.stderr


def ddtscope(*arguments):
    result = subprocess.run([options.ddtscope, *map(str, arguments)], capture_output=True, text=True, env=clean, timeout=100)
    return result.returncode, result.stdout.strip("\n"), result.stderr


def types_of(trace):
    return re.findall(r"^(T\d+) ", ddtscope("types", trace)[1], re.MULTILINE)


def rows(text):
    """offset, type and value of each line of `mpitype values`."""
    return [(line[0], line[1], line[2]) for line in re.findall(
        r"^ +(?:\[\d+\] )?\d* +(-?[\d,]+)  +0x[0-9a-f]+  (\S+|\(hole\)) +(.*)$", text, re.MULTILINE)]


VALUES = {
    "values triangle matrix": [(str(8 * i), "MPI_DOUBLE", str(i)) for i in (0, 1, 2, 3, 5, 6, 7, 10, 11, 15)],
    "values cell cells 2 --holes": [
        ("0", "MPI_CHAR", "97 'a'"), ("1", "(hole)", "7 bytes"), ("8", "MPI_DOUBLE", "1.5"), ("16", "MPI_SHORT", "1"),
        ("18", "(hole)", "6 bytes"), ("24", "MPI_CHAR", "98 'b'"), ("25", "(hole)", "7 bytes"),
        ("32", "MPI_DOUBLE", "-2.25"), ("40", "MPI_SHORT", "2")],
    "values backward &numbers[4]": [("0", "MPI_INT", "14"), ("-8", "MPI_INT", "12"), ("-16", "MPI_INT", "10")],
    "values wave waves": [("0", "MPI_C_DOUBLE_COMPLEX", "(1, -2)"), ("16", "MPI_C_DOUBLE_COMPLEX", "(0.5, 4)")],
    "values pair best": [("0", "MPI_DOUBLE", "3.25"), ("8", "MPI_INT", "7"), ("16", "MPI_DOUBLE", "-1"),
                         ("24", "MPI_INT", "8")],
    "values slim numbers 3": [("0", "MPI_INT", "10"), ("8", "MPI_INT", "12"), ("16", "MPI_INT", "14")],
    "values MPI_INT numbers 2": [("0", "MPI_INT", "10"), ("4", "MPI_INT", "11")],
    "values slim 16": [("0", "MPI_INT", "(memory cannot be read)")],
}


def check_values(ask, what):
    """`ask` takes commands, and gives what each printed."""
    commands = list(VALUES) + ["values absolute 0"]
    answers = ask(["mpitype " + command for command in commands])
    for command, answer in zip(commands, answers):
        if command in VALUES:
            expect(rows(answer) == VALUES[command], f"{what}: {command}: {rows(answer)} in\n{answer}")
        else:
            expect([(kind, value) for _, kind, value in rows(answer)] == [("MPI_INT", "77"), ("MPI_DOUBLE", "0.125")],
                   f"{what}: {command}:\n{answer}")
            contains(answer, "at MPI_BOTTOM", what)


def check_live():
    trace = work / "live"
    shown = ["print triangle", "print by_reference", "print renamed", "print constant", "print garbage", "print nothing",
             "print freed", "print uncommitted", "info args"]
    facts = ["print $mpitype_size(cell)", "print $mpitype_extent(cell)", "print $mpitype_lb(backward)",
             "print $mpitype_true_extent(cell)", "print $mpitype_committed(cell)", "print $mpitype_committed(uncommitted)",
             "print $mpitype_committed(garbage)", "print $mpitype_name(slim)", "print $mpitype_id(triangle)"]
    places = ["mpitype where &matrix[2][3] matrix triangle", "mpitype where &matrix[2][1] matrix triangle",
              "mpitype where &cells[1].flags cells cell 2", "mpitype where (char*)&cells[0]+3 cells cell",
              "mpitype where &matrix[3][3]+1 matrix triangle"]
    saved = work / "saved.jsonl"
    commands = ["break here", "run", *shown, *facts, *places, "mpitype list --live", "mpitype list --name ^slim$",
                "mpitype list --site no_such_function", "mpitype code slim", "mpitype check", f"mpitype save {saved}",
                "break MPI_Send", "continue", "mpitype frame", "up", "mpitype frame", "stepi 3", "mpitype frame"]
    answers, errors = gdb(commands, "--", options.program, trace=trace)
    said = dict(zip(commands, answers))
    contains(errors, [], "live")
    contains(said["print triangle"], ['T1 "upper triangle" = MPI_Type_indexed(4, ', "size 80, extent 128, committed"], "printer")
    contains(said["print by_reference"], 'T1 "upper triangle"', "a reference")
    contains(said["print renamed"], "T2 = MPI_Type_create_struct", "a user's typedef")
    contains(said["print constant"], "T3 = MPI_Type_vector(3, 1, -2, MPI_INT)", "const")
    contains(said["info args"], ["by_reference", 'T1 "upper triangle"', "renamed", "T2 =", "T3 ="], "arguments")
    expect(re.fullmatch(r"\$\d+ = 0x12345678", said["print garbage"]) is not None, f"garbage: {said['print garbage']}")
    contains(said["print nothing"], "= MPI_DATATYPE_NULL", "null")
    contains(said["print freed"], "freed; was T", "freed")
    contains(said["print uncommitted"], "not committed", "uncommitted")
    for command, value in zip(facts, ("11", "24", "-16", "18", "1", "0", "0", '"slim"', '"T1"')):
        # Open MPI and the standard give the vector's lower bound alike.
        expect(said[command].endswith("= " + value), f"{command}: {said[command]}, not {value}")
    contains(said[places[0]], ["byte 0 of entry 8, MPI_DOUBLE at offset 88, value 11", "T1 block 2, element 1 > MPI_DOUBLE"], "where")
    contains(said[places[1]], ["in a gap", "16 bytes from offset 64 on", "below: entry 6", "above: entry 7"], "where, a gap")
    contains(said[places[2]], ["entry 2 of copy 1, MPI_SHORT at offset 40, value 2", "T2 member 2 > MPI_SHORT"], "where, copy 1")
    contains(said[places[3]], "in a gap", "where, in the struct")
    contains(said[places[4]], "not in it, 1 byte behind the last byte", "where, outside")
    contains(said["mpitype list --live"], ["T1", "upper triangle", "make_types"], "list")
    expect("MPI_Type_contiguous(5, MPI_LONG)" not in said["mpitype list --live"], "a freed type is listed as live")
    expect(len(said["mpitype list --name ^slim$"].split("\n")) == 2, "list by name:\n" + said["mpitype list --name ^slim$"])
    contains(said["mpitype list --site no_such_function"], "No datatype is like that", "list by site")
    contains(said["mpitype code slim"], ["MPI_Type_create_resized(MPI_INT, 0, 8, &t", "MPI_Type_commit(&t"], "code")
    expect(ddtscope("types", saved)[0] == 0, "the saved trace is not read")
    for i, where in ((-5, "at the call's entry"), (-3, "above it"), (-1, "inside, by the caller's source")):
        contains(answers[i], ["MPI_Send", 'buffer: ', 'T1 "upper triangle"', "1 copy of T1", "10 entries of 80 bytes"], "frame " + where)
    check_values(lambda asked: gdb(["break here", "run", *asked], "--", options.program, trace=work / "values")[0][2:], "live")

    # What is printed of a type is what the command prints of the trace; views, too. T4 depends on addresses.
    kept = work / "kept"
    asked = [f"mpitype show T{i}" for i in (1, 2, 3, 5, 6)] + ["mpitype show T1 --view runs", "mpitype show T2 --view tree"]
    copy = [f"python import shutil; shutil.copytree({str(trace) + '2'!r}, {str(kept)!r})"]
    answers, _ = gdb(["break here", "run", *copy, *asked], "--", options.program, trace=str(trace) + "2")
    for command, answer in zip(asked, answers[3:]):
        expected = ddtscope("show", kept, *command.split()[2:])[1]
        expect(answer == expected, f"{command}:\n{answer}\nbut ddtscope prints\n{expected}")


def check_conditions():
    commands = ["break MPI_Send if $mpitype_committed($rdx) == 0", "run"]
    answers, errors = gdb(commands, "--", options.program, trace=work / "condition")
    contains(answers[1] + errors, "exited normally", "a condition that never holds")
    commands = ['break MPI_Send if $_streq($mpitype_name($rdx), "upper triangle")', "run", "bt 2"]
    answers, _ = gdb(commands, "--", options.program, trace=work / "condition2")
    contains(answers[2], "send_to_self", "a condition that holds")


def check_frames():
    """What `mpitype frame` takes from the source is said to be from there, and is never another call's."""
    commands = ["break share", "run", "break PMPI_Bcast", "break PMPI_Allreduce"]
    for _ in range(4):
        commands += ["continue", "mpitype frame", "stepi 3", "mpitype frame"]
    answers, errors = gdb(commands, "--", options.program, trace=work / "frames")
    entered, inside = answers[5::4], answers[7::4]
    for answer, words in zip(entered, (["T2 =", "1 copy of T2"], "1 copy of T1", "1 copy of T1", ["send buffer: MPI_IN_PLACE", "1 copy of MPI_INT"])):
        contains(answer, words, f"frame at entry {errors}")
        expect("by the source" not in answer, "frame at entry is not by the source:\n" + answer)
    unknown = "its arguments are not known"
    for answer, words in zip(inside, (unknown, ["by the source, debugged.cpp:", "1 copy of T1"], unknown,
                                      ["by the source, debugged.cpp:", "send buffer: MPI_IN_PLACE", "1 copy of MPI_INT"])):
        contains(answer, words, f"frame by the source {errors}")
        expect((words == unknown) == ("copy of" not in answer), "frame by the source:\n" + answer)


def check_exchange():
    """Calls that have a part for each rank or neighbour."""
    calls = ["Alltoallw", "Alltoallv", "Gatherv", "Allgather", "Reduce_scatter"]
    commands = [f"break MPI_{name}" for name in [*calls, "Neighbor_alltoallw"]] + ["run"]
    for _ in calls:
        commands += ["mpitype frame", "continue"]
    words = ["mpitype frame", "mpitype frame --ranks 2", "mpitype frame --ranks 2 --limit 1", "mpitype frame --ranks 1000000",
             "mpitype frame --ranks 100000000", "stepi 3", "mpitype frame --ranks 2", "up", "mpitype values MPI_INT received"]
    answers, errors = gdb([*commands, *words], "--", options.program, "exchange", trace=work / "exchange")
    said = dict(zip(calls, answers[len(calls) + 2::2]))
    buffers = {name: re.findall(r"^  (\w+ buffer): (.*)$", text, re.MULTILINE) for name, text in said.items()}
    for name in ("Alltoallw", "Alltoallv"):
        expect(buffers[name] == [("send buffer", "parts for 1 of 1 rank"), ("receive buffer", "parts from 1 of 1 rank")],
               f"frame of MPI_{name}:\n{said[name]}\n{errors}")
    contains(said["Alltoallw"], ["rank 0: 1 copy of T7", "(bytes 16 to 19 of the buffer)"], "displacements in bytes")
    contains(said["Alltoallv"], ["rank 0: 1 copy of T7", "(bytes 24 to 27 of the buffer)", "(bytes 12 to 15 of the buffer)"],
             "displacements in extents")
    contains(said["Gatherv"], ["2 copies of MPI_INT", "rank 0: 2 copies of T7", "(bytes 128 to 139 of the buffer)"], "MPI_Gatherv")
    contains(said["Allgather"], "2 for each of 1 rank:\n    2 copies of MPI_INT", "MPI_Allgather")
    expect(said["Reduce_scatter"].count("    2 copies of MPI_INT") == 2, f"MPI_Reduce_scatter:\n{said['Reduce_scatter']}")
    unknown, known, limited, unreadable, too_long, _, inside, _, container = answers[-len(words):]
    expect(unknown.count("of which the number is not known") == 2 and "copy" not in unknown, f"neighbours:\n{unknown}")
    contains(known, ["parts for 2 of 2 neighbours\n    T3 = ", "neighbour 0: 1 copy of T3", "(bytes 0 to 19 of the buffer)",
                     "neighbour 1: 3 copies of MPI_INT", "(bytes 20 to 31 of the buffer)", "(bytes 64 to 75 of the buffer)"],
             "2 neighbours")
    contains(limited, "    neighbour 0: 1 copy of T3", "1 of 2 neighbours")
    expect("neighbour 1" not in limited and limited.count("... 1 more") == 2, f"1 of 2 neighbours:\n{limited}")
    contains(unreadable, "stands in memory that cannot be read", "too many neighbours")
    contains(too_long, "too long to be looked at", "far too many neighbours")
    contains(inside, ["by the source, debugged.cpp:", "neighbour 1: 3 copies of MPI_INT", "`received.data()` is not evaluated"],
             "neighbours by the source")
    contains(errors, "a std::vector keeps its elements elsewhere", f"a vector as a buffer: {container}")

    # Two ranks, each under a gdb of its own.
    folder = work / "exchange-ranks"
    folder.mkdir()
    words = [options.launcher, "-n", "2", "sh", "-c", 'exec "$@" >$$.out 2>&1', "sh", options.ddtscope, "gdb", "-nx", "-batch"]
    for command in [*START, *(f"break MPI_{name}" for name in calls), "run", *["mpitype frame", "continue"] * len(calls)]:
        words += ["-ex", command]
    result = subprocess.run([*words, "--", options.program, "exchange"], capture_output=True, text=True, cwd=folder, timeout=200,
                            env={**clean, "DDTSCOPE_OUTPUT": str(work / "exchange-trace")}, stdin=subprocess.DEVNULL)
    # Each rank sends to the other; the root alone gathers.
    ranks = sorted((text.read_text() for text in folder.glob("*.out")), key=lambda text: "the root, has one" in text)
    expect(len(ranks) == 2, f"two ranks: {result.stderr}")
    for rank, text in enumerate(ranks):
        contains(text, [f"MPI_Alltoallw\n  send buffer: parts for 1 of 2 ranks\n    T7", f"    rank {1 - rank}: 1 copy of T7",
                        "(bytes 16 to 19 of the buffer)", "2 for each of 2 ranks:\n    4 copies of MPI_INT",
                        "MPI_Reduce_scatter\n  send buffer: MPI_INT\n    4 copies of MPI_INT",
                        "  receive buffer: rank 0, the root, has one" if rank else "receive buffer: parts from 2 of 2 ranks"],
                 f"rank {rank} of 2")
        expect(f"    rank {rank}: 1 copy" not in text, f"rank {rank} of 2: a part of no bytes is shown")


def check_questions():
    """One sentence for what cannot be answered, and nothing is called for it: a string has no place in the process."""
    bad = {
        "mpitype show triangle --limit 4000000000000": "a limit of 4,000,000,000,000 is too much to print; the highest is 1,000,000.",
        "mpitype values triangle matrix --limit 4000000": "a limit of 4,000,000 is too much to print",
        "mpitype list --limit 1000001": "a limit of 1,000,001 is too much to print",
        "mpitype list --live --freed": "--live and --freed exclude each other",
        "mpitype show T99": "there is no type T99; the process has T1 to T10 (`mpitype list` lists them with keys and names).",
        "mpitype show MPI_DATATYPE_NULL": "MPI_DATATYPE_NULL is no datatype.",
        "mpitype show &triangle": "but points to one: put * in front.",
        "mpitype values cell cells 1.5": "1.5, of type double, is no integer.",
        "mpitype values cell cells matrix": "matrix, of type double [4][4], is no integer.",
        'mpitype values cell "there"': "there cannot be evaluated: No symbol",
        'mpitype values cell cells "of_them"': "of_them cannot be evaluated: No symbol",
        "mpitype show 'a'+\"no\"": "'a'+\"no\" cannot be evaluated: ",
        "mpitype values cell (\"there\")": "has no address",
    }
    called = "python gdb.events.inferior_call.connect(lambda _: gdb.write('CALLED'))"
    good = ["mpitype values overlapping numbers 0", "mpitype where (char*)numbers+4 numbers overlapping",
            "mpitype values absolute MPI_BOTTOM", 'mpitype values cell "&cells[0]" 1', "info args"]
    answers, errors = gdb(["set may-call-functions on", called, "break here", "run", *bad, *good], "--", options.program,
                          trace=work / "questions")
    for command, words in bad.items():
        expect(len([line for line in errors.split("\n") if words in line]) == 1, f"{command}: {words!r} is not one sentence of\n{errors}")
    empty, twice, bottom, quoted, _ = answers[-len(good):]
    expect(empty.endswith("have no entries: nothing is touched."), f"no copies:\n{empty}")
    expect(sorted(re.findall(r"by(?:te 0 of)? entry (\d), MPI_INT at offset 4", twice)) == ["1", "2"], f"two entries cover a byte:\n{twice}")
    expect([value for _, _, value in rows(bottom)] == ["77", "0.125"], f"MPI_BOTTOM:\n{bottom}")
    expect([value for _, _, value in rows(quoted)] == ["97 'a'", "1.5", "1"], f"an expression in quotes:\n{quoted}")
    expect("CALLED" not in "".join(answers), "a function of the program was called")
    contains("".join(answers) + errors, [], "questions")
    answers, errors = gdb(["break all_are_alive", "run", "up", "print count", "mpitype show count"], "--", options.live_types, "10",
                          trace=work / "optimized")
    if "<optimized out>" in answers[3]:  # as it is where the build optimizes
        contains(errors, "count has been optimized out here", "a value that is not kept")


def check_not_recorded():
    """What there was no room for is not said to be garbage, or not to be."""
    answers, errors = gdb(["break here", "run", "mpitype list", "print triangle", "mpitype show triangle"], "--", options.program,
                          trace=work / "no-room", environment={"DDTSCOPE_MAX_MEMORY": "1000"})
    contains(answers[2], ["No derived datatype is recorded.", "10 types could not be recorded: `mpitype check` tells."], "list")
    contains(answers[3], "a datatype that could not be recorded", "print")
    contains(errors, "triangle: a datatype that could not be recorded.", "show")
    answers, errors = gdb(["break here", "run", "mpitype list"], "--", options.program, trace="/proc/no/such/folder")
    contains(errors, "no datatype is recorded: MPI had not started, or ddtscope stands aside", "without a trace")


def check_other_threads():
    """In non-stop mode other threads make types while one stands still: each command reads anew."""
    answers, errors = gdb(["set non-stop on", "break make_types_for_ever if seed == 33", "run", "mpitype show T11", "shell sleep 1",
                           "mpitype show T11", "kill"], "--", options.program, "threads", trace=work / "non-stop")
    made = [re.search(r"MPI_Type_vector: ([\d,]+) created", answer) for answer in (answers[3], answers[5])]
    expect(all(made) and made[0][1] != made[1][1], f"types of running threads:\n{answers[3]}\n{answers[5]}\n{errors}")


def check_newer_source():
    old = work / "old"
    shutil.copy(options.program, old)
    os.utime(old, (0, 0))
    for program, said in ((options.program, False), (old, True)):
        # The plugin's own call, in MPI_Init, comes first.
        commands = ["break MPI_Allreduce", "run", "continue", "stepi 3", "mpitype frame"]
        answers, errors = gdb(commands, "--", program, trace=work / "old-trace")
        contains(answers[-1], "by the source, debugged.cpp:", f"frame by the source {errors}")
        expect((", which is newer than the program:" in answers[-1]) == said, f"whether the source of {program} is newer:\n{answers[-1]}")


def same(text):
    """Without what is another in each process: addresses, numbers of values and frames, folders."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"^(\$|#)\d+", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"\S*/(?=wrong_stride)", "", text).strip("\n")


def check_page():
    """The sessions of DEBUGGER.md are what one gets."""
    page = pathlib.Path(options.page).read_text()
    live, before, dead = re.findall(r"^```\n((?:\$ ddtscope gdb|\(gdb\) break MPI_Sendrecv).*?)^```", page, re.MULTILINE | re.DOTALL)
    folder = work / "page"
    folder.mkdir()
    core = folder / "core"
    for block, arguments in ((live, ["--", options.wrong_stride]), (before, ["--", options.wrong_stride]),
                             (dead, ["--core", core, options.wrong_stride])):
        steps = [part.partition("\n")[::2] for part in block.split("(gdb) ")[1:]]
        saves = [f"generate-core-file {core}"] if block is live else []
        answers, errors = gdb([command for command, _ in steps] + saves, *arguments, trace=folder / "trace")
        for (command, expected), answer in zip(steps, answers):
            if expected and command != "run":
                expect(same(answer) == same(expected), f"{command}: DEBUGGER.md has\n{same(expected)}\nbut printed is\n{same(answer)}\n{errors}")
    expect(ddtscope("recover", core, "-o", folder / "t")[0] == 0, "recover of DEBUGGER.md")
    types = re.search(r"^\$ ddtscope types t\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    expect(ddtscope("types", folder / "t")[1].strip() == types.strip(), f"types of DEBUGGER.md:\n{types}\n{ddtscope('types', folder / 't')}")


def check_scripts():
    """What the scripts do without a debugger."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(options.ddtscope).resolve().parents[1] / "share" / "ddtscope" / "debugger"))
    import ddtscope_debug
    import ddtscope_source
    text = ('/* MPI_Send(z) */ CHECK(\n  MPI_Send(a, // MPI_Send(\n";x," "b", t[f(1, 2)]));\n#define A \\\n MPI_Send(q, r)\nA;\n'
            "else MPI_Send(x, y); MPI_Recv(1);\nMPI_Send(1); MPI_Send(2);")
    several = ["a", '";x," "b"', "t[f(1, 2)]"]
    fixed = "      call foo\n      call MPI_SEND(a,\n     1 n, 'x,',\nC don't\n     & t)\n      x=1"
    free = "call foo\ncall MPI_Send(a, & ! MPI_SEND(\n  n, &\n! don't\n  & t)\nx=1"
    for file, source, expected in (("x.c", text, [several, several, several, None, None, None, ["x", "y"], None]),
                                   ("x.f", fixed, [None] + [["a", "n", "'x,'", "t"]] * 2 + [None, ["a", "n", "'x,'", "t"], None]),
                                   ("x.F90", free, [None] + [["a", "n", "t"]] * 2 + [None, ["a", "n", "t"], None])):
        found = [ddtscope_source.call_in_source(source, i + 1, "MPI_Send", file) for i in range(len(expected))]
        expect(found == expected, f"calls in {file}: {found}")
    for harmless, expressions in ((True, ("a[1]", "n <= 1", "n == 1", "sizeof(x)", "&a->b")), (False, ("n <<= 1", "n >>= 2", "n++", "f(1)", "n = 1"))):
        for expression in expressions:
            expect(ddtscope_source.is_harmless(expression) == harmless, f"whether {expression} is harmless")
    for expression, harmless in (("tile(0, i)", True), ("a /= b", True), ("count=1", False), ("p => q", True)):
        expect(ddtscope_source.is_harmless(expression, True) == harmless, f"whether {expression} is harmless in Fortran")
    import ddtscope_calls
    import ddtscope_command
    examples = ddtscope_command.HELP.partition("\nExamples:\n")[2]
    for verb in ddtscope_command.USAGE:
        expect(f"  mpitype {verb} " in examples, f"help mpitype has no example of {verb}")
    for function, expected in (("PMPI_Bcast", ("MPI_Bcast", False)), ("mpi_send_", ("MPI_Send", True)), ("MPI_Bcast_init", ("MPI_Bcast_init", False)),
                               ("mpi_ineighbor_alltoallw_f08_", ("MPI_Ineighbor_alltoallw", True)), ("MPI_Reduce_scatter_c", ("MPI_Reduce_scatter_c", False)),
                               ("MPI_Wait", None), ("MPI_Pack_init", None), (None, None)):
        found = ddtscope_calls.mpi_name(function)
        expect(found == expected, f"{function} is {found}")

    def interrupted(_, __):
        raise KeyboardInterrupt

    for address, ranges in ((0x1000, None), (None, lambda: [(0x1000, 0x2000)])):
        try:
            ddtscope_debug.Session(interrupted, address, ranges, "process", False)
            failures.append("an interrupt is lost")
        except ddtscope_debug.Problem as problem:
            expect(str(problem) == "interrupted.", f"an interrupt is told as: {problem}")


def check_stale():
    """What a call by the user, or a change between two stops, makes of what was read before."""
    answers, errors = gdb(["break here", "run", "mpitype list --name ^slim$", "set may-call-functions on",
                           'call (int)MPI_Type_set_name(slim, "thin")', "mpitype list --name ^thin$"],
                          "--", options.program, trace=work / "stale")
    contains(answers[-1], "thin", f"a name that was given in the debugger {errors}")


def check_later_counters():
    """A core of a process that went on: its counter file tells the future, which nobody is told as the past."""
    core, trace = work / "went-on.core", work / "went-on"
    gdb(["break share", "run", f"generate-core-file {core}", "set may-call-functions on", "call (int)MPI_Type_free(&slim)"],
        "--", options.program, trace=trace)
    status, _, errors = ddtscope("recover", core, "-o", work / "went-on-recovered")
    expect(status == 0, f"recover of a process that went on: {status}")
    contains(errors, "do not fit the handles", "recover of a process that went on")
    contains(ddtscope("show", work / "went-on-recovered", "slim")[1], "numbers unknown", "counts of later")
    answers, errors = gdb(["mpitype show slim"], "--core", core, options.program)
    contains(answers[0], ["do not fit the handles", "numbers unknown"], f"a core of a process that went on {errors}")


def check_searches():
    """Memory is searched for a command alone, and once a stop."""
    note = "python DEBUGGER.ranges = lambda: gdb.write('SEARCHED') and [] or []"
    commands = [note, "break here", "run", "info args", "mpitype list", "mpitype list", "info args"]
    words = [options.ddtscope, "gdb", "-nx", "-batch", *(word for command in [*START, *commands] for word in ("-ex", command))]
    at = words.index("run") - 1
    words[at:at] = ["-ex", "unset environment LD_PRELOAD"]
    result = subprocess.run([*words, "--args", options.program], capture_output=True, text=True, env=clean, timeout=60)
    contains(result.stdout, ["renamed = ", "SEARCHED"], f"without the plugin: {result.stderr}")
    expect(result.stdout.count("SEARCHED") == 1, "memory is not searched just once:\n" + result.stdout)
    expect(result.stderr.count("ddtscope's plugin is not in this process") == 2, "without the plugin:\n" + result.stderr)
    answers, errors = gdb([note, "break main", "run", "mpitype list"], "--", options.program, trace=work / "searches")
    expect("SEARCHED" not in answers[-1] and "MPI had not started" in errors, f"before MPI_Init: {answers[-1]} {errors}")


def make_core(name, plugin=None, mode="crash", trace=None):
    """A core of the kernel's where it writes one here, else of gdb's."""
    core = work / f"{name}.core"
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    environment = {**clean, "LD_PRELOAD": str(plugin or options.plugin), "DDTSCOPE_OUTPUT": str(trace or work / name)}
    if mode == "crash" and not pattern.startswith("|") and "/" not in pattern:
        folder = work / (name + "-cores")
        folder.mkdir()
        subprocess.run([options.program, mode], env=environment, cwd=folder, capture_output=True, timeout=100,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2))
        written = list(folder.glob(pattern.split("%")[0] + "*"))
        if written:
            written[0].rename(core)
            return core
    stop = [] if mode == "crash" else ["break PMPI_Type_vector", "ignore 1 700"]
    words = ["gdb", "-nx", "-batch"]
    for command in [*START, f"set environment LD_PRELOAD {plugin or options.plugin}", *stop, "run",
                    f"generate-core-file {core}"]:
        words += ["-ex", command]
    subprocess.run([*words, "--args", options.program, mode], env={**clean, "DDTSCOPE_OUTPUT": str(trace or work / name)},
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
    answers, _ = gdb(["frame function here", "print renamed", "print $mpitype_size(cell)", "mpitype list --freed"],
                     "--core", core, options.program)
    contains(answers[1], "T2 = MPI_Type_create_struct", "printer in a core")
    contains(answers[2], "= 11", "function in a core")
    contains(answers[3], "MPI_Type_contiguous(5, MPI_LONG)", "freed types in a core")
    check_values(lambda asked: gdb(asked, "--core", core, options.program)[0], "core")

    # Without gdb.
    status, _, errors = ddtscope("recover", core, "-o", work / "recovered")
    expect(status == 0 and errors == "", f"recover: {status} {errors}")
    for name, text in expected.items():
        expect(ddtscope("show", work / "recovered", name)[1] == text, f"recovered: {name}")
    for counters in trace.glob("*.counters"):
        counters.rename(str(counters) + ".away")
    status, _, errors = ddtscope("recover", core, "-o", work / "recovered2")
    expect(status == 0 and "derived datatypes were live" in errors, f"recover without counters: {status} {errors}")
    contains(ddtscope("show", work / "recovered2", "T1")[1], "numbers unknown", "recovered without counters")
    for counters in trace.glob("*.away"):
        counters.rename(str(counters)[:-len(".away")])
    check_damage(core, expected)


def view_of(data):
    """Where the view stands in a core's bytes: the magic whose own address is not 0."""
    at = data.find(b"ddtsview")
    while at >= 0:
        order, version, own = struct.unpack_from("=IIQ", data, at + 8)
        if order == 0x01020304 and version == 1 and own != 0:
            return at
        at = data.find(b"ddtsview", at + 1)
    raise SystemExit("the core holds no view")


def check_damage(core, expected):
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


def check_auto_load():
    """gdb finds the script by the plugin's path, as where ddtscope is installed beside gdb."""
    folder = work / "auto-load"
    plugin = pathlib.Path(options.plugin).resolve()
    script = folder / str(plugin)[1:]
    script.parent.mkdir(parents=True)
    shutil.copy(options.auto_load, str(script) + "-gdb.py")
    result = subprocess.run(
        ["gdb", "-nx", "-batch", "-iex", f"set auto-load scripts-directory {folder}", "-iex", f"add-auto-load-safe-path {folder}",
         "-ex", f"set environment LD_PRELOAD {plugin}", *(word for command in (*START, "break here", "run", "print renamed",
                                                                               "mpitype list") for word in ("-ex", command)),
         "--args", options.program], capture_output=True, text=True, timeout=100, cwd=work, stdin=subprocess.DEVNULL,
        env={**clean, "DDTSCOPE_OUTPUT": str(work / "auto-load-trace")})
    contains(result.stdout + result.stderr, ["T2 = MPI_Type_create_struct", "upper triangle"], "auto-load")


def check_fortran():
    if options.debugged_f08:
        answers, errors = gdb(["break here", "run", "print row", "mpitype show row", "mpitype values row values"],
                              "--", options.debugged_f08, trace=work / "f08")
        contains(answers[2], 'T1 "row of tile"', "type(MPI_Datatype)")
        contains(answers[3], "MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION)", "show of type(MPI_Datatype)")
        # In Fortran, gdb takes a name for others in upper or lower case, too.
        commands = ["break here", "run", "set language c", "break PMPI_Sendrecv", "break PMPI_Alltoallw", "set language auto"]
        for _ in range(2):
            commands += ["continue", "mpitype frame", "stepi 3", "mpitype frame"]
        answers_of_calls, errors_of_calls = gdb(commands, "--", options.debugged_f08, trace=work / "f08-frame")
        for at, by_source, words in ((7, False, ["send buffer: T1", "receive buffer: T1"]), (9, True, ["send buffer: T1", "receive buffer: T1"]),
                                     (11, False, ["send buffer: parts for 1 of 1 rank\n    T1", "(bytes 8 to 79 of the buffer)"]),
                                     (13, True, ["send buffer: parts for 1 of 1 rank\n    T1", "(bytes 8 to 79 of the buffer)"])):
            contains(answers_of_calls[at], words, f"frame in f08: {errors_of_calls}")
            expect(("by the source, debugged_f08.F90:" in answers_of_calls[at]) == by_source, f"frame in f08:\n{answers_of_calls[at]}")
        expect(rows(answers[4]) == [("0", "MPI_DOUBLE_PRECISION", "1"), ("32", "MPI_DOUBLE_PRECISION", "5"),
                                    ("64", "MPI_DOUBLE_PRECISION", "9")], f"values in Fortran:\n{answers[4]}\n{errors}")
    if options.debugged_mpif:
        answers, errors = gdb(["break here", "run", "mpitype show row --fortran", "mpitype values row values --fortran"],
                              "--", options.debugged_mpif, trace=work / "mpif")
        contains(answers[2], "MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION)", "an INTEGER handle")
        expect([row[2] for row in rows(answers[3])] == ["2.5"] * 3, f"values by INTEGER:\n{answers[3]}\n{errors}")
        answers, errors = gdb(["python DEBUGGER.ranges = lambda: gdb.write('SEARCHED') and [] or []", "break mpi_bcast_", "run",
                               "mpitype frame", "up", "mpitype values MPI_INTEGER steps"],
                              "--", options.debugged_mpif, trace=work / "mpif-frame")
        place = re.search(r"MPI_INTEGER at 0x([0-9a-f]+) ", answers[3])
        expect(place is not None and int(place[1], 16) > 4096, f"frame of a Fortran scalar:\n{answers[3]}\n{errors}")
        contains(answers[3], ["by the source, debugged_mpif.f:", "1 copy of MPI_INTEGER"], "frame in Fortran")
        expect([row[2] for row in rows(answers[5])] == ["100"], f"a Fortran scalar's value:\n{answers[5]}\n{errors}")
        expect("SEARCHED" not in "".join(answers), "in Fortran the symbol is not found")


def check_live_types():
    answers, errors = gdb(
        ["break all_are_alive", "run", "python import time; begin = time.time()", "mpitype list --live",
         "python middle = time.time(); DEBUGGER.forget()", "mpitype show T9",
         "python print('list', middle - begin < 2, 'show', time.time() - middle < 0.3, middle - begin, time.time() - middle)"],
        "--", options.live_types, "100000", trace=work / "many")
    contains(answers[3], "1,000", "100,000 live types")
    # ci/bench measures; this is so that a change of order is seen.
    contains(answers[-1], "list True", f"100,000 live types: {answers[-1]} {errors}")


def check_bad_input():
    bad = {
        "mpitype show garbage": "no datatype that ddtscope knows",
        "mpitype show nothing": "no datatype that ddtscope knows",
        "mpitype show T99": "T99",
        "mpitype show 1 +": "`mpitype show` takes 1 argument, here are 2 (",
        "mpitype show (1+": "cannot be evaluated",
        "mpitype show *(int*)0": "cannot be",
        "mpitype show cells[0]": "is no MPI_Datatype",
        "mpitype values cell": "`mpitype values` takes 2 or 3 arguments, here is 1 (what has blanks stands in parentheses, a name in "
                               "quotes): mpitype values TYPE BUF [COUNT]",
        "mpitype values cell cells -1": "negative",
        "mpitype values cell cells --limit many": "--limit takes a number",
        "mpitype show cell --view cube": "rows, grid, runs or tree",
        "mpitype list --name [": "is no regular expression",
        "mpitype list --frob": "there is no option --frob",
        "mpitype frobnicate": "there is no `mpitype frobnicate`",
        "mpitype show make_types()": "cannot be evaluated",
        "mpitype save /no/such/folder/t.jsonl": "cannot be written",
        "print $mpitype_size(garbage)": "no datatype that ddtscope knows",
        "mpitype frame": "no MPI call",
    }
    for command, words in bad.items():
        answers, errors = gdb(["break here", "run", command], "--", options.program, trace=work / "bad")
        sentences = [line for line in errors.split("\n") if words in line]
        expect(len(sentences) == 1, f"{command}: {words!r} is not one sentence of\n{errors}\n{answers[-1]}")
        contains(answers[-1] + errors, [], command)
    result = subprocess.run([options.ddtscope, "gdb", "-nx", "-batch", "-ex", "mpitype list"], capture_output=True, text=True,
                            env=clean, timeout=60)
    contains(result.stderr, "no process and no core is being debugged", "without a process")
    result = subprocess.run([options.ddtscope, "gdb", "-nx", "-batch", "-ex", "break main", "-ex", "run", "-ex", "mpitype list",
                             "-ex", "help mpitype", "--args", options.program], capture_output=True, text=True, env=clean, timeout=60)
    contains(result.stderr, "ddtscope's plugin is not in this process", "without the plugin")
    contains(result.stdout, ["mpitype show TYPE", "Examples:"], "help")
    answers, errors = gdb(["break main", "run", "mpitype list"], "--", options.program, trace=work / "early")
    contains(errors, "MPI had not started", "before MPI_Init")


def check_lldb():
    commands = ["breakpoint set -n here", "process launch", "frame variable renamed", "mpitype show by_reference",
                "mpitype list --live", "mpitype where &matrix[2][3] matrix triangle"]
    trace = work / "lldb"

    def lldb(commands):
        words = [options.ddtscope, "lldb", "-b"]
        for command in commands:
            words += ["-o", f"script print('@@')", "-o", command]
        result = subprocess.run([*words, "--", options.program], capture_output=True, text=True, cwd=work,
                                env={**clean, "DDTSCOPE_OUTPUT": str(trace)}, timeout=200, stdin=subprocess.DEVNULL)
        return [part.split("\n", 2)[-1] for part in result.stdout.split("\n@@\n")[1:]], result.stdout + result.stderr

    answers, everything = lldb(commands)
    contains(everything, ["T2 = MPI_Type_create_struct", 'name      "upper triangle"', "value 11"], "lldb")
    # In batch mode it ends at the first error.
    for command, words in (("mpitype show garbage", "no datatype that ddtscope knows"),
                           ("mpitype frobnicate", "there is no `mpitype frobnicate`"),
                           ("mpitype show (1+", "cannot be evaluated"), ("mpitype show make_types()", "cannot be evaluated")):
        contains(lldb(["breakpoint set -n here", "process launch", command])[1], words, "lldb, " + command)
    expected = ddtscope("show", trace, "T1")[1].split("made at")[0]
    expect(expected in everything, f"lldb: show:\n{everything}")
    answers, everything = lldb(["breakpoint set -n here", "process launch", *("mpitype " + command for command in VALUES)])
    for command, answer in zip(VALUES, answers[2:]):
        expect(rows(answer) == VALUES[command], f"lldb: {command}: {rows(answer)} in\n{answer}")


checks = [check_scripts, check_page, check_live, check_conditions, check_frames, check_exchange, check_questions, check_not_recorded,
          check_other_threads, check_newer_source, check_stale, check_later_counters, check_searches, check_core, check_threads,
          check_running, check_plugins, check_auto_load, check_fortran, check_live_types, check_bad_input]
if options.lldb:
    checks.append(check_lldb)
checks = [check for check in checks if not options.only or check.__name__ in options.only]
for check in checks:
    try:
        check()
    except subprocess.TimeoutExpired as expired:
        failures.append(f"{check.__name__}: {expired}")
print("\n\n".join(failures) if failures else f"{len(checks)} groups passed")
sys.exit(1 if failures else 0)
