"""What cannot be answered gets one sentence, and no function of the program is called for it."""
import re
import subprocess

from harness import START, clean, contains, expect, gdb, options, rows, work


def check_questions():
    """One sentence for what cannot be answered, and nothing is called for it: a string has no place in the process."""
    bad = {
        "mpitype show triangle --limit 4000000000000": "a limit of 4,000,000,000,000 is too much to print; the highest is 1,000,000.",
        "mpitype values triangle matrix --limit 4000000": "a limit of 4,000,000 is too much to print",
        "mpitype list --limit 1000001": "a limit of 1,000,001 is too much to print",
        "mpitype list --live --freed": "--live and --freed exclude each other",
        "mpitype show T99": "there is no type T99; the process has T1 to T14 (`mpitype list` lists them with keys and names).",
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
    good = ["mpitype values cell cells --limit=1", "print limit", "mpitype values overlapping numbers 0", "mpitype where (char*)numbers+4 numbers overlapping",
            "mpitype values absolute MPI_BOTTOM", 'mpitype values cell "&cells[0]" 1', "info args"]
    answers, errors = gdb(["set may-call-functions on", called, "break here", "run", *bad, *good], "--", options.program,
                          trace=work / "questions")
    for command, words in bad.items():
        expect(len([line for line in errors.split("\n") if words in line]) == 1, f"{command}: {words!r} is not one sentence of\n{errors}")
    limited, limit, empty, twice, bottom, quoted, _ = answers[-len(good):]
    expect(len(rows(limited)) == 1 and limit.endswith(" = 7"), f"an option's value behind =:\n{limited}\n{limit}")
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
        "mpitype values cell cells --limit=many": "--limit takes a number",
        "mpitype where &cells[0] cells cell --limit=5": "there is no option --limit=5: mpitype where ADDR BUF TYPE",
        "mpitype frobnicate": "there is no `mpitype frobnicate`",
        "mpitype show make_types()": "cannot be evaluated",
        "mpitype save /no/such/folder/t.jsonl": "cannot be written",
        "print $mpitype_size(garbage)": "no datatype that ddtscope knows",
        "mpitype frame": "no MPI call",
    }
    # By a mark on stderr, where the sentences are.
    mark = "python gdb.write('\\n@@\\n', gdb.STDERR)"
    answers, errors = gdb(["break here", "run", *(word for command in bad for word in (mark, command))], "--", options.program, trace=work / "bad")
    told = errors.split("\n@@\n")[1:]
    expect(len(told) == len(bad), f"{len(told)} marks of {len(bad)} on stderr: {errors}")
    for (command, words), answer, error in zip(bad.items(), answers[3::2], told):
        sentences = [line for line in error.split("\n") if words in line]
        expect(len(sentences) == 1, f"{command}: {words!r} is not one sentence of\n{error}\n{answer}")
        contains(answer + error, [], command)
    result = subprocess.run([options.ddtscope, "gdb", "-nx", "-batch", "-ex", "mpitype list"], capture_output=True, text=True,
                            env=clean, timeout=60)
    contains(result.stderr, "no process and no core is being debugged", "without a process")
    result = subprocess.run([options.ddtscope, "gdb", "-nx", "-batch", "-ex", "break main", "-ex", "run", "-ex", "mpitype list",
                             "-ex", "help mpitype", options.program], capture_output=True, text=True, env=clean, timeout=60)
    contains(result.stderr, "ddtscope's plugin is not in this process", "without the plugin")
    contains(result.stdout, ["mpitype show TYPE", "Examples:"], "help")
    # Behind gdb's own --args the program is preloaded, too, and all words are its own.
    result = subprocess.run([options.ddtscope, "gdb", "-nx", "-batch", *(word for command in [*START, "break main", "run", "mpitype list", "show args"]
                                                                         for word in ("-ex", command)),
                             "--args", options.program, "--pid", "5", "--"], capture_output=True, text=True, env=clean, timeout=60)
    contains(result.stderr, "MPI had not started", "behind --args")
    contains(result.stdout, '"--pid 5 --"', "a program's words behind --args")
    answers, errors = gdb(["break main", "run", "mpitype list"], "--", options.program, trace=work / "early")
    contains(errors, "MPI had not started", "before MPI_Init")
