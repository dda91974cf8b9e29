"""A program whose signal handler ends it while it calls MPI: it ends, with the plugin as without it."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

SECONDS = 30  # to end in; it takes a fraction of one


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = script.options_of(parser)
    numbers = random.Random(args.seed)
    env = base_environment()
    env.update(DDTSCOPE_MERGE="off", DDTSCOPE_SYMBOLS="off", DDTSCOPE_QUIET="1")

    def ends_with_3(what, prefix):
        command = [*prefix, args.program, str(numbers.randrange(20000, 30000))]
        try:
            status = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS).returncode
        except subprocess.TimeoutExpired:
            status = None
        if status != 3:
            fail(what, f"it {'hangs' if status is None else f'ends with {status}'}, in place of 3")

    ends_with_3("natively", [])
    for i in range(args.runs):
        ends_with_3(f"run {i}", [args.ddtscope, "exec", "-o", os.path.join(args.work, str(i)), "--"])
    return script.outcome()


sys.exit(main())
