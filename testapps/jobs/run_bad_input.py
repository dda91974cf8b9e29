#!/usr/bin/env python3
"""What a user gets wrong: each mistake gets one clear sentence and its exit status, and no job is harmed by any."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from run_case import stable_lines  # noqa: E402
from script import PRODUCTS, base_environment, fail  # noqa: E402


class Plain:
    unstable_lines = []
    unstable_numbers = False


def run(command, **environment):
    env = base_environment()
    env.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    env.update(environment)
    return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=120)


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--other-program", required=True, help="one without MPI")
    parser.add_argument("--other", action="append", nargs=2, default=[], metavar=("NAME", "PLUGIN"),
                        help="another binary interface that there is a plugin for")
    args = script.options_of(parser)
    os.chdir(args.work)
    ddtscope, launch = args.ddtscope, [args.launcher, "-n", "1"]
    sanitizer = os.environ.get("DDTSCOPE_TEST_PRELOAD", "")
    native = run([*launch, args.program])

    def expect(result, status, what, *words):
        if result.returncode != status:
            fail(f"{what}: status {result.returncode}, should be {status}: {result.stderr[:400]}")
        for word in words:
            if word not in result.stderr:
                fail(f"{what}: the message does not name {word!r}: {result.stderr[:400]}")
        if result.stdout:
            fail(f"{what}: printed on stdout: {result.stdout[:200]}")

    def unharmed(result, what, *words):
        if (result.returncode, stable_lines(result.stdout, Plain)) != \
                (native.returncode, stable_lines(native.stdout, Plain)):
            fail(f"{what}: the program behaves differently: {result.returncode} {result.stdout[:300]} "
                 f"{result.stderr[:600]}")
        for word in words:
            if word not in result.stderr:
                fail(f"{what}: no message that names {word!r}: {result.stderr[:400]}")

    # Before the job. No launcher: it would mix its own words in.
    expect(run([ddtscope, "exec", "-o", "t", "--", "./missing"]), 127, "no such program", "./missing")
    expect(run([ddtscope, "exec", "-o", "t", "--", args.other_program]), 2, "a program without MPI", args.other_program)
    expect(run([ddtscope, "exec", "-o", "t"]), 2, "exec without a program")
    for other in sorted(PRODUCTS.keys() - {args.abi}):
        expect(run([ddtscope, "exec", "--mpi", other, "-o", "t", "--", args.program]), 2, "the wrong --mpi", other,
               f"--mpi {args.abi}")

    # In the job, the environment set by hand so that a sanitizer's run time may come first.
    def preloaded(plugin, folder):
        preload = ":".join(filter(None, [sanitizer, plugin]))
        return run([*launch, "/usr/bin/env", "LD_PRELOAD=" + preload, args.program], DDTSCOPE_OUTPUT=folder,
                   DDTSCOPE_MERGE="off")

    unharmed(preloaded(args.plugin, "/proc/nowhere"), "an output folder that cannot be made", "/proc/nowhere")
    with open("file", "w"):
        pass
    unharmed(preloaded(args.plugin, "file/trace"), "an output folder under a file", "file/trace")
    for other, plugin in args.other:
        unharmed(preloaded(plugin, "wrong"), f"the plugin for {other}", "ddtscope: no trace is written",
                 f"the program runs {PRODUCTS[args.abi]}", f"for {PRODUCTS[other]};", f"libddtscope-{args.abi}.so",
                 f"ddtscope exec --mpi {args.abi}")
        if os.path.isdir("wrong") and os.listdir("wrong"):
            fail(f"the plugin for {other} wrote {os.listdir('wrong')}")
    unharmed(preloaded(args.plugin, "good"), "a good run")
    unharmed(preloaded(args.plugin, "good"), "a second job into the same folder", "good-")
    second = [name for name in os.listdir(".") if name.startswith("good-")]
    if len(second) != 1:
        fail(f"a second job into the same folder: folders {os.listdir('.')}")
    if not sanitizer:
        # The plugin is chosen by what the program links.
        unharmed(run([*launch, ddtscope, "exec", "-o", "chosen", "--", args.program]), "exec without --mpi")
        if not os.path.exists("chosen/trace.jsonl"):
            fail("exec without --mpi wrote no trace")
        # Only what exec itself started says that it never started MPI: not what starts others, nor those.
        alone = [ddtscope, "exec", "--mpi", args.abi, "-o", "none", "--"]
        never = run([*alone, "bash", "-c", "exit 3"])
        if (never.returncode, never.stdout) != (3, "") or \
                not re.fullmatch(r"ddtscope: no trace is written: \S+ ended, and no call of MPI_Init was seen in it\n", never.stderr):
            fail(f"a program that never starts MPI: {never.returncode}, {never.stdout!r}, {never.stderr!r}")
        for what, command, environment in (("a script", ["bash", "-c", f"{args.other_program}; true"], {}),
                                           ("without a word", ["true"], {"DDTSCOPE_QUIET": "1"}),
                                           ("a later rank", ["true"], {"OMPI_COMM_WORLD_RANK": "1", "PMI_RANK": "1"})):
            done = run([*alone, *command], **environment)
            if done.returncode != 0 or "MPI_Init" in done.stderr:
                fail(f"{what}: {done.returncode}, {done.stderr!r}")
        script_of_job = run([*launch, *alone, "bash", "-c", f"{args.program}; exit $?"])
        unharmed(script_of_job, "a script that starts the program")
        if "MPI_Init" in script_of_job.stderr:
            fail(f"a script that starts the program: {script_of_job.stderr}")
        if os.path.exists("none/trace.jsonl"):
            shutil.rmtree("none")
        else:
            fail("a script that starts the program wrote no trace")

    # Reading.
    good = "good/rank-0.jsonl"
    lines = open(good).read().splitlines(keepends=True)

    def damaged(name, text):
        os.makedirs(name)
        with open(os.path.join(name, "rank-0.jsonl"), "w") as out:
            out.write(text)
        return name

    expect(run([ddtscope, "frobnicate"]), 2, "an unknown verb", "frobnicate")
    expect(run([ddtscope, "summary", "--frobnicate", "good"]), 2, "an unknown option", "--frobnicate")
    expect(run([ddtscope, "summary"]), 2, "no trace named")
    expect(run([ddtscope, "show", "good", "T99999"]), 2, "an unknown type", "T99999")
    expect(run([ddtscope, "summary", "missing"]), 3, "a missing trace", "missing")
    os.makedirs("empty")
    expect(run([ddtscope, "summary", "empty"]), 3, "an empty folder", "empty")
    expect(run([ddtscope, "summary", damaged("no-trace", "hello\n")]), 3, "no trace at all", "no-trace/rank-0.jsonl")
    header = json.loads(lines[0])
    header["version"] = 99
    newer = run([ddtscope, "summary", damaged("newer", json.dumps(header) + "\n")])
    expect(newer, 3, "a newer format", "99", "1")
    wrong = json.loads(lines[0])
    wrong["predefined"] = "all of them"
    expect(run([ddtscope, "summary", damaged("wrong-types", json.dumps(wrong) + "\n")]), 3, "a line with wrong types",
           "wrong-types/rank-0.jsonl:1")
    both = damaged("both", "".join(lines))
    shutil.copy(os.path.join(second[0], "rank-0.jsonl"), os.path.join(both, "rank-1.jsonl"))
    expect(run([ddtscope, "summary", both]), 2, "two jobs in one folder")
    cut = run([ddtscope, "types", "--json", damaged("cut", "".join(lines)[:-20])])
    whole = run([ddtscope, "types", "--json", "good"])
    if cut.returncode != 0 or json.loads(cut.stdout) != json.loads(whole.stdout):
        fail(f"a cut last line: status {cut.returncode}, types differ from the whole trace's: {cut.stderr[:300]}")

    return script.outcome()


if __name__ == "__main__":
    sys.exit(main())
