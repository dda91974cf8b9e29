"""How the debuggers' tests ask: gdb in batch mode, the command, and what is expected of their answers."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
import script  # noqa: E402
from script import base_environment  # noqa: E402

parser = script.parser(__doc__)
for option in ("group", "wrong-stride", "page", "live-types", "auto-load"):
    parser.add_argument("--" + option, required=True)
for option in ("debugged_f08", "debugged_mpif"):
    parser.add_argument("--" + option)
parser.add_argument("--only", nargs="+", help="functions of the group, such as check_core")
options = script.options_of(parser)
work = pathlib.Path(options.work)
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
    """offset, type and value of each line of `mpitype values`, which names an array's element between address and type."""
    return [(line[0], line[1], line[2]) for line in re.findall(
        r"^ +(?:\[\d+\] )?\d* +(-?[\d,]+)  +0x[0-9a-f]+ +(?:[\w.>-]+(?:\[\d+\])+(?: \+ [\d,]+ bytes?)? +)?(\S+|\(hole\)) +(.*)$", text, re.MULTILINE)]


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


# What a command tells of a buffer that is not what its datatype says; None where nothing is to be told.
DISAGREEMENTS = {
    "values MPI_DOUBLE &matrix[1][1] 2": None,
    "values MPI_INT &matrix[1][1] 2": "Note: MPI_INT at matrix[1][1] of type double: floating against integer.",
    "values MPI_DOUBLE numbers 2": "Note: MPI_DOUBLE at numbers[0] of type int: floating against integer.",
    "values MPI_FLOAT (numbers + 2) 2": "Note: MPI_FLOAT at (numbers + 2)[0] of type int: floating against integer.",
    "values MPI_INT numbers 8": None,
    "values MPI_BYTE numbers 32": None,
    "values MPI_INT numbers 9": "Note: MPI_INT at byte 32 of numbers, which has 32 bytes.",
    "values cell &cells[1].tag 2": None,
    "values cell &cells[1].value": "Note: MPI_DOUBLE at cells[1].flags of type short: floating against integer.",
    "values MPI_LONG &cells[1].value": "Note: MPI_LONG at cells[1].value of type double: floating against integer.",
    "values MPI_DOUBLE waves 4": None,
    "values MPI_FLOAT waves 4": "Note: MPI_FLOAT at waves[0] of type complex double: another size.",
    "values pair best": None,
    "values triangle matrix": None,
    "values MPI_C_DOUBLE_COMPLEX in_pairs 4": None,
    "values MPI_C_COMPLEX in_pairs 4": "COMPLEX at in_pairs[0][0] of type double: complex against floating.",
    "values MPI_UINT64_T addresses_kept 2": None,
    "values MPI_LONG_LONG addresses_kept 2": None,
    "values MPI_INT addresses_kept 2": "Note: MPI_INT at addresses_kept[0] of type const void *: a pointer, in place of what it points to.",
    # What lies behind a struct is its last member's.
    "values letter message": None,
    "values headed open_message": None,
    "values letter &open_message->length": None,
    "values MPI_DOUBLE message->values 5": None,
    "values letter last_message": None,
    "values MPI_DOUBLE message": "Note: MPI_DOUBLE at message[0].length of type int: floating against integer.",
    # A reference to one element is one to the first of many.
    "values MPI_DOUBLE first_of_matrix 16": None,
    "values MPI_INT first_of_matrix 2": "Note: MPI_INT at first_of_matrix of type double: floating against integer.",
    "values cell first_cell 3": None,
}


def check_disagreements(answers, what):
    for (command, wanted), answer in zip(DISAGREEMENTS.items(), answers):
        if wanted is None:
            expect("Note: " not in answer and rows(answer), f"{what}: {command}:\n{answer}")
        else:
            contains(answer, wanted, f"{what}: {command}")


def check_values(ask, what):
    """`ask` takes commands, and gives what each printed."""
    commands = list(VALUES) + ["values absolute 0"]
    check_disagreements(ask(["mpitype " + command for command in DISAGREEMENTS]), what)
    answers = ask(["mpitype " + command for command in commands])
    for command, answer in zip(commands, answers):
        if command in VALUES:
            expect(rows(answer) == VALUES[command], f"{what}: {command}: {rows(answer)} in\n{answer}")
        else:
            expect([(kind, value) for _, kind, value in rows(answer)] == [("MPI_INT", "77"), ("MPI_DOUBLE", "0.125")],
                   f"{what}: {command}:\n{answer}")
            contains(answer, "at MPI_BOTTOM", what)
