"""What `mpitype` and the printers tell of the types of a live process."""
import re
import subprocess

from harness import START, check_values, clean, contains, ddtscope, expect, gdb, options, work


def check_live():
    trace = work / "live"
    shown = ["print triangle", "print by_reference", "print renamed", "print constant", "print garbage", "print nothing",
             "print freed", "print uncommitted", "print copied", "print held", "info args"]
    facts = ["print $mpitype_size(cell)", "print $mpitype_extent(cell)", "print $mpitype_lb(backward)",
             "print $mpitype_true_extent(cell)", "print $mpitype_committed(cell)", "print $mpitype_committed(uncommitted)",
             "print $mpitype_committed(garbage)", "print $mpitype_name(slim)", "print $mpitype_id(triangle)",
             "print $mpitype_committed(copied)", "print $mpitype_committed(held)"]
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
    contains(said["print freed"], ["freed in ", "(debugged.cpp:107); was T"], "freed")
    contains(said["print uncommitted"], "not committed", "uncommitted")
    contains(said["print copied"], "T13 = MPI_Type_dup(T1), size 80, extent 128", "a duplicate")
    contains(said["print held"], "T2 = MPI_Type_create_struct", "a type from another's contents")
    for command in ("print copied", "print held", "print renamed"):
        expect("not committed" not in said[command], f"{command}: what may be used is called {said[command]}")
    for command, value in zip(facts, ("11", "24", "-16", "18", "1", "0", "0", '"slim"', '"T1"', "1", "1")):
        # Open MPI and the standard give the vector's lower bound alike.
        expect(said[command].endswith("= " + value), f"{command}: {said[command]}, not {value}")
    contains(said[places[0]], ["byte 0 of entry 8, MPI_DOUBLE at offset 88, value 11", "T1 block 2, element 1 > MPI_DOUBLE"], "where")
    contains(said[places[0]], ", matrix[2][3], is byte 88 of the buffer", "where, the element's name")
    contains(said[places[2]], ", cells[1] + 16 bytes, is byte 40 of the buffer", "where, in an array of structs")
    expect(", is byte" not in said[places[4]], f"where, an element beyond the array: {said[places[4]]}")
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
    # What a pointer points to has no end; a column begins in the middle of its array.
    named = {"mpitype values triangle &matrix[0][0]": ["  matrix[0][0]  MPI_DOUBLE  0", "  matrix[2][3]  MPI_DOUBLE  11"],
             "mpitype values backward &numbers[4]": ["  numbers[4]  MPI_INT", "  numbers[2]  MPI_INT", "  numbers[0]  MPI_INT"],
             "mpitype values MPI_INT numbers 2": ["  numbers[1]  MPI_INT  11"],
             "mpitype values triangle large": ["  large[0][0]   MPI_DOUBLE  0", "  large[0][15]  MPI_DOUBLE  0"],
             "mpitype where &large[0][5] &large[0][0] triangle": [", large[0][5], is byte 40 of the buffer"]}
    answers, errors = gdb(["break here", "run", *named], "--", options.program, trace=work / "named")
    for (command, wanted), answer in zip(named.items(), answers[2:]):
        contains(answer, wanted, f"{command}: {errors}")
    check_values(lambda asked: gdb(["break here", "run", *asked], "--", options.program, trace=work / "values")[0][2:], "live")

    # What is printed of a type is what the command prints of the trace; views, too. T4 depends on addresses.
    kept = work / "kept"
    asked = [f"mpitype show T{i}" for i in (1, 2, 3, 5, 6)] + ["mpitype show T1 --view runs", "mpitype show T2 --view tree"]
    copy = [f"python import shutil; shutil.copytree({str(trace) + '2'!r}, {str(kept)!r})"]
    answers, _ = gdb(["break here", "run", *copy, *asked], "--", options.program, trace=str(trace) + "2")
    for command, answer in zip(asked, answers[3:]):
        expected = ddtscope("show", kept, *command.split()[2:])[1]
        expect(answer == expected, f"{command}:\n{answer}\nbut ddtscope prints\n{expected}")


def check_charset():
    """A name that the debugger's charset has no letters for."""
    asked = ["print wave", "print $mpitype_name(wave)"]
    for locale, name in (("C", "gr\\xf6\\xdfe"), ("C.UTF-8", "gr\u00f6\u00dfe")):
        answers, errors = gdb(["break here", "run", *asked], "--", options.program, trace=work / f"charset-{locale}", environment={"LC_ALL": locale})
        contains(answers[2], f'T5 "{name}" = MPI_Type_contiguous(2, ', f"print in {locale} {errors}")
        contains(answers[3], name.replace("\\", "\\\\"), f"a name in {locale} {errors}")


def check_conditions():
    commands = ["break MPI_Send if $mpitype_committed($rdx) == 0", "run"]
    answers, errors = gdb(commands, "--", options.program, trace=work / "condition")
    contains(answers[1] + errors, "exited normally", "a condition that never holds")
    commands = ['break MPI_Send if $_streq($mpitype_name($rdx), "upper triangle")', "run", "bt"]
    answers, _ = gdb(commands, "--", options.program, trace=work / "condition2")
    contains(answers[2], "send_to_self", "a condition that holds")


def check_not_recorded():
    """What there was no room for is not said to be garbage, or not to be."""
    answers, errors = gdb(["break here", "run", "mpitype list", "print triangle", "mpitype show triangle"], "--", options.program,
                          trace=work / "no-room", environment={"DDTSCOPE_MAX_MEMORY": "100"})
    contains(answers[2], ["No derived datatype is recorded.", "14 types could not be recorded: `mpitype check` tells."], "list")
    contains(answers[3], "a datatype that could not be recorded", "print")
    contains(errors, "triangle: a datatype that could not be recorded.", "show")
    answers, errors = gdb(["break here", "run", "mpitype list"], "--", options.program, trace="/proc/no/such/folder")
    contains(errors, "no datatype is recorded: MPI had not started, or ddtscope stands aside", "without a trace")


def check_other_threads():
    """In non-stop mode other threads make types while one stands still: each command reads anew."""
    answers, errors = gdb(["set non-stop on", "break stand_still", "run", "shell sleep 3",
                           "mpitype show T15", "shell sleep 3", "mpitype show T15", "kill"], "--", options.program, "threads", trace=work / "non-stop")
    made = [re.search(r"MPI_Type_vector: ([\d,]+) created", answer) for answer in (answers[4], answers[6])]
    expect(all(made) and made[0][1] != made[1][1], f"types of running threads:\n{answers[4]}\n{answers[6]}\n{errors}")


def check_stale():
    """What a call by the user, or a change between two stops, makes of what was read before."""
    answers, errors = gdb(["break here", "run", "mpitype list --name ^slim$", "set may-call-functions on",
                           'call (int)MPI_Type_set_name(slim, "thin")', "mpitype list --name ^thin$"],
                          "--", options.program, trace=work / "stale")
    contains(answers[-1], "thin", f"a name that was given in the debugger {errors}")


def check_searches():
    """Memory is searched for a command alone, and once a stop."""
    note = "python DEBUGGER.ranges = lambda: gdb.write('SEARCHED') and [] or []"
    commands = [note, "break here", "run", "info args", "mpitype list", "mpitype list", "info args"]
    words = [options.ddtscope, "gdb", "-nx", "-batch", *(word for command in [*START, *commands] for word in ("-ex", command))]
    at = words.index("run") - 1
    words[at:at] = ["-ex", "unset environment LD_PRELOAD"]
    result = subprocess.run([*words, options.program], capture_output=True, text=True, env=clean, timeout=60)
    contains(result.stdout, ["renamed = ", "SEARCHED"], f"without the plugin: {result.stderr}")
    expect(result.stdout.count("SEARCHED") == 1, "memory is not searched just once:\n" + result.stdout)
    expect(result.stderr.count("ddtscope's plugin is not in this process") == 2, "without the plugin:\n" + result.stderr)
    answers, errors = gdb([note, "break main", "run", "mpitype list"], "--", options.program, trace=work / "searches")
    expect("SEARCHED" not in answers[-1] and "MPI had not started" in errors, f"before MPI_Init: {answers[-1]} {errors}")


def check_live_types():
    answers, errors = gdb(
        ["break all_are_alive", "run", "python import time; begin = time.time()", "mpitype list --live",
         "python middle = time.time(); DEBUGGER.forget()", "mpitype show T9",
         "python print('list', middle - begin < 2, 'show', time.time() - middle < 0.3, middle - begin, time.time() - middle)"],
        "--", options.live_types, "100000", trace=work / "many")
    contains(answers[3], "1,000", "100,000 live types")
    # ci/bench measures; this is so that a change of order is seen.
    contains(answers[-1], "list True", f"100,000 live types: {answers[-1]} {errors}")
