"""`source-type` and `buffer-too-small` of programs in which what is wrong stands in their variables' names: each call with
a variable wrong_... is told, with that variable (or what it is in the frame that called), and no other call is.

    run_named_buffers.py ... --source SOURCE [--unknown NAME,...] [--nameless NAME,...] -- PROGRAM

`--unknown` are variables of which optimised code has left nothing; they may stay untold. Of `--nameless` the Fortran
compiler's descriptor says what the elements are, and nothing else does: so it is with those unknown, too, where the
library's procedures get descriptors (..._f08ts), as Open MPI's do from 6 on."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

OF_SOURCES = ("source-type", "buffer-too-small", "struct-layout")
# What the caller of a procedure has for its arguments.
GIVEN = {"wrong_assumed": "wrong_given_size", "wrong_explicit": "wrong_given_explicit", "wrong_shape": "wrong_given_shape",
         "wrong_row": "wrong_plane", "wrong_column": "wrong_plane"}


def calls_in(source):
    """{line: the wrong variable of the call that stands there}, and each line of a call that is right."""
    wrong, right = {}, set()
    with open(source, encoding="utf-8") as file:
        text = file.read()
    for call in re.finditer(r"(?:call |CHECK\()MPI_\w+\(.*?\)(?:;|\n)", text, re.DOTALL):
        first = text.count("\n", 0, call.start()) + 1
        lines = range(first, first + call[0].rstrip("\n").count("\n") + 1)
        names = re.findall(r"\bwrong_\w+", call[0])
        for line in lines:
            right.add(line)
            if names:
                wrong[line] = names
    return wrong, right - set(wrong)


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--source", required=True)
    parser.add_argument("--unknown", default="")
    parser.add_argument("--nameless", default="")
    args = script.options_of(parser)
    unknown, nameless = set(args.unknown.split(",")), set(args.nameless.split(","))
    trace, env = os.path.join(args.work, "trace"), base_environment()

    def call(*words):
        return subprocess.run(list(map(str, words)), env=env, capture_output=True, text=True, timeout=120)

    ran = call(args.launcher, "-n", "1", args.ddtscope, "exec", "-o", trace, "--", args.program, os.path.join(args.work, "file"))
    if ran.returncode != 0:
        fail("the job", f"{ran.returncode} {ran.stderr[-2000:]}")
        return script.outcome()
    merged = os.path.join(args.work, "merged")
    call(args.ddtscope, "merge", trace, "-o", merged)
    answer, of_merged = (json.loads(call(args.ddtscope, "check", folder, "--json").stdout) for folder in (trace, merged))
    if of_merged["findings"] != answer["findings"]:
        fail("merge", "the merged trace says something else")
    if any("_f08ts" in use["called"] for use in json.loads(call(args.ddtscope, "uses", trace, "--json").stdout)):
        nameless, unknown = nameless | unknown, set()
    wrong, right = calls_in(args.source)
    wanted, met = {name for names in wrong.values() for name in names}, set()
    for finding in answer["findings"]:
        if finding["id"] not in OF_SOURCES:
            continue
        line = finding["call_site"][0]["line"]
        message = finding["message"]
        names = [name for name in wrong.get(line, []) if re.search(rf"\b{name}`|`{GIVEN.get(name, name)}` ", message)]
        if not names and " an array of " in message:
            names = [name for name in wrong.get(line, []) if name in nameless]
        if not names and "memory that was allocated" in message:
            names = wrong.get(line, [])
        if not names:
            fail(f"line {line}", f"is told: {message}" if line in right else f"is told of another variable: {message}")
        met.update(names)
        # A name of C's says which call and argument it is of.
        if args.source.endswith(".c"):
            name = names[0] if names else ""
            if not finding["called"].lower().replace("mpi_file_", "").removeprefix("mpi_") in name:
                fail(name, f"is told of {finding['called']}: {message}")
            if ("_send" in name and finding["argument"].startswith("recv")) or ("_recv" in name and finding["argument"].startswith("send")):
                fail(name, f"is told as {finding['argument']}")
    for name in sorted(wanted - met - unknown):
        fail(name, "is not told")
    return script.outcome()


sys.exit(main())
